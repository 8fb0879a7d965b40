[(composite_literal type: (_) @type) (type_assertion_expression type: (_) @type)] @made
(call_expression function: (identifier) @new arguments: (argument_list . (_) @type) (#eq? @new "new")) @made
(parameter_declaration name: (identifier) @var type: (_) @type)
(var_spec name: (identifier) @var) @first.variable
(var_spec type: (_) @type) @then.variable
(short_var_declaration left: (expression_list . (identifier) @var .) right: (expression_list . (_) @is .))
(short_var_declaration left: (expression_list . (identifier) @var) right: (expression_list . (type_assertion_expression) @is .))
(var_spec . name: (identifier) @var !type value: (expression_list . (_) @is .))
(type_spec name: (type_identifier) @owner type: (struct_type (field_declaration_list (field_declaration name: (field_identifier) @field type: (_) @type))))
(parameter_declaration name: (identifier) @var type: [(slice_type element: (_) @element) (array_type element: (_) @element) (map_type value: (_) @element)])
(variadic_parameter_declaration name: (identifier) @var type: (_) @element)
(var_spec type: [(slice_type element: (_) @element) (map_type value: (_) @element)]) @then.variable
(short_var_declaration left: (expression_list . (identifier) @var .) right: (expression_list . (composite_literal type: [(slice_type element: (_) @element) (map_type value: (_) @element)]) .))
(short_var_declaration left: (expression_list . (identifier) @var .) right: (expression_list . (call_expression function: (identifier) @make arguments: (argument_list . [(slice_type element: (_) @element) (map_type value: (_) @element)])) .) (#eq? @make "make"))
(range_clause left: (expression_list (_) . (identifier) @item) right: (identifier) @of)
