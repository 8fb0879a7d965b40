; what a file is told to load; constants are found by their words
; when: /require|load/
(call method: (identifier) @word arguments: (argument_list . [
  (string . (string_content) @spec .)
  (call receiver: (constant) arguments: (argument_list . (string . (string_content) @spec .)))
  (call receiver: (constant) arguments: (argument_list . (string . (string_content) @spec .) . (identifier) @anchor))])
  (#any-of? @word "require" "require_relative" "require_dependency" "load")) @statement
(call method: (identifier) @word arguments: (argument_list . (simple_symbol) @here . (string . (string_content) @spec .) .)
  (#eq? @word "autoload")) @statement
; all
