; when: rescue
(rescue_modifier) @handled
(_ (rescue (exceptions) @caught) (#match? @caught "\\b(NoMethodError|NameError|ArgumentError)\\b")) @handled
; when: respond_to?
(_ condition: (_) @tested (#match? @tested "respond_to\\?")) @handled.named
(binary left: (_) @tested (#match? @tested "respond_to\\?")) @handled.named
; when: _defined?
(_ condition: (_) @tested (#match? @tested "(const|method)_defined\\?")) @handled
(binary left: (_) @tested (#match? @tested "(const|method)_defined\\?")) @handled
; when: defined?
(_ condition: (_) @tested (#match? @tested "\\bdefined\\?")) @handled.asked
(binary left: (_) @tested (#match? @tested "\\bdefined\\?")) @handled.asked
(unary "defined?" operand: (_) @asked)
(unary "defined?" operand: (_ (_) @asked))
(unary "defined?" operand: (_ (_ (_) @asked)))
