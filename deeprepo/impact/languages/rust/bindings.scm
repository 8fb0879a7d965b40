(let_declaration pattern: (identifier) @bound)
(parameter pattern: (identifier) @bound)
(closure_parameters (identifier) @bound)
(for_expression pattern: (identifier) @bound)
(function_item name: (identifier) @bound)
(enum_item name: (type_identifier) @bound)
(struct_item name: (type_identifier) @bound)
(mod_item name: (identifier) @bound)
(type_parameter name: (type_identifier) @bound)
[(use_declaration argument: (scoped_identifier name: (identifier) @unread)) (use_list (scoped_identifier name: (identifier) @unread)) (use_as_clause path: (scoped_identifier name: (identifier) @unread)) (use_wildcard (scoped_identifier name: (identifier) @unread)) (scoped_use_list path: (scoped_identifier name: (identifier) @unread))]
; in a list, a path begins where the path before the list leads: `use crate::{order::cart::Cart}`
(use_list [(scoped_identifier path: (scoped_identifier name: (identifier) @unread)) (scoped_identifier path: (scoped_identifier path: (scoped_identifier name: (identifier) @unread))) (scoped_identifier path: (scoped_identifier path: (scoped_identifier path: (scoped_identifier name: (identifier) @unread))))
  (use_as_clause path: [(scoped_identifier path: (scoped_identifier name: (identifier) @unread)) (scoped_identifier path: (scoped_identifier path: (scoped_identifier name: (identifier) @unread))) (scoped_identifier path: (scoped_identifier path: (scoped_identifier path: (scoped_identifier name: (identifier) @unread))))]) (use_wildcard [(scoped_identifier path: (scoped_identifier name: (identifier) @unread)) (scoped_identifier path: (scoped_identifier path: (scoped_identifier name: (identifier) @unread))) (scoped_identifier path: (scoped_identifier path: (scoped_identifier path: (scoped_identifier name: (identifier) @unread))))]) (scoped_use_list path: [(scoped_identifier path: (scoped_identifier name: (identifier) @unread)) (scoped_identifier path: (scoped_identifier path: (scoped_identifier name: (identifier) @unread))) (scoped_identifier path: (scoped_identifier path: (scoped_identifier path: (scoped_identifier name: (identifier) @unread))))])])
; words of an attribute that are no names of the file: conditions of a build, lints, features, and attributes of the compiler itself
(attribute . (identifier) @silent (#any-of? @silent "test" "bench" "ignore" "should_panic" "inline" "must_use" "deprecated" "doc" "derive" "cfg" "cfg_attr" "allow" "warn" "deny" "forbid" "expect" "repr" "feature"))
(attribute . (identifier) @word arguments: (token_tree) @silent (#any-of? @word "cfg" "allow" "warn" "deny" "forbid" "expect" "repr" "feature" "doc" "deprecated"))
(attribute . (identifier) @word arguments: (token_tree . (identifier) @silent . (token_tree)? @silent) (#eq? @word "cfg_attr"))
