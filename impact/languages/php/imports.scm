((namespace_use_declaration (namespace_use_clause (qualified_name) @spec !alias)) @import (#not-match? @import "^use\\s+(function|const)|\\{"))
((namespace_use_declaration (namespace_use_clause (qualified_name) @spec alias: (name) @here)) @import (#not-match? @import "^use\\s+(function|const)|\\{"))
