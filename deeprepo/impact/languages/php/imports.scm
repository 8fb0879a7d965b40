(namespace_definition name: (namespace_name) @called) @inside
((namespace_use_declaration (namespace_use_clause (qualified_name) @spec !alias)) @import (#not-match? @import "^use\\s+(function|const)|\\{"))
((namespace_use_declaration (namespace_use_clause (qualified_name) @spec alias: (name) @here)) @import (#not-match? @import "^use\\s+(function|const)|\\{"))
([(require_expression (_) @spec) (require_once_expression (_) @spec) (include_expression (_) @spec) (include_once_expression (_) @spec)] @import @star @hands_on)
