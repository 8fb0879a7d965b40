(assignment left: (identifier) @var right: (call function: (identifier) @type (#match? @type "^_?[A-Z]")))
(class_definition name: (identifier) @type body: (block (function_definition parameters: (parameters . (identifier) @var) @params) @scope) (#eq? @var "self"))
