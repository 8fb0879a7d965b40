(call_expression function: (identifier) @name arguments: (_) @args)
(call_expression function: (selector_expression operand: (_) @receiver field: (field_identifier) @name) arguments: (_) @args)
(selector_expression operand: (_) @receiver field: (field_identifier) @name)
(keyed_element . (literal_element (identifier) @key))
(composite_literal type: [(type_identifier) @of (qualified_type) @of (generic_type type: (_) @of)]
  body: (literal_value (keyed_element . (literal_element (identifier) @key))))
(composite_literal type: [(map_type) (slice_type) (array_type)] body: (literal_value (keyed_element . (literal_element (identifier) @plain))))
(composite_literal type: [
  (type_identifier) @name (qualified_type package: (_) @receiver name: (_) @name) (generic_type type: (type_identifier) @name)]
  body: (_) @args)
(qualified_type package: (_) @receiver name: (type_identifier) @name)
(type_identifier) @name
(package_clause (package_identifier) @key)
(field_declaration name: (field_identifier) @key)
(method_elem name: (field_identifier) @key)
