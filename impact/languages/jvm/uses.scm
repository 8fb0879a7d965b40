; only: java
(method_invocation object: (identifier) @receiver name: (identifier) @name arguments: (_) @args) @use.call
(field_access object: (identifier) @receiver field: (identifier) @name) @use.member
(method_reference . (identifier) @receiver (identifier) @name .) @use.member
(object_creation_expression type: (type_identifier) @name arguments: (_) @args) @use.call
(object_creation_expression type: (generic_type (type_identifier) @name) arguments: (_) @args) @use.call
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
