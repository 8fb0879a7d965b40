(use_declaration) @listed
[(macro_invocation (token_tree) @listed) (macro_rule right: (token_tree) @listed)]
(mod_item name: (identifier) @spec @here !body) @import
((attribute_item (attribute . (identifier) @word value: (string_literal (string_content) @spec))) @first.path (#eq? @word "path"))
(mod_item name: (identifier) @here !body) @import @then.path
(extern_crate_declaration name: (identifier) @spec @here) @import
(extern_crate_declaration name: (identifier) @spec alias: (identifier) @here) @import
(mod_item name: (identifier) @called body: (_)) @inside
(use_wildcard) @stars
(mod_item body: (declaration_list (use_declaration argument: (use_wildcard (super)) @stars.own)))
