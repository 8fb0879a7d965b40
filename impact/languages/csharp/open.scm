(class_declaration (modifier) @m body: (declaration_list (_) @open.owner) (#eq? @m "partial"))
(struct_declaration (modifier) @m body: (declaration_list (_) @open.owner) (#eq? @m "partial"))
(record_declaration (modifier) @m body: (declaration_list (_) @open.owner) (#eq? @m "partial"))
(interface_declaration (modifier) @m body: (declaration_list (_) @open.owner) (#eq? @m "partial"))
