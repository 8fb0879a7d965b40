; only: java
(package_declaration (_) @called) @inside
((import_declaration [(scoped_identifier) (identifier)] @spec .) @import (#not-match? @import "^import\\s+static"))
((import_declaration [(scoped_identifier) (identifier)] @spec (asterisk) @star) @import (#not-match? @import "^import\\s+static"))
((import_declaration (scoped_identifier) @spec .) @import.member (#match? @import.member "^import\\s+static"))
((import_declaration (scoped_identifier) @spec (asterisk) @star) @import.member (#match? @import.member "^import\\s+static"))
; only: kotlin
(package_header (_) @called) @inside
((import (qualified_identifier) @spec .) @import (#not-match? @import "\\*"))
((import (qualified_identifier) @spec) @import @star (#match? @import "\\.\\*"))
(import (qualified_identifier) @spec (identifier) @here) @import
; only: scala
(package_clause name: (_) @called) @inside
(package_object name: (_) @called) @inside
(import_declaration) @import @listed
(import_declaration (identifier) @here .) @import
(import_declaration (namespace_selectors [(identifier) @here (_ alias: (_) @here)])) @import
