; what gives a name its meaning
(preproc_params (identifier) @bound)
(enum_specifier name: (type_identifier) @called body: (_)) @around
(parameter_declaration declarator: [(identifier) @bound (_ declarator: (identifier) @bound) (_ declarator: (_ declarator: (identifier) @bound))])
; what cannot be read may define it, and so may a macro outside of functions: `DEFINE_LIST(jobs)`
(ERROR [(identifier) (field_identifier) (type_identifier)] @defines)
(translation_unit (expression_statement (call_expression arguments: (argument_list (identifier) @defines))))
(translation_unit (preproc_ifdef (expression_statement (call_expression arguments: (argument_list (identifier) @defines)))))
; only: c
(parameter_list (identifier) @bound)
; only: cpp
(declaration_list (expression_statement (call_expression arguments: (argument_list (identifier) @defines))))
(namespace_definition name: (namespace_identifier) @bound)
(type_parameter_declaration (type_identifier) @bound)
(optional_parameter_declaration declarator: [(identifier) @bound (_ declarator: (identifier) @bound)])
(reference_declarator (identifier) @bound)
(structured_binding_declarator (identifier) @bound)
(for_range_loop declarator: (identifier) @bound)
; a library's name that is used in the place of the tree's
; when: using
(using_declaration (identifier) @bound)
(using_declaration (qualified_identifier scope: (namespace_identifier) @library name: (_) @bound) (#any-of? @library "std" "boost" "absl" "testing"))
