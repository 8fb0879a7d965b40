(function_item (function_modifiers "async" @async)? name: (identifier) @name return_type: (_)? @result) @of
(function_signature_item (function_modifiers "async" @async)? name: (identifier) @name return_type: (_)? @result) @of
(closure_expression) @of
(async_block) @of
(return_expression (_) @gives)
(function_item body: (block (_) @gives .))
(call_expression function: [(identifier) @callee (scoped_identifier name: (identifier) @callee) (field_expression field: (field_identifier) @callee)]) @call
(if_expression condition: (_) @is.tested)
(while_expression condition: (_) @is.tested)
(unary_expression "!" (_) @is.tested)
(binary_expression left: (_) @is.tested ["&&" "||"])
(binary_expression ["&&" "||"] right: (_) @is.tested)
(call_expression function: (field_expression value: (_) @is.member field: (field_identifier) @member))
(try_expression (_) @is.tried)
(await_expression (_) @is.awaited) @value
(let_declaration pattern: (identifier) type: (_) @type value: (_) @is.typed)
(let_declaration pattern: (identifier) @var value: (_) @is.bound)
(binary_expression left: (_) @is.compared ["==" "!="] right: [(string_literal) (integer_literal)] @literal)
