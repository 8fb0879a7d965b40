; only: java
(package_declaration) @silent
(method_invocation object: (_) @receiver name: (identifier) @name arguments: (_) @args) @use.call
(method_invocation !object name: (identifier) @sought arguments: (_) @args)
(field_access object: (_) @receiver field: (identifier) @name) @use.member
(method_reference . (_) @receiver (identifier) @name .) @use.member
; `Cart::new` says nothing of what it is given
(method_reference . (identifier) @sought "new" @args)
(method_reference . (field_access object: (_) @receiver field: (identifier) @sought) "new" @args)
(object_creation_expression type: (type_identifier) @name arguments: (_) @args) @use.call
(object_creation_expression type: (generic_type (type_identifier) @name) arguments: (_) @args) @use.call
(scoped_type_identifier . (_) @receiver (type_identifier) @sought .)
(object_creation_expression type: (scoped_type_identifier (_) @receiver (type_identifier) @sought .) arguments: (_) @args)
(object_creation_expression type: (generic_type (scoped_type_identifier (_) @receiver (type_identifier) @sought .)) arguments: (_) @args)
(marker_annotation name: (scoped_identifier scope: (_) @receiver name: (_) @sought))
(annotation name: (scoped_identifier scope: (_) @receiver name: (_) @sought))
(element_value_pair key: (identifier) @key)
(explicit_constructor_invocation constructor: (this) arguments: (_) @args) @constructs.own
(class_declaration superclass: (_)
  body: (class_body (constructor_declaration body: (_ (explicit_constructor_invocation constructor: (super) arguments: (_) @args) @constructs.base))))
; nobody has to write `super()`; annotations with such names make a constructor that calls what it likes
(class_declaration superclass: (_) body: (class_body (constructor_declaration name: (_) @place) @constructs.default))
((class_declaration . [(modifiers) @words name: (_)] superclass: (superclass [
  (type_identifier) @place
  (generic_type (type_identifier) @place)
  (scoped_type_identifier (type_identifier) @place .)
  (generic_type (scoped_type_identifier (type_identifier) @place .))])) @constructs.default
  (#not-match? @words "@\\w*(Builder|Constructor)\\b"))
(enum_constant !arguments) @constructs.own
(enum_constant arguments: (_) @args) @constructs.own
(variable_declarator name: (identifier) @bound)
(formal_parameter name: (identifier) @bound)
(catch_formal_parameter name: (identifier) @bound)
(enhanced_for_statement name: (identifier) @bound)
(resource name: (identifier) @bound)
(instanceof_expression name: (identifier) @bound)
(inferred_parameters (identifier) @bound)
(lambda_expression parameters: (identifier) @bound)
(type_parameter (type_identifier) @bound)
(class_declaration name: (identifier) @bound)
(interface_declaration name: (identifier) @bound)
(enum_declaration name: (identifier) @bound)
(record_declaration name: (identifier) @bound)
(record_pattern_component (identifier) @bound .)
(type_pattern (identifier) @bound .)
(compact_constructor_declaration name: (identifier) @bound)
; only: kotlin
(package_header) @silent
(call_expression . (identifier) @name (value_arguments) @args .) @use.call
(call_expression . (identifier) @sought (annotated_lambda) @args)
(call_expression . (navigation_expression (_) @receiver . [(identifier) @sought] .) (value_arguments) @args .)
(call_expression . (navigation_expression (_) @receiver . (identifier) @sought .) (annotated_lambda) @args)
; which parameter a block behind the arguments is for depends on defaults
(call_expression . (call_expression . (identifier) @more @unread (value_arguments)) (annotated_lambda))
(call_expression . (call_expression . (navigation_expression (identifier) @more .) (value_arguments)) (annotated_lambda))
(navigation_expression . (_) @receiver (identifier) @name .) @use.member
(infix_expression . (_) @receiver . (identifier) @sought . (_)) @args
(constructor_invocation (user_type . (identifier) @sought . (type_arguments)? .) (value_arguments) @args)
(constructor_invocation (user_type (identifier) @receiver . (identifier) @sought . (type_arguments)? .) (value_arguments) @args)
(annotation (user_type (identifier) @sought .)) @args
(user_type (identifier) @receiver . (identifier) @sought)
; `::Cart` makes one of whatever it is given
((callable_reference (identifier) @sought) @args (#match? @sought "^[A-Z]"))
(value_argument . (identifier) @key . "=")
(constructor_delegation_call "this" (value_arguments) @args) @constructs.own
(constructor_delegation_call "super" (value_arguments) @args) @constructs.base
(class_declaration [name: (_) (type_parameters)] . (delegation_specifiers)
  (class_body (secondary_constructor (function_value_parameters) @place) @constructs.default))
(enum_entry (value_arguments) @args) @constructs.own
(enum_entry . (modifiers)? . (identifier) .) @constructs.own
(enum_entry . (modifiers)? . (identifier) . (class_body)) @constructs.own
(function_declaration name: (identifier) @bound)
(variable_declaration (identifier) @bound)
(parameter (identifier) @bound)
(class_parameter (identifier) @bound . ":")
(catch_block . (identifier) @bound)
(class_declaration name: (identifier) @bound)
(object_declaration name: (identifier) @bound)
(type_parameter (identifier) @bound)
; only: scala
(package_identifier) @silent
(call_expression function: (identifier) @sought arguments: (_) @args)
(call_expression function: (generic_function function: (identifier) @sought) arguments: (_) @args)
(call_expression function: (field_expression value: (_) @receiver field: (_) @sought) arguments: (_) @args)
(call_expression function: (generic_function function: (field_expression value: (_) @receiver field: (_) @sought)) arguments: (_) @args)
; what is given by hand for a list that the scope gives
(call_expression function: [(identifier) @more (field_expression field: (_) @more)] arguments: (_) @args (#match? @args "^\\(\\s*using\\b"))
(field_expression value: (_) @receiver field: (_) @sought)
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
(function_definition name: (_) @this body: [(call_expression function: (identifier) @own arguments: (_) @args) @constructs.own
  (block . (call_expression function: (identifier) @own arguments: (_) @args) @constructs.own)] (#eq? @this "this") (#eq? @own "this"))
(class_parameter name: (identifier) @bound)
(parameter name: (identifier) @bound)
(binding name: (identifier) @bound)
; a value may be called like a type for which it stands
(type_parameters name: (identifier) @silent)
(covariant_type_parameter name: (identifier) @silent)
(contravariant_type_parameter name: (identifier) @silent)
(self_type . (identifier) @bound)
(lambda_expression parameters: (identifier) @bound)
(colon_argument lambda_start: (identifier) @bound)
(enumerator . (identifier) @bound)
(capture_pattern name: (identifier) @bound)
; a name in capitals asks for a value that is there
((case_clause pattern: (identifier) @bound) (#not-match? @bound "^[A-Z]"))
((typed_pattern pattern: (identifier) @bound) (#not-match? @bound "^[A-Z]"))
((tuple_pattern (identifier) @bound) (#not-match? @bound "^[A-Z]"))
((alternative_pattern (identifier) @bound) (#not-match? @bound "^[A-Z]"))
((case_class_pattern (identifier) @bound) (#not-match? @bound "^[A-Z]"))
((named_pattern (identifier) @bound .) (#not-match? @bound "^[A-Z]"))
((infix_pattern [left: (identifier) @bound right: (identifier) @bound]) (#not-match? @bound "^[A-Z]"))
