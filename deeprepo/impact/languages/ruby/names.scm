; what a file loads (`@import.member`: by a path from the file itself)
; when: /(?:require(?:_relative|_dependency)?|load)\b[\s(\\]*+(?:["':%]|[\w.:]++[ (])/
((call method: (identifier) @_word arguments: (argument_list . (string . (string_content) @spec .))) @import @star @hands_on
  (#any-of? @_word "require" "require_dependency" "load"))
((call method: (identifier) @_word arguments: (argument_list . (string . (string_content) @spec .))) @import.member @star @hands_on
  (#eq? @_word "require_relative"))
((call method: (identifier) @_word arguments: (argument_list . (call arguments: (argument_list . (string . (string_content) @spec .) . (identifier)? @_anchor .))))
  @import.member @star @hands_on (#any-of? @_word "require" "load"))
((call method: (identifier) @_word arguments: (argument_list . (simple_symbol) @there . (string . (string_content) @spec .) .)) @import
  (#eq? @_word "autoload"))
; when: rescue
(begin (rescue)) @guard
(body_statement (rescue)) @guard
(rescue_modifier) @guard
