; only: java
(package_declaration) @silent
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
; all
; only: kotlin
(package_header) @silent
(return_expression label: (identifier) @silent)
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
; all
; only: scala
(package_identifier) @silent
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
