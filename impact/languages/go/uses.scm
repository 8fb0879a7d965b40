(call_expression function: (identifier) @name arguments: (_) @args) @use.call
(call_expression function: (selector_expression operand: (_) @receiver field: (field_identifier) @name) arguments: (_) @args) @use.call
(selector_expression operand: (_) @receiver field: (field_identifier) @name) @use.member
(keyed_element . (literal_element (identifier) @key))
(composite_literal type: [(type_identifier) @of (qualified_type) @of (generic_type type: (_) @of)]
  body: (literal_value (keyed_element . (literal_element (identifier) @key))))
(composite_literal type: [(map_type) (slice_type) (array_type)] body: (literal_value (keyed_element . (literal_element (identifier) @plain))))
(short_var_declaration left: (expression_list . (identifier) @alias .) right: (expression_list . (_) @value .))
(var_spec . name: (identifier) @alias value: (expression_list . (_) @value .))
(assignment_statement left: (expression_list . (identifier) @alias .) right: (expression_list . (_) @value .))
(type_alias name: (_) @alias type: (_) @value)
(qualified_type package: (_) @receiver name: (type_identifier) @name) @use.member
(type_identifier) @name @use.name
(method_declaration receiver: (parameter_list (parameter_declaration type: [
  (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @bound)))
  (pointer_type (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @bound))))])))
(short_var_declaration left: (expression_list (identifier) @bound))
(range_clause left: (expression_list (identifier) @bound))
(receive_statement left: (expression_list (identifier) @bound))
(type_switch_statement alias: (expression_list (identifier) @bound))
(var_spec name: (identifier) @bound)
(const_spec name: (identifier) @bound)
(parameter_declaration name: (identifier) @bound)
(parameter_list (parameter_declaration name: (_)) (parameter_declaration !name type: (type_identifier) @bound))  ; of a long list the grammar takes a name for a type
(variadic_parameter_declaration name: (identifier) @bound)
(type_parameter_declaration name: (identifier) @bound)
(function_declaration name: (identifier) @bound)
(type_spec name: (type_identifier) @bound)
(type_alias name: (type_identifier) @bound)
(package_clause (package_identifier) @key)
(field_declaration name: (field_identifier) @key)
(method_elem name: (field_identifier) @key)
