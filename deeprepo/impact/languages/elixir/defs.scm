; `(_ target: ...)` is a call and `(_ operator: ...)` an expression with an operator: written so they compile in half the time
; the first module of a file is the file: what it defines needs no owner
(_ target: (identifier) @word (arguments . (alias) @name @module) (#any-of? @word "defmodule" "defprotocol")) @def.class
; functions and macros, with or without parameters and a guard
(_
  target: (identifier) @word
  (arguments . [
    (identifier) @name
    (_ target: (identifier) @name (arguments)? @params)
    (_ left: [(identifier) @name (_ target: (identifier) @name (arguments)? @params)] operator: "when")])
  (#match? @word "^def(macro|guard)?p?$|^defdelegate$")) @def.function
(_ target: (identifier) @word (#any-of? @word "defp" "defmacrop" "defguardp")) @visible.file
; code in other blocks defines something only where these run, and in a function only when it is called
(_ target: (identifier) @word (do_block) @local (#not-match? @word "^(defmodule|defprotocol|if|unless|quote)$"))
; parameters: a pattern stands for one argument, and those with a default are given what is left
(arguments . (_ target: (identifier) (arguments (_) @name @param.only (#not-match? @name "^#"))))
(arguments . (_ left: (_ target: (identifier) (arguments (_) @name @param.only (#not-match? @name "^#"))) operator: "when"))
(arguments (_ left: (_) @name operator: "\\\\") @param.spare)
; when: unquote_splicing
(_ (arguments . (_ target: (identifier) (arguments (_ target: (identifier) @more (#eq? @more "unquote_splicing")))))) @opaque
; when: defstruct
(_
  (arguments . (alias) @owner)
  (do_block (_ target: (identifier) @word (arguments [
    (list [(atom) @name @def.component (keywords (_ key: (_) @name) @def.component)])
    (keywords (_ key: (_) @name) @def.component)])))
  (#eq? @word "defstruct"))
