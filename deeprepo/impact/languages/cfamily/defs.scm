; what stands in a body, or belongs to somebody else, offers nothing
(compound_statement) @local
(function_definition (declaration) @local)  ; parameters of an old definition
(field_declaration_list [(preproc_def) (preproc_function_def) (type_definition)] @local)
(declaration type: [(struct_specifier !name body: (_) @local) (union_specifier !name body: (_) @local)])
(field_declaration type: [(struct_specifier !name body: (_) @local) (union_specifier !name body: (_) @local)] declarator: (_))
; the guard of a header
(translation_unit . [(comment) (preproc_call) (preproc_include)]* . (preproc_ifdef "#ifndef" name: (_) @guard . (preproc_def name: (_) @guarded) @local (#eq? @guard @guarded)))
; macros
(preproc_def name: (identifier) @name) @def.variable
(preproc_function_def name: (identifier) @name parameters: (_) @params) @def.function @as.macro
(preproc_params (identifier) @name @param.positional)
; it takes any number of arguments, or its only one may be empty
((preproc_function_def parameters: (preproc_params) @list) @opaque (#match? @list "[.]{3}|^[^,]*$"))
; functions: without a body it is a declaration
(function_definition) @as.function
(function_declarator declarator: [(identifier) @name (parenthesized_declarator (identifier) @name)] parameters: (_) @params) @def.function @as.declaration
(function_definition (storage_class_specifier) @word (#eq? @word "static")) @visible.file
(declaration (storage_class_specifier) @word (#eq? @word "static")) @visible.file
; parameters
(parameter_list (parameter_declaration declarator: [(identifier) (pointer_declarator) (array_declarator) (function_declarator)] @name) @param.positional)
(parameter_list (parameter_declaration type: (_) @name declarator: [(abstract_pointer_declarator) (abstract_array_declarator) (abstract_function_declarator)]) @param.positional)
(parameter_list (parameter_declaration type: (_) @name !declarator) @param.positional (#not-eq? @name "void"))
; a name in capitals alone may be a macro that stands for several
(function_declarator parameters: (parameter_list (parameter_declaration type: (type_identifier) @word !declarator)) (#match? @word "^[A-Z_0-9]{2,}$")) @opaque
; variables
(declaration declarator: [
  (identifier) @name
  (_ declarator: [(identifier) @name (_ declarator: [(identifier) @name (_ declarator: [(identifier) @name (_ declarator: (identifier) @name)])])])]) @def.variable
(enumerator name: (identifier) @name) @def.variable
(function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)]))) @def.variable
(parameter_declaration declarator: [(function_declarator) @local (pointer_declarator declarator: (function_declarator) @local)])
; members
(field_declaration declarator: (field_identifier) @name) @def.member
(pointer_declarator declarator: (field_identifier) @name) @def.member
(array_declarator declarator: (field_identifier) @name) @def.member
; types
(union_specifier name: (type_identifier) @name body: (_)) @def.class
(type_definition type: [(struct_specifier !name body: (_)) (union_specifier !name body: (_))] @def.class . declarator: (type_identifier) @name)
(type_definition type: [(struct_specifier name: (_) @means body: (_)) (union_specifier name: (_) @means body: (_)) (enum_specifier name: (_) @means body: (_))] declarator: (type_identifier) @name) @def.variable
(type_definition type: (enum_specifier !name body: (_)) declarator: (type_identifier) @name) @def.variable @as.type
(type_definition type: (_) @of declarator: (type_identifier) @name (#not-match? @of "[{]")) @def.variable @as.type
(pointer_declarator declarator: (type_identifier) @name) @def.variable @as.type
(array_declarator declarator: (type_identifier) @name) @def.variable @as.type
(function_declarator declarator: (type_identifier) @name) @def.variable @as.type
(parenthesized_declarator (type_identifier) @name) @def.variable @as.type
; only: c
(struct_specifier name: (type_identifier) @name body: (_)) @def.class
(enum_specifier name: (type_identifier) @name body: (_)) @def.variable @as.type
(parameter_list (variadic_parameter) @name @param.rest)
; old definitions, and lists that promise nothing
(function_declarator parameters: (parameter_list (identifier))) @opaque
(function_declarator parameters: (parameter_list) @list (#match? @list "^\\(\\s*\\)$")) @opaque
; only: cpp
(class_specifier name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier name: (type_identifier) @name)] body: (_)) @def.class
(struct_specifier name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier name: (type_identifier) @name)] body: (_)) @def.class
(class_specifier (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)) @class.of
(struct_specifier (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)) @class.of
(enum_specifier ["class" "struct"] name: (type_identifier) @name body: (_)) @def.type
((enum_specifier name: (type_identifier) @name body: (_)) @def.variable @as.type (#not-match? @def.variable "^enum\\s+(class|struct)\\b"))
(reference_declarator (field_identifier) @name) @def.member
(declaration declarator: [(reference_declarator (identifier) @name) (init_declarator declarator: (reference_declarator (identifier) @name))]) @def.variable
; functions of classes
(function_declarator declarator: [(field_identifier) @name (template_function name: (_) @name)] parameters: (_) @params) @def.function @as.declaration
(function_declarator
  declarator: (qualified_identifier
    scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
    name: [(identifier) @name (template_function name: (_) @name)])
  parameters: (_) @params) @def.function @as.declaration
(function_declarator
  declarator: (qualified_identifier name: (qualified_identifier
    scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
    name: [(identifier) @name (template_function name: (_) @name)]))
  parameters: (_) @params) @def.function @as.declaration
(parameter_list (parameter_declaration declarator: (reference_declarator) @name) @param.positional)
(parameter_list (parameter_declaration type: (_) @name declarator: (abstract_reference_declarator)) @param.positional)
(parameter_list (optional_parameter_declaration declarator: (_) @name) @param.positional @optional)
(parameter_list (optional_parameter_declaration type: (_) @name !declarator) @param.positional @optional)
(parameter_list [(variadic_parameter_declaration) "..."] @name @param.rest)
(namespace_definition name: (_)? @called) @space
; when: friend
(friend_declaration (_) @local)
; when: using
(field_declaration_list (alias_declaration) @local)
(alias_declaration name: (type_identifier) @name) @def.variable @as.type
; when: template
(template_declaration [(function_definition) (declaration) (field_declaration)] @opaque)
(template_instantiation (_) @local)
(concept_definition name: (identifier) @name) @def.variable @as.type
