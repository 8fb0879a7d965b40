(namespace_declaration name: (_) @called) @inside
(file_scoped_namespace_declaration name: (_) @called) @inside
; what the parser does not come to terms with: code under conditions
(ERROR "namespace" . [(qualified_name) (identifier)] @called) @inside
((using_directive !name [(qualified_name) (identifier)] @spec @star) @import (#not-match? @import "^(global\\s+)?using\\s+(static|unsafe)\\b"))
((using_directive !name [(qualified_name) (identifier)] @spec @star) @import.member (#match? @import.member "^(global\\s+)?using\\s+static\\b"))
(using_directive name: (identifier) @here [(qualified_name) (identifier)] @spec) @import.member
