; only: java
(interface_declaration name: (_) @owner body: (interface_body (method_declaration name: (_) @asks.heir !body)))
(class_declaration name: (_) @owner body: (class_body (method_declaration (modifiers "abstract") name: (_) @asks.heir !body)))
(enum_declaration name: (_) @owner body: (enum_body (enum_constant name: (_) @asks.choose)))
(class_declaration name: (_) @name [(superclass [(type_identifier) @of (scoped_type_identifier) @of (generic_type . (_) @of)])
  (super_interfaces (type_list [(type_identifier) @of (scoped_type_identifier) @of (generic_type . (_) @of)]))]) @whole.heir
(record_declaration name: (_) @name (super_interfaces (type_list [(type_identifier) @of (scoped_type_identifier) @of (generic_type . (_) @of)]))) @whole.heir
(class_declaration (modifiers "abstract" @rest)) @whole.heir
(object_creation_expression type: [(type_identifier) @of (scoped_type_identifier) @of (generic_type . (_) @of)] (class_body)) @whole.heir
(object_creation_expression (class_body (method_declaration name: (_) @part))) @whole.heir
(interface_declaration name: (_) @name (extends_interfaces (type_list [(type_identifier) @of (scoped_type_identifier) @of (generic_type . (_) @of)]))) @whole.heir @rest
; a switch that gives a value has to know each of them
(switch_expression body: (switch_block (switch_rule (switch_label (identifier) @part)))) @whole.choose
(switch_expression body: (switch_block (switch_rule) @arm)) @whole.choose
(expression_statement (switch_expression) @whole.choose @rest)
; only: kotlin
(class_declaration "interface" name: (_) @owner (class_body [(function_declaration name: (_) @asks.heir) (property_declaration (variable_declaration (identifier) @asks.heir))]))
(class_declaration name: (_) @owner (class_body [
  (function_declaration (modifiers (inheritance_modifier) @word) name: (_) @asks.heir)
  (property_declaration (modifiers (inheritance_modifier) @word) (variable_declaration (identifier) @asks.heir))]) (#eq? @word "abstract"))
[(function_declaration name: (_) @provided (function_body)) (property_declaration (variable_declaration (identifier) @provided) [(getter) (property_delegate)])]
(class_declaration (modifiers (class_modifier) @word) name: (_) @owner (enum_class_body (enum_entry (identifier) @asks.choose)) (#eq? @word "enum"))
(class_declaration name: (_) @name (delegation_specifiers (delegation_specifier
  [(user_type . (identifier) @of) (constructor_invocation (user_type . (identifier) @of)) (explicit_delegation) @rest]))) @whole.heir
(object_declaration name: (_) @name (delegation_specifiers (delegation_specifier
  [(user_type . (identifier) @of) (constructor_invocation (user_type . (identifier) @of)) (explicit_delegation) @rest]))) @whole.heir
(object_literal (delegation_specifiers (delegation_specifier
  [(user_type . (identifier) @of) (constructor_invocation (user_type . (identifier) @of)) (explicit_delegation) @rest]))) @whole.heir
(object_literal (class_body [(function_declaration name: (_) @part) (property_declaration (variable_declaration (identifier) @part))])) @whole.heir
(class_declaration "interface" @rest) @whole.heir
((class_declaration (modifiers [(inheritance_modifier) (class_modifier) (platform_modifier)] @rest)) @whole.heir (#any-of? @rest "abstract" "sealed" "expect"))
(when_expression (when_entry condition: (navigation_expression . (identifier) @of . (identifier) @part .))) @whole.choose
(when_expression (when_entry) @arm) @whole.choose
; only: scala
(trait_definition name: (_) @owner body: (template_body [(function_declaration name: (_) @asks.heir) (val_declaration name: (_) @asks.heir)]))
(class_definition name: (_) @owner body: (template_body [(function_declaration name: (_) @asks.heir) (val_declaration name: (_) @asks.heir)]))
(class_definition name: (_) @name extend: (extends_clause [(type_identifier) @of (generic_type . (type_identifier) @of)])) @whole.heir
(object_definition name: (_) @name extend: (extends_clause [(type_identifier) @of (generic_type . (type_identifier) @of)])) @whole.heir
(trait_definition name: (_) @name extend: (extends_clause [(type_identifier) @of (generic_type . (type_identifier) @of)])) @whole.heir @rest
((class_definition (modifiers) @rest) @whole.heir (#match? @rest "\\babstract\\b"))
(instance_expression . [(type_identifier) @of (generic_type . (type_identifier) @of)] (template_body)) @whole.heir
(instance_expression (template_body [(function_definition name: (_) @part) (val_definition pattern: (identifier) @part) (var_definition pattern: (identifier) @part)])) @whole.heir
