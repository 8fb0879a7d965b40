; a part of a class may be in another file, and code under `#if` may not be all of it
([(class_declaration (modifier) @word) (struct_declaration (modifier) @word) (record_declaration (modifier) @word) (interface_declaration (modifier) @word)] @open.sought
  (#eq? @word "partial"))
(preproc_if) @open.sought
