(call_expression function: (identifier) @name arguments: (_) @args) @use.call
(new_expression constructor: (identifier) @name arguments: (_) @args) @use.call
(call_expression function: (member_expression object: [(identifier) (this)] @receiver property: (property_identifier) @name) arguments: (_) @args) @use.call
(member_expression object: [(identifier) (this)] @receiver property: (property_identifier) @name) @use.member
(assignment_expression left: (member_expression property: (property_identifier) @store))
(unary_expression "typeof" (member_expression property: (property_identifier) @store))
(variable_declarator name: (identifier) @bound !value)
(variable_declarator name: (identifier) @bound value: (_) @v (#not-match? @v "^(await )?require\\("))
(variable_declarator name: (_ [(identifier) @bound (shorthand_property_identifier_pattern) @bound (pair_pattern value: (_) @bound) (_ (shorthand_property_identifier_pattern) @bound)])
  value: (_) @v (#not-match? @v "^(await )?require\\("))
(for_in_statement left: (identifier) @bound)
(for_in_statement left: (_ [(identifier) (shorthand_property_identifier_pattern)] @bound))
(assignment_expression left: (identifier) @bound)
(catch_clause parameter: (identifier) @bound)
(function_declaration name: (identifier) @bound)
(function_expression name: (identifier) @bound)
(class_declaration name: (_) @bound)
(arrow_function parameter: (identifier) @bound)
(formal_parameters (_ [(identifier) (shorthand_property_identifier_pattern)] @bound))
(formal_parameters (_ (_ [(identifier) (shorthand_property_identifier_pattern)] @bound)))
(formal_parameters (_ (_ (_ [(identifier) (shorthand_property_identifier_pattern)] @bound))))
; only: typescript tsx
(nested_type_identifier module: (identifier) @receiver name: (type_identifier) @name) @use.member
; only: javascript
(formal_parameters (identifier) @bound)
