((using_directive [(qualified_name) (identifier)] @spec @star) @import (#not-match? @import "^(global\\s+)?using\\s+(static|unsafe)\\b|="))
