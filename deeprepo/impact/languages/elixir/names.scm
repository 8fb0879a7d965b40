; the statements that give a module a local name, and the modules of a file
(call target: (identifier) @_word (arguments . (alias) @spec .) (#eq? @_word "alias")) @import
(call target: (identifier) @_word (arguments . (alias) @spec . (keywords (pair key: (keyword) @_as value: (alias) @here)))
  (#any-of? @_word "alias" "require") (#match? @_as "^as:")) @import
(call target: (identifier) @_word (arguments . (dot left: (alias) @spec right: (tuple (alias) @there)))
  (#any-of? @_word "alias" "import")) @import
(call target: (identifier) @_word (arguments . (alias) @spec @star) (#eq? @_word "import")) @import
(call target: (identifier) @_word (arguments . (alias) @called) (do_block) @body (#any-of? @_word "defmodule" "defprotocol")) @inside
