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
; when: defmodule
; what can give a module functions that nobody writes, if the change adds it
((call target: (identifier) @word (arguments . (alias) @made)) @dynamic
  (#eq? @word "use")
  (#not-match? @made "^(GenServer|Agent|Supervisor|DynamicSupervisor|Application|Task|Bitwise|Mix\\.\\w+|Plug\\.(Builder|Router|ErrorHandler)|ExUnit\\.Case|ExUnit\\.CaseTemplate|Ecto\\.\\w+|GenStage|Oban\\.\\w+)\\b"))
((call target: (identifier) @word (arguments . (_ target: (_ target: (identifier) @made)))) @dynamic (#any-of? @word "def" "defmacro" "defdelegate" "defguard") (#eq? @made "unquote"))
((call target: (identifier) @word (arguments . (_ target: (identifier) @made))) @dynamic (#any-of? @word "def" "defmacro" "defdelegate" "defguard") (#eq? @made "unquote"))
((call target: (identifier) @word (arguments . [(call) (identifier) (binary_operator) (list)] @list)) @dynamic (#eq? @word "defdelegate") (#match? @list "^(unquote|\\[)"))
((unary_operator operand: (call target: (identifier) @made)) @dynamic (#any-of? @made "before_compile" "after_compile" "on_definition"))
((call target: (dot left: (alias) @code right: (identifier) @made)) @dynamic (#any-of? @code "Code" "Module") (#match? @made "^(eval_\\w+|create|compile_\\w+)$"))
(call target: (identifier) @word (do_block ((call target: (dot left: (alias) right: (identifier)) @made) @dynamic))
  (#eq? @word "defmodule") (#not-match? @made "^(Application|Code|Module|Logger|IO|System|Enum|Mix)\\."))
(call target: (identifier) @word (do_block ((call target: (identifier) @made) @dynamic)) (#eq? @word "defmodule")
  (#not-match? @made "^(def\\w*|alias|import|require|use|for|if|unless|case|plug|attr|slot|test|describe|setup\\w*|doctest|\\w*schema|pipeline|scope|on_mount|action_fallback)$"))
; all
