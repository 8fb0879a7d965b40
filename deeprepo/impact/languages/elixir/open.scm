; what makes names that are written nowhere
(_
  target: (identifier) @word
  (arguments . (alias) @open)
  (#eq? @word "use")
  (#not-match? @open "^(GenServer|Agent|Supervisor|DynamicSupervisor|Application|Task|Bitwise|Mix\\.\\w+|Plug\\.(Builder|Router|ErrorHandler)|ExUnit\\.Case|ExUnit\\.CaseTemplate|Ecto\\.\\w+|GenStage|Oban\\.\\w+)\\b"))
; when: unquote
(_
  target: (identifier) @word
  (arguments . (_ target: [(identifier) @open (_ target: (identifier) @open)]))
  (#any-of? @word "def" "defmacro" "defdelegate")
  (#eq? @open "unquote"))
; when: @before_compile
(_ operator: "@" operand: (_ target: (identifier) @open (#eq? @open "before_compile")))
; when: Code.eval_
(_ target: (_ left: (alias) @code right: (identifier) @open) (#eq? @code "Code") (#match? @open "^eval_"))
