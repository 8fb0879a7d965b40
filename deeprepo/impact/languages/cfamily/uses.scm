(_ . function: (identifier) @name arguments: (_) @args)
(_ . function: (_ argument: (_) @receiver field: (field_identifier) @name) arguments: (_) @args)
(_ . argument: (_) @receiver field: (field_identifier) @name)
; `.size = 1`: what is meant is a member of what the braces are for
(field_designator "." @receiver (field_identifier) @name)
; arguments that may stand for several
(_ . function: (identifier) @more arguments: (_ (identifier) @list) (#match? @list "^([A-Z0-9_]*(ARGS?|LIST|PARAMS?)(_[A-Z0-9_]*)?|_?(ARG|PARAM)[A-Z0-9_]*)$"))
; only: cpp
(_ . function: (template_function name: (identifier) @name) arguments: (_) @args)
(_ . function: (_ scope: (_) @receiver name: [(identifier) @name (template_function name: (identifier) @name)]) arguments: (_) @args)
(_ . function: (qualified_identifier !scope name: (identifier) @name) arguments: (_) @args)
(_ . function: (_ name: (_ scope: (_) @receiver name: [(identifier) @name (template_function name: (identifier) @name)])) arguments: (_) @args)
(_ . function: (_ argument: (_) @receiver field: [(template_method name: (field_identifier) @name) (dependent_name (template_method name: (field_identifier) @name))]) arguments: (_) @args)
(_ . argument: (_) @receiver field: [(template_method name: (field_identifier) @name) (dependent_name (template_method name: (field_identifier) @name))])
(qualified_identifier scope: (namespace_identifier) @receiver)
(_ . scope: (_) @receiver name: (qualified_identifier . scope: [(namespace_identifier) @name (template_type name: (type_identifier) @name)]))
(_ . scope: (_) @receiver name: [
  (identifier) @name
  (type_identifier) @name
  (template_function name: (identifier) @name)
  (template_type name: (type_identifier) @name)
  (dependent_name (template_type name: (type_identifier) @name))])
; a specialisation needs its template
(class_specifier name: (template_type name: (_) @plain))
(struct_specifier name: (template_type name: (_) @plain))
(function_declarator declarator: (template_function name: (_) @plain))
; a field that a constructor initialises; a base is called like a type
(field_initializer . (field_identifier) @key (#match? @key "^[a-z_]"))
; when: using
; a name of the tree's own libraries
(using_declaration (qualified_identifier scope: (namespace_identifier) @library name: (identifier) @taken) (#not-match? @library "^(std|boost|absl|testing)$"))
(using_declaration (qualified_identifier scope: (namespace_identifier) @library name: (qualified_identifier name: (identifier) @taken)) (#not-match? @library "^(std|boost|absl|testing)$"))
