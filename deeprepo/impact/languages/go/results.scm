(function_declaration name: (identifier) @name result: (_)? @result) @of
(method_declaration name: (field_identifier) @name result: (_)? @result) @of
(func_literal) @of
(return_statement (expression_list . (_) @gives .))
(call_expression function: [(identifier) @callee (selector_expression field: (field_identifier) @callee)]) @call
(short_var_declaration left: (expression_list) @left right: (expression_list . (_) @is.several .))
(assignment_statement left: (expression_list) @left right: (expression_list . (_) @is.several .))
(var_spec name: (identifier) value: (expression_list . (_) @is.one .))
(binary_expression [left: (_) @is.one right: (_) @is.one])
(unary_expression operand: (_) @is.one)
(if_statement condition: (_) @is.one)
(selector_expression operand: (_) @is.member field: (_) @member)
(index_expression operand: (_) @is.one)
(argument_list (_) @is.one . (_))
(argument_list (_) . (_) @is.one)
(expression_list (_) @is.one . (_))
(expression_list (_) . (_) @is.one)
(literal_element (_) @is.one)
(range_clause right: (_) @is.one)
(expression_switch_statement value: (_) @is.one)
(send_statement value: (_) @is.one)
