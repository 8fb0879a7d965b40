; members that are not written, or cannot be read
(field_declaration_list (preproc_call) @open.owner)
(ERROR) @open.owner
(MISSING) @open.owner
; only: cpp
(field_declaration_list (using_declaration) @open.owner)
