; only: java
(method_declaration type: (_) @result name: (identifier) @name) @of
(lambda_expression) @of
(return_statement (_) @gives)
(method_invocation name: (identifier) @callee) @call
(local_variable_declaration type: (_) @type declarator: (variable_declarator value: (_) @is.typed))
(field_declaration type: (_) @type declarator: (variable_declarator value: (_) @is.typed))
(if_statement condition: (parenthesized_expression [(_) @is.tested (binary_expression ["&&" "||"] right: (_) @is.tested)]))
(while_statement condition: (parenthesized_expression (_) @is.tested))
(unary_expression "!" operand: (_) @is.tested)
(binary_expression left: (_) @is.tested ["&&" "||"])
(ternary_expression condition: (_) @is.tested)
(method_invocation object: (_) @is.member name: (identifier) @member)
(field_access object: (_) @is.member field: (identifier) @member)
(local_variable_declaration type: (_) @var.type declarator: (variable_declarator name: (identifier) @var value: (_) @is.bound) (#eq? @var.type "var"))
(binary_expression left: (_) @is.compared ["==" "!="] right: [(string_literal) (decimal_integer_literal)] @literal)
(enhanced_for_statement value: (_) @is.iterated)
; only: kotlin
(function_declaration name: (identifier) @name (function_value_parameters) . [(user_type) (nullable_type)] @result) @of
(lambda_literal) @of
(anonymous_function) @of
(return_expression (_) @gives)
(function_declaration (function_body . (_) @gives .))
(call_expression . [(identifier) @callee (navigation_expression (identifier) @callee .)] . (value_arguments)) @call
(property_declaration (variable_declaration (identifier) [(user_type) (nullable_type)] @type) (_) @is.typed .)
(if_expression condition: (_) @is.tested)
(while_statement condition: (_) @is.tested)
(unary_expression "!" argument: (_) @is.tested)
(navigation_expression . (_) @is.member . "." (identifier) @member)
