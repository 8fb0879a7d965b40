(property_declaration (variable_declaration . (identifier) @var) (call_expression . (identifier) @type) (#match? @type "^_?[A-Z]"))
