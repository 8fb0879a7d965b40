; a requirement of a protocol; what an extension gives, wherever it stands, is told from its definitions
(protocol_declaration name: (_) @owner body: (protocol_body [
  (protocol_function_declaration "func" . (simple_identifier) @asks.heir)
  (protocol_property_declaration name: (_ bound_identifier: (_) @asks.heir))]))
(protocol_function_declaration (modifiers (member_modifier) @word) "func" . (simple_identifier) @provided (#eq? @word "optional"))
(protocol_function_declaration (modifiers (attribute)) "func" . (simple_identifier) @provided)
(class_declaration name: [(type_identifier) @name (_ . (type_identifier) @name .)] (inheritance_specifier inherits_from: (_ . (type_identifier) @of .))) @whole.heir
(protocol_declaration name: (_) @name (inheritance_specifier inherits_from: (_ . (type_identifier) @of .))) @whole.heir @rest
; what the initializer takes that a struct has without writing one
(class_declaration "struct" name: (type_identifier) @owner body: (_ (_ name: (_ bound_identifier: (_) @asks.build) !computed_value)))
(class_body (_ name: (_ bound_identifier: (_) @provided) value: (_)))
(class_body (_ (modifiers [(attribute) (property_modifier) (property_behavior_modifier)]) name: (_ bound_identifier: (_) @provided)))
(class_body (_ (_ "var") name: (_ bound_identifier: (_) @provided) (_ (optional_type))))
(call_expression . (simple_identifier) @of (call_suffix (value_arguments "(")) (#match? @of "^[A-Z]")) @whole.build
(call_expression (call_suffix (value_arguments (value_argument name: (value_argument_label (simple_identifier) @part))))) @whole.build
(call_expression (call_suffix (value_arguments (value_argument !name) @rest))) @whole.build
(call_expression (call_suffix (lambda_literal) @rest)) @whole.build
(call_expression . (call_expression) @whole.build . (call_suffix (lambda_literal)) @rest)
; a switch has to name each case
(class_declaration "enum" name: (type_identifier) @owner body: (enum_class_body (enum_entry name: (simple_identifier) @asks.choose)))
(switch_statement (switch_entry) @arm) @whole.choose
(switch_statement (switch_entry (switch_pattern (pattern "." . (simple_identifier) @part)))) @whole.choose
(switch_statement (switch_entry (where_keyword) @rest)) @whole.choose
; when: #if
; what is there under a condition is asked of nobody: the first behind it, as no node is around more of them
(_ (directive) . [
  (property_declaration name: (_ bound_identifier: (_) @provided))
  (protocol_function_declaration "func" . (simple_identifier) @provided)
  (protocol_property_declaration name: (_ bound_identifier: (_) @provided))
  (enum_entry name: (_) @provided)])
(_ (directive) . (_) . [
  (property_declaration name: (_ bound_identifier: (_) @provided))
  (protocol_function_declaration "func" . (simple_identifier) @provided)
  (protocol_property_declaration name: (_ bound_identifier: (_) @provided))
  (enum_entry name: (_) @provided)])
