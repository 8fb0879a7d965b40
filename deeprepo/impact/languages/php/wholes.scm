(interface_declaration name: (_) @owner body: (declaration_list (method_declaration name: (_) @asks.heir)))
(class_declaration name: (_) @owner body: (declaration_list (method_declaration (abstract_modifier) name: (_) @asks.heir)))
(class_declaration name: (_) @name [(base_clause (_) @of) (class_interface_clause (_) @of)]) @whole.heir
(enum_declaration name: (_) @name (class_interface_clause (_) @of)) @whole.heir
(anonymous_class [(base_clause (_) @of) (class_interface_clause (_) @of)]) @whole.heir
(anonymous_class (declaration_list (method_declaration name: (_) @part))) @whole.heir
(anonymous_class (declaration_list (use_declaration) @rest)) @whole.heir
(interface_declaration name: (_) @name (base_clause (_) @of)) @whole.heir @rest
(class_declaration (abstract_modifier) @rest) @whole.heir
; a match without a default
(enum_declaration name: (_) @owner body: (enum_declaration_list (enum_case name: (_) @asks.choose)))
(match_expression body: (match_block (match_conditional_expression) @arm)) @whole.choose
(match_expression body: (match_block (match_conditional_expression conditional_expressions: (match_condition_list
  (class_constant_access_expression . (_) @of . (name) @part .))))) @whole.choose
(match_expression body: (match_block (match_default_expression) @rest)) @whole.choose
