; only: java
(object_creation_expression type: (_) @type arguments: (_) .) @made
(cast_expression type: (_) @type) @made
(formal_parameter
  type: [(type_identifier) (generic_type) (scoped_type_identifier) (integral_type) (floating_point_type) (boolean_type)] @type
  name: (identifier) @var)
(record_declaration parameters: (formal_parameters (formal_parameter
  type: [(type_identifier) (generic_type) (scoped_type_identifier) (integral_type) (floating_point_type) (boolean_type)] @type
  name: (identifier) @field)))
(field_declaration
  type: [(type_identifier) (generic_type) (scoped_type_identifier) (integral_type) (floating_point_type) (boolean_type)] @type
  declarator: (variable_declarator name: (identifier) @var @field !dimensions))
(local_variable_declaration
  type: [(type_identifier) (generic_type) (scoped_type_identifier) (integral_type) (floating_point_type) (boolean_type)] @type
  declarator: (variable_declarator name: (identifier) @var !dimensions)
  (#not-eq? @type "var"))
(local_variable_declaration
  type: (type_identifier) @inferred
  declarator: (variable_declarator name: (identifier) @var value: (_) @is)
  (#eq? @inferred "var"))
(enhanced_for_statement
  type: [(type_identifier) (generic_type) (scoped_type_identifier) (integral_type) (floating_point_type) (boolean_type)] @type
  name: (identifier) @var
  (#not-eq? @type "var"))
(resource
  type: [(type_identifier) (generic_type) (scoped_type_identifier) (integral_type) (floating_point_type) (boolean_type)] @type
  name: (identifier) @var
  (#not-eq? @type "var"))
(catch_formal_parameter (catch_type . (_) @type .) name: (identifier) @var)
(instanceof_expression right: (_) @type name: (identifier) @var)
(type_pattern (_) @type (identifier) @var)
(record_pattern_component (_) @type (identifier) @var (#not-eq? @type "var"))
; only: kotlin
((call_expression . (identifier) @type (value_arguments)) @made (#match? @type "^[A-Z]"))
(as_expression right: [(user_type) @type (nullable_type (user_type) @type)]) @made
; in a block `this` may be anything, in an extension it is what is extended
(lambda_literal) @this
(function_declaration [(user_type) @type (nullable_type (user_type) @type)] . "." . name: (identifier)) @this
(parameter (identifier) @var [(user_type) @type (nullable_type (user_type) @type)])
(class_parameter (identifier) @var @field . ":" [(user_type) @type (nullable_type (user_type) @type)])
(variable_declaration (identifier) @var [(user_type) @type (nullable_type (user_type) @type)])
(property_declaration (variable_declaration (identifier) @field [(user_type) @type (nullable_type (user_type) @type)]))
(property_declaration (variable_declaration . (identifier) @var @field .) . "=" . (_) @is)
(catch_block . (identifier) @var (user_type) @type)
; only: scala
(instance_expression . [(type_identifier) @type (generic_type type: (type_identifier) @type) (stable_type_identifier) @type] . (arguments)? .) @made
((call_expression function: (identifier) @type) @made (#match? @type "^[A-Z]"))
(parameter name: (identifier) @var type: [(type_identifier) (generic_type) (stable_type_identifier)] @type)
(binding name: (identifier) @var type: [(type_identifier) (generic_type) (stable_type_identifier)] @type)
(class_parameter name: (identifier) @var @field type: [(type_identifier) (generic_type) (stable_type_identifier)] @type)
(val_definition pattern: (identifier) @var @field type: [(type_identifier) (generic_type) (stable_type_identifier)] @type)
(var_definition pattern: (identifier) @var @field type: [(type_identifier) (generic_type) (stable_type_identifier)] @type)
(val_declaration name: (identifier) @var @field type: [(type_identifier) (generic_type) (stable_type_identifier)] @type)
(var_declaration name: (identifier) @var @field type: [(type_identifier) (generic_type) (stable_type_identifier)] @type)
(val_definition !type pattern: (identifier) @var @field value: (_) @is)
(var_definition !type pattern: (identifier) @var @field value: (_) @is)
(typed_pattern pattern: (identifier) @var type: [(type_identifier) (generic_type) (stable_type_identifier)] @type)
