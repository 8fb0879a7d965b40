(source_file (type_declaration (type_spec name: (_) @owner type: (interface_type (method_elem name: (_) @asks.heir)))))
(source_file (type_declaration (type_spec name: (_) @owner type: (struct_type (field_declaration_list (field_declaration name: (_) @asks.build))))))
(source_file (type_declaration (type_spec name: (_) @owner type: (struct_type (field_declaration_list (field_declaration !name type: [(type_identifier) @asks.build (qualified_type name: (_) @asks.build) (generic_type type: [(type_identifier) @asks.build (qualified_type name: (_) @asks.build)])]))))))
; a line that holds a type against an interface, and nothing else
(var_declaration (var_spec . name: (identifier) @none type: (_) @of value: (expression_list (call_expression
  function: (parenthesized_expression (unary_expression operand: (identifier) @name)) arguments: (argument_list (nil))))) @whole.heir (#eq? @none "_"))
(var_declaration (var_spec . name: (identifier) @none type: (_) @of value: (expression_list
  [(composite_literal type: (type_identifier) @name) (unary_expression operand: (composite_literal type: (type_identifier) @name))])) @whole.heir (#eq? @none "_"))
(composite_literal type: [(type_identifier) (qualified_type)] @of body: (literal_value (literal_element) @place)) @whole.build
(composite_literal type: [(type_identifier) (qualified_type)] @of body: (literal_value (keyed_element . (literal_element (identifier) @part)) @rest)) @whole.build
