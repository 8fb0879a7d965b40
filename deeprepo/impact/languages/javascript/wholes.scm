; only: typescript tsx
(interface_declaration name: (_) @owner body: (interface_body [(method_signature name: (property_identifier) @asks.heir) (property_signature name: (property_identifier) @asks.heir)]))
(interface_declaration name: (_) @owner body: (interface_body [(method_signature name: (property_identifier) @asks.build) (property_signature name: (property_identifier) @asks.build)]))
(type_alias_declaration name: (_) @owner value: (object_type [(method_signature name: (property_identifier) @asks.build) (property_signature name: (property_identifier) @asks.build)]))
(abstract_class_declaration name: (_) @owner body: (_ (_ "abstract" name: (property_identifier) @asks.heir)))
[(method_signature name: (_) @provided "?") (property_signature name: (_) @provided "?") (abstract_method_signature name: (_) @provided "?") (public_field_definition name: (_) @provided "?")]
(interface_body (property_signature name: (_) @provided type: (type_annotation (_) @type)) (#match? @type "\\b(undefined|any|unknown|never|void)\\b"))
(class_declaration name: (_) @name (class_heritage [
  (implements_clause [(type_identifier) @of (generic_type name: (type_identifier) @of)]) (extends_clause value: (identifier) @of)])) @whole.heir
(abstract_class_declaration name: (_) @name (class_heritage [
  (implements_clause [(type_identifier) @of (generic_type name: (type_identifier) @of)]) (extends_clause value: (identifier) @of)])) @whole.heir @rest
(interface_declaration name: (_) @name (extends_type_clause type: [(type_identifier) @of (generic_type name: (type_identifier) @of)])) @whole.heir @rest
(variable_declarator type: (type_annotation [(type_identifier) @of (generic_type name: (type_identifier) @of)]) value: (object) @whole.build)
(variable_declarator type: (_ [(type_identifier) (generic_type)]) value: (_ "{" [
  (pair key: [(property_identifier) (string)] @part) (shorthand_property_identifier) @part (_ name: (property_identifier) @part)
  (spread_element) @rest (pair key: (computed_property_name) @rest)]) @whole.build)
(interface_declaration name: (_) @owner body: (interface_body [(index_signature) (property_signature name: (computed_property_name))] @unlisted))
(type_alias_declaration name: (_) @owner value: (object_type [(index_signature) (property_signature name: (computed_property_name))] @unlisted))
(enum_declaration name: (_) @owner body: (enum_body [(property_identifier) @asks.choose (enum_assignment name: (property_identifier) @asks.choose)]))
(union_type (literal_type (_ (string_fragment) @asks.choose)))
; when: Record<
; only: typescript tsx
; has a key for each member of an enumeration, or of a union of texts
(variable_declarator type: (_ (_ name: (type_identifier) @word type_arguments: (_ . (type_identifier) @of))) value: (object) @whole.choose (#eq? @word "Record"))
(satisfies_expression . (object) @whole.choose (_ name: (type_identifier) @word type_arguments: (_ . (type_identifier) @of)) (#eq? @word "Record"))
(variable_declarator type: (type_annotation (generic_type name: (type_identifier) @word)) value: (object [(pair key: [(computed_property_name (_ property: (_) @part)) (property_identifier) @part (_ (string_fragment) @part)])
  (pair key: (computed_property_name [(identifier) (call_expression) (template_string) (subscript_expression)]) @rest) [(spread_element) (shorthand_property_identifier) (method_definition)] @rest]) @whole.choose (#eq? @word "Record"))
(satisfies_expression . (object [(pair key: [(computed_property_name (_ property: (_) @part)) (property_identifier) @part (_ (string_fragment) @part)])
  (pair key: (computed_property_name [(identifier) (call_expression) (template_string) (subscript_expression)]) @rest) [(spread_element) (shorthand_property_identifier) (method_definition)] @rest]) @whole.choose (generic_type name: (type_identifier) @word) (#eq? @word "Record"))
