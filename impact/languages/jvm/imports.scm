; only: java
((import_declaration (scoped_identifier) @spec .) @import (#not-match? @import "^import\\s+static"))
((import_declaration (scoped_identifier) @spec (asterisk) @star) @import (#not-match? @import "^import\\s+static"))
((import_declaration (scoped_identifier) @spec .) @import.member (#match? @import.member "^import\\s+static"))
((import_declaration (scoped_identifier) @spec (asterisk) @star) @import.member (#match? @import.member "^import\\s+static"))
; only: kotlin
((import (qualified_identifier) @spec .) @import (#not-match? @import "\\*"))
((import (qualified_identifier) @spec) @import @star (#match? @import "\\.\\*"))
(import (qualified_identifier) @spec (identifier) @here) @import
