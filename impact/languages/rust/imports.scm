(use_declaration argument: (scoped_identifier) @spec) @import @hands_on
(use_declaration argument: (use_as_clause path: (scoped_identifier) @spec alias: (identifier) @here)) @import @hands_on
(use_declaration argument: (scoped_use_list path: (_) @spec list: (use_list (identifier) @there))) @import @hands_on
(use_declaration argument: (scoped_use_list path: (_) @spec list: (use_list (use_as_clause path: (identifier) @there alias: (identifier) @here)))) @import @hands_on
(use_declaration argument: (scoped_use_list path: (_) @spec list: (use_list (self) @nothing))) @import
(use_declaration argument: (use_wildcard (_) @spec) @star) @import
(use_declaration (visibility_modifier) argument: (use_wildcard (_) @spec) @star) @import @hands_on
(use_wildcard) @stars
(mod_item body: (declaration_list (use_declaration argument: (use_wildcard (super)) @stars.own)))
