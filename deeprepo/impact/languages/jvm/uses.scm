; only: java
(method_invocation object: (_) @receiver name: (identifier) @name arguments: (_) @args)
(method_invocation !object name: (identifier) @sought arguments: (_) @args)
(field_access object: (_) @receiver field: (identifier) @name)
(method_reference . (_) @receiver (identifier) @name .)
; `Cart::new` says nothing of what it is given
(method_reference . (identifier) @sought "new" @args)
(method_reference . (field_access object: (_) @receiver field: (identifier) @sought) "new" @args)
(object_creation_expression type: (type_identifier) @name arguments: (_) @args)
(object_creation_expression type: (generic_type (type_identifier) @name) arguments: (_) @args)
(scoped_type_identifier . (_) @receiver (type_identifier) @sought .)
(object_creation_expression type: (scoped_type_identifier (_) @receiver (type_identifier) @sought .) arguments: (_) @args)
(object_creation_expression type: (generic_type (scoped_type_identifier (_) @receiver (type_identifier) @sought .)) arguments: (_) @args)
(marker_annotation name: (scoped_identifier scope: (_) @receiver name: (_) @sought))
(annotation name: (scoped_identifier scope: (_) @receiver name: (_) @sought))
(element_value_pair key: (identifier) @key)
; a constant that a switch names is one of what it asks for
(switch_expression condition: (parenthesized_expression [(identifier) (method_invocation) (field_access)] @receiver) body: (switch_block (_ (switch_label (identifier) @name))))
; all
; only: kotlin
(call_expression . (identifier) @name (value_arguments) @args .)
(call_expression . (identifier) @sought (annotated_lambda) @args)
(call_expression . (navigation_expression (_) @receiver . [(identifier) @sought] .) (value_arguments) @args .)
(call_expression . (navigation_expression (_) @receiver . (identifier) @sought .) (annotated_lambda) @args)
; which parameter a block behind the arguments is for depends on defaults
(call_expression . (call_expression . (identifier) @more @unread (value_arguments)) (annotated_lambda))
(call_expression . (call_expression . (navigation_expression (identifier) @more .) (value_arguments)) (annotated_lambda))
(navigation_expression . (_) @receiver (identifier) @name .)
(infix_expression . (_) @receiver . (identifier) @sought . (_)) @args
(constructor_invocation (user_type . (identifier) @sought . (type_arguments)? .) (value_arguments) @args)
(constructor_invocation (user_type (identifier) @receiver . (identifier) @sought . (type_arguments)? .) (value_arguments) @args)
(annotation (user_type (identifier) @sought .)) @args
(user_type (identifier) @receiver . (identifier) @sought)
; `::Cart` makes one of whatever it is given
((callable_reference (identifier) @sought) @args (#match? @sought "^[A-Z]"))
(value_argument . (identifier) @key . "=")
; all
; only: scala
(_ . function: (identifier) @sought arguments: (_) @args)
(_ . function: (_ function: (identifier) @sought type_arguments: (_)) arguments: (_) @args)
(_ . function: (_ value: (_) @receiver field: (_) @sought) arguments: (_) @args)
(_ . function: (_ function: (_ value: (_) @receiver field: (_) @sought) type_arguments: (_)) arguments: (_) @args)
; what is given by hand for a list that the scope gives
(_ . function: [(identifier) @more (_ field: (_) @more)] arguments: (_) @args (#match? @args "^\\(\\s*using\\b"))
(_ . value: (_) @receiver field: (_) @sought)
; `x +: rows` calls `rows`, and a tuple may be one argument or several
(infix_expression left: (_) @receiver operator: (_) @sought (#not-match? @sought ":$")) @args
(infix_expression operator: (_) @sought right: (_) @receiver (#match? @sought ":$")) @args
(infix_expression operator: (_) @more right: [(unit) (tuple_expression)])
(postfix_expression . (_) @receiver (identifier) @sought)
(stable_identifier (_) @receiver . (identifier) @sought .)
(stable_type_identifier (_) @receiver . (type_identifier) @sought .)
(instance_expression . [(type_identifier) @sought (generic_type type: (type_identifier) @sought)] . (arguments) @args)
(instance_expression . [(type_identifier) @sought (generic_type type: (type_identifier) @sought)] . (template_body)) @args
(instance_expression . [(type_identifier) @sought (generic_type type: (type_identifier) @sought)] .) @args
(instance_expression . [(stable_type_identifier (_) @receiver . (type_identifier) @sought .) (generic_type type: (stable_type_identifier (_) @receiver . (type_identifier) @sought .))] . (arguments) @args)
(instance_expression . [(stable_type_identifier (_) @receiver . (type_identifier) @sought .) (generic_type type: (stable_type_identifier (_) @receiver . (type_identifier) @sought .))] .) @args
(extends_clause [(type_identifier) @sought (generic_type type: (type_identifier) @sought)] . (arguments) @args)
(extends_clause [(stable_type_identifier (_) @receiver . (type_identifier) @sought .) (generic_type type: (stable_type_identifier (_) @receiver . (type_identifier) @sought .))] . (arguments) @args)
(arguments (assignment_expression left: (identifier) @key))
