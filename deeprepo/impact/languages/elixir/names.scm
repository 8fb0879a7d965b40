; each name of a module, and the statements that give one a local name
(alias) @name
(call target: (identifier) @word (arguments . (alias) @spec) (#any-of? @word "alias" "import")) @statement
(call target: (identifier) @word (arguments . (alias) @spec . (keywords (pair key: (keyword) @as value: (alias) @here)))
  (#any-of? @word "alias" "require") (#match? @as "^as:")) @statement
(call target: (identifier) @word (arguments . (dot left: (alias) @spec right: (tuple (alias) @inner)))
  (#any-of? @word "alias" "import")) @statement
(call target: (identifier) @word (arguments . (alias) @own) (#any-of? @word "defmodule" "defprotocol" "defimpl")) @module
