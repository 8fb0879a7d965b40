; parts of a class may stand in other files, and code under a condition is never the whole
([(class_declaration (modifier) @word) (struct_declaration (modifier) @word) (record_declaration (modifier) @word) (interface_declaration (modifier) @word)] @open.sought
  (#eq? @word "partial"))
(preproc_if) @open.sought
