; when: _exported?
(_ target: (identifier) @word (arguments) @tested (#any-of? @word "if" "unless" "case") (#match? @tested "(function|macro)_exported\\?")) @handled
(stab_clause left: (_) @tested (#match? @tested "(function|macro)_exported\\?")) @handled
; when: Code.ensure_
(_ target: (identifier) @word (arguments) @tested (#any-of? @word "if" "unless" "case") (#match? @tested "Code\\.ensure_(loaded|compiled)")) @handled
(stab_clause left: (_) @tested (#match? @tested "Code\\.ensure_(loaded|compiled)")) @handled
; when: rescue
(_ (rescue_block (_ left: (_) @caught)) (#match? @caught "^_$|UndefinedFunctionError")) @handled
