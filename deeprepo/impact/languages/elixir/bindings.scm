; a module before a dot is a receiver alone
(_ left: (alias) @silent right: (identifier))
; attributes of a module, and types
(_ operator: "@" operand: [(identifier) @silent (_ target: (identifier) @silent)])
(_ operator: "@" operand: (_ target: (identifier) @word) (#any-of? @word "spec" "type" "typep" "opaque" "callback" "macrocallback")) @silent
