; when: rescue
(rescue_modifier) @foreseen
(_ (rescue (exceptions) @caught) (#match? @caught "\\b(NoMethodError|NameError|ArgumentError)\\b")) @foreseen
; when: respond_to?
(_ condition: (_) @tested (#match? @tested "respond_to\\?")) @foreseen.named
(binary left: (_) @tested (#match? @tested "respond_to\\?")) @foreseen.named
; when: _defined?
(_ condition: (_) @tested (#match? @tested "(const|method)_defined\\?")) @foreseen
(binary left: (_) @tested (#match? @tested "(const|method)_defined\\?")) @foreseen
; when: defined?
(_ condition: (_) @tested (#match? @tested "\\bdefined\\?")) @foreseen.asked
(binary left: (_) @tested (#match? @tested "\\bdefined\\?")) @foreseen.asked
(unary "defined?" operand: (_) @asked)
(unary "defined?" operand: (_ (_) @asked))
(unary "defined?" operand: (_ (_ (_) @asked)))
