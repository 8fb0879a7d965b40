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
(call_expression . (identifier) @name (value_arguments) @args .) @use.call
(call_expression (call_expression . (identifier) @store (value_arguments)) (annotated_lambda))
(function_declaration name: (identifier) @bound)
(navigation_expression . (identifier) @receiver (identifier) @name .) @use.member
(variable_declaration (identifier) @bound)
(parameter (identifier) @bound)
(class_parameter (identifier) @bound)
(class_declaration name: (identifier) @bound)
(object_declaration name: (identifier) @bound)
(type_parameter (identifier) @bound)
