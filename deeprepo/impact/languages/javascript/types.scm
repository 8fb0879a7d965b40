; only: typescript tsx
(lexical_declaration "const" (variable_declarator name: (identifier) @var !type value: (new_expression constructor: (identifier) @type)))
(class_declaration name: (_) @type body: (class_body (method_definition) @scope))
