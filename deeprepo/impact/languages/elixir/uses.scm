; `(_ target: ... (arguments))` is a call, as in defs.scm
(call target: (identifier) @name) @args
(_ target: (_ left: (alias) @receiver right: (identifier) @name)) @args
(_ operator: "|>" right: (identifier) @name @args)
(_ operator: "&" operand: (_ left: (identifier) @name @args operator: "/"))
(alias) @name
; when: __MODULE__
(_ target: (_ left: (identifier) @own right: (identifier) @name) (#eq? @own "__MODULE__")) @args
; when: defdelegate
; what a function hands each of its calls to
(_
  target: (identifier) @word
  (arguments
    . [(identifier) @name @args (_ target: (identifier) @name) @args]
    (keywords . (_ key: (_) @to value: (alias) @receiver) .))
  (#eq? @word "defdelegate") (#match? @to "^to:"))
(_
  target: (identifier) @word
  (arguments
    . (_) @args
    (keywords . (_ key: (_) @to value: (alias) @receiver) (_ key: (_) @as value: (atom) @name)))
  (#eq? @word "defdelegate") (#match? @to "^to:") (#match? @as "^as:"))
