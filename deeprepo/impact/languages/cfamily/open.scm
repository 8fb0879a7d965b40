; members that are not written, or cannot be read
(field_declaration_list (preproc_call) @open.owner)
(ERROR) @open.owner
(MISSING) @open.owner
; only: cpp
(field_declaration_list (using_declaration) @open.owner)
; all
; when: #include
; a text that is no header can declare anything, if the change adds it
((preproc_include path: (string_literal) @dynamic) (#not-match? @dynamic "[.](h|hh|hpp|hxx|h[+][+])\"$"))
; all
