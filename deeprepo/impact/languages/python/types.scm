(assignment left: (identifier) @var right: (_ function: (identifier) @type (#match? @type "^_?[A-Z]")))
(class_definition name: (identifier) @type body: (_ (function_definition parameters: (parameters . (identifier) @var) @params) @scope) (#eq? @var "self"))
((function_definition parameters: (parameters (typed_parameter . (identifier) @var type: (type (identifier) @type)))) @scope (#match? @type "^_?[A-Z]") (#not-match? @scope "isinstance\\("))
