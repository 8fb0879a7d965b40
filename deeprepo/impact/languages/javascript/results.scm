; only: typescript tsx
(function_declaration "async"? @async name: (identifier) @name return_type: (type_annotation (_) @result)?) @of
(method_definition "async"? @async name: (property_identifier) @name return_type: (type_annotation (_) @result)?) @of
(variable_declarator name: (identifier) @name value: (arrow_function "async"? @async return_type: (type_annotation (_) @result)?) @of)
(variable_declarator name: (identifier) type: (_ (_) @type) value: (_) @is.typed)
; only: javascript
(function_declaration "async"? @async name: (identifier) @name) @of
(method_definition "async"? @async name: (property_identifier) @name) @of
(variable_declarator name: (identifier) @name value: (arrow_function "async"? @async) @of)
; all
(generator_function_declaration name: (identifier) @name @opaque) @of
(method_definition "*" @opaque name: (property_identifier) @name) @of
(arrow_function) @of
(function_expression) @of
(return_statement (_) @gives)
(_ . function: [(identifier) @callee (_ property: (property_identifier) @callee)]) @call
(if_statement condition: (parenthesized_expression [(_) @is.tested (_ ["&&" "||"] right: (_) @is.tested)]))
(while_statement condition: (parenthesized_expression (_) @is.tested))
(_ . "!" argument: (_) @is.tested)
(_ condition: (_) @is.tested "?")
(_ left: (_) @is.tested operator: "&&")
(member_expression object: (_) @is.member property: (property_identifier) @member)
(await_expression (_) @is.awaited) @value
(variable_declarator name: (identifier) @var value: (_) @is.bound)
(assignment_expression left: (identifier) @var right: (_) @is.bound)
(variable_declarator name: (array_pattern) @left value: (_) @is.iterated)
(_ left: (_) operator: "of" right: (_) @is.iterated)
(spread_element (_) @is.iterated)
(_ left: (_) @is.compared operator: ["===" "!==" "==" "!="] right: [(string) (number)] @literal)
