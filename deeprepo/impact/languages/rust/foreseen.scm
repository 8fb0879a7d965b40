; under a condition other than being tested, or the text of a macro
((attribute_item) @word @first.foreseen @first.foreseen.import . (_)
  (#match? @word "^#\\[\\s*cfg\\b")
  (#not-match? @word "^#\\[\\s*cfg\\s*\\(\\s*test\\s*\\)\\s*\\]"))
((source_file (inner_attribute_item) @word) @foreseen @foreseen.import
  (#match? @word "^#!\\[\\s*cfg\\b")
  (#not-match? @word "^#!\\[\\s*cfg\\s*\\(\\s*test\\s*\\)\\s*\\]"))
(macro_definition) @foreseen @foreseen.import
; members among the tokens of a macro: nobody knows whether it takes them for such
(token_tree ["." "::"] . (identifier) @foreseen)
(token_tree (identifier) @foreseen . "!")
