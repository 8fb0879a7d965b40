; how a file names what is in others: `use`, and paths of included files
(namespace_definition name: (_) @called) @inside
(namespace_use_declaration (namespace_use_clause [(qualified_name) (name)] @spec !alias)) @import
(namespace_use_declaration (namespace_use_clause [(qualified_name) (name)] @spec alias: (name) @here)) @import
(namespace_use_declaration (namespace_name) @spec body: (namespace_use_group (namespace_use_clause . (_) @there !alias))) @import
(namespace_use_declaration (namespace_name) @spec body: (namespace_use_group (namespace_use_clause . (_) @there alias: (name) @here))) @import
; a class may have the name of a function
((object_creation_expression (name) @called) (#match? @called "^[a-z_]"))
; when: /require|include/
([(require_expression (_ (string_content) @spec)) (require_once_expression (_ (string_content) @spec))
  (include_expression (_ (string_content) @spec)) (include_once_expression (_ (string_content) @spec))] @import @star @hands_on)
([(require_expression (_ (string (string_content) @spec))) (require_once_expression (_ (string (string_content) @spec)))
  (include_expression (_ (string (string_content) @spec))) (include_once_expression (_ (string (string_content) @spec)))] @import @star @hands_on)
(parenthesized_expression (binary_expression left: (_) @_from right: (_ (string_content) @spec))
  (#any-of? @_from "__DIR__" "dirname(__FILE__)")) @import @star @hands_on
([(require_expression (binary_expression left: (_) @_from right: (_ (string_content) @spec)))
  (require_once_expression (binary_expression left: (_) @_from right: (_ (string_content) @spec)))
  (include_expression (binary_expression left: (_) @_from right: (_ (string_content) @spec)))
  (include_once_expression (binary_expression left: (_) @_from right: (_ (string_content) @spec)))] @import @star @hands_on
  (#any-of? @_from "__DIR__" "dirname(__FILE__)"))
