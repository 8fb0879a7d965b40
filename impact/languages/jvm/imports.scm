; only: java
((import_declaration (scoped_identifier) @spec .) @import (#not-match? @import "^import\\s+static"))
((import_declaration (scoped_identifier) @spec (asterisk) @star) @import (#not-match? @import "^import\\s+static"))
((import_declaration (scoped_identifier) @spec .) @import.member (#match? @import.member "^import\\s+static"))
((import_declaration (scoped_identifier) @spec (asterisk) @star) @import.member (#match? @import.member "^import\\s+static"))
; only: kotlin
((import (qualified_identifier) @spec .) @import (#not-match? @import "\\*"))
((import (qualified_identifier) @spec) @import @star (#match? @import "\\.\\*"))
(import (qualified_identifier) @spec (identifier) @here) @import
; only: scala
(import_declaration) @import
(import_declaration (identifier) @here .) @import
(import_declaration (namespace_selectors [(identifier) @here (_ alias: (_) @here)])) @import
