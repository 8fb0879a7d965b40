; under a condition other than being tested, or the text of a macro
((attribute_item) @word @first.handled @first.handled.import . (_)
  (#match? @word "^#\\[\\s*cfg\\b")
  (#not-match? @word "^#\\[\\s*cfg\\s*\\(\\s*test\\s*\\)\\s*\\]"))
((source_file (inner_attribute_item) @word) @handled @handled.import
  (#match? @word "^#!\\[\\s*cfg\\b")
  (#not-match? @word "^#!\\[\\s*cfg\\s*\\(\\s*test\\s*\\)\\s*\\]"))
(macro_definition) @handled @handled.import
; members among the tokens of a macro: nobody knows whether it takes them for such
(token_tree ["." "::"] . (identifier) @handled)
(token_tree (identifier) @handled . "!")
