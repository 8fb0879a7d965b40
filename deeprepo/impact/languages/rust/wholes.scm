; what is there under a condition is asked of nobody
(trait_item body: (declaration_list (function_signature_item name: (_) @asks.heir)))
(struct_item name: (_) @owner body: (field_declaration_list (field_declaration name: (_) @asks.build)))
((attribute_item (attribute [(identifier) (scoped_identifier)] @unlisted.by)) @first.struct)
(struct_item name: (_) @owner) @then.struct
(enum_item name: (_) @owner body: (enum_variant_list (enum_variant name: (_) @asks.choose)))
(enum_item name: (_) @within body: (enum_variant_list (enum_variant name: (_) @owner body: (field_declaration_list (field_declaration name: (_) @asks.build)))))
((attribute_item) @first.part (#match? @first.part "cfg"))
([(function_signature_item name: (_) @provided) (field_declaration name: (_) @provided) (enum_variant name: (_) @provided)] @then.part)
(impl_item trait: [(type_identifier) @of (scoped_type_identifier) @of (generic_type type: (_) @of)]
  type: [(type_identifier) @name (generic_type type: (type_identifier) @name)] body: (_) @all) @whole.heir
(impl_item trait: (_) body: (declaration_list (function_item name: (_) @part))) @whole.heir
(impl_item trait: (_) body: (declaration_list [(macro_invocation) (attribute_item)] @rest)) @whole.heir
((attribute_item) @rest . (impl_item) @whole.heir (#match? @rest "^#\\[\\s*(\\w+::)*(?!doc|allow|cfg|automatically_derived)\\w+\\s*(\\(|\\])"))
(struct_expression name: [(type_identifier) (scoped_type_identifier)] @of) @whole.build
(struct_expression body: (field_initializer_list [(field_initializer field: (_) @part) (shorthand_field_initializer (identifier) @part) (base_field_initializer) @rest])) @whole.build
(struct_pattern type: [(type_identifier) (scoped_type_identifier)] @of) @whole.build
(struct_pattern [(field_pattern name: (_) @part) (remaining_field_pattern) @rest]) @whole.build
(match_expression body: (match_block (match_arm) @arm)) @whole.choose
(match_expression body: (match_block (match_arm pattern: (match_pattern . [
  (scoped_identifier path: (_) @of name: (_) @part)
  (struct_pattern type: (scoped_type_identifier path: (_) @of name: (_) @part))
  (tuple_struct_pattern type: (scoped_identifier path: (_) @of name: (_) @part))
  (or_pattern (scoped_identifier path: (_) @of name: (_) @part))
  (or_pattern (or_pattern (scoped_identifier path: (_) @of name: (_) @part)))] .)))) @whole.choose
(match_expression body: (match_block (match_arm pattern: (match_pattern (or_pattern (or_pattern (or_pattern) @rest)))))) @whole.choose
