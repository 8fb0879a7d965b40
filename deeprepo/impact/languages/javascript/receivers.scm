(new_expression constructor: [(identifier) (member_expression)] @type) @made
(variable_declarator name: (identifier) @var value: (_) @is)
(statement_block (lexical_declaration (variable_declarator name: (identifier) @var value: (_) @is))) @scope
(assignment_expression left: (identifier) @var right: (_) @is)
(assignment_expression left: (_ object: (this) property: (_) @field) right: (_) @is)
; only: javascript
(class_body (_ property: (_) @field value: (_) @is))
; only: typescript tsx
(class_body (_ name: (_) @field !type value: (_) @is))
(class_body (_ name: (_) @field !parameters type: (_ (type_identifier) @type (#match? @type "^[A-Z]"))))
(required_parameter pattern: (identifier) @var type: (_ (type_identifier) @type (#match? @type "^[A-Z]")))
(optional_parameter pattern: (identifier) @var type: (_ (type_identifier) @type (#match? @type "^[A-Z]")))
(required_parameter (accessibility_modifier) pattern: (identifier) @field type: (_ (type_identifier) @type (#match? @type "^[A-Z]")))
(required_parameter "readonly" pattern: (identifier) @field type: (_ (type_identifier) @type (#match? @type "^[A-Z]")))
(variable_declarator name: (identifier) @var type: (_ (type_identifier) @type (#match? @type "^[A-Z]")))
