(interface_declaration name: (_) @owner body: (declaration_list (method_declaration name: (_) @asks.heir)))
(class_declaration name: (_) @owner body: (declaration_list (method_declaration (abstract_modifier) name: (_) @asks.heir)))
(class_declaration name: (_) @name [(base_clause (_) @of) (class_interface_clause (_) @of)]) @whole.heir
(enum_declaration name: (_) @name (class_interface_clause (_) @of)) @whole.heir
(interface_declaration name: (_) @name (base_clause (_) @of)) @whole.heir @rest
(class_declaration (abstract_modifier) @rest) @whole.heir
