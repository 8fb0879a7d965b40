; only: java
((import_declaration (scoped_identifier) @spec .) @import (#not-match? @import "^import\\s+static"))
((import_declaration (scoped_identifier) @spec (asterisk) @star) @import (#not-match? @import "^import\\s+static"))
; only: kotlin
((import (qualified_identifier) @spec .) @import (#not-match? @import "\\*"))
((import (qualified_identifier) @spec) @import @star (#match? @import "\\.\\*"))
(import (qualified_identifier) @spec (identifier) @here) @import
