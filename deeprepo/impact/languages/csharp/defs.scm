(class_declaration name: (identifier) @name) @def.class
(class_declaration name: (identifier) @name (parameter_list) @params) @def.class
(record_declaration name: (identifier) @name) @def.class
(record_declaration name: (identifier) @name (parameter_list) @params) @def.class
(record_declaration (parameter_list (parameter name: (identifier) @name) @def.component))
(struct_declaration name: (identifier) @name) @def.type @as.class
(interface_declaration name: (identifier) @name) @def.type
(enum_declaration name: (identifier) @name) @def.type @as.class
(delegate_declaration name: (identifier) @name) @def.variable @as.type @static
(delegate_declaration parameters: (_) @local)
(class_declaration (base_list [(identifier) (generic_name) (qualified_name) (alias_qualified_name)] @base)) @class.of
(record_declaration (base_list [(identifier) (generic_name) (qualified_name) (alias_qualified_name)] @base)) @class.of
(record_declaration (base_list (primary_constructor_base_type type: (_) @base))) @class.of
(struct_declaration (base_list (_) @base)) @class.of
(interface_declaration (base_list (_) @base)) @class.of
([(class_declaration (parameter_list) body: (declaration_list (constructor_declaration))) (record_declaration (parameter_list) body: (declaration_list (constructor_declaration)))] @opaque)
(record_declaration "struct") @opaque
(method_declaration (modifier) @word (#any-of? @word "override" "partial")) @opaque
(enum_member_declaration name: (identifier) @name) @def.member @static
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.member
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.member
(event_declaration name: (identifier) @name) @def.member
(property_declaration name: (identifier) @name) @def.member
; no explicit one of an interface (`int IPriced.Total()`): nobody calls it by its name
(method_declaration returns: (_) . name: (identifier) @name parameters: (_) @params body: (_)? @local) @def.method
; an extension is called like a member of its first argument's type
(method_declaration parameters: (parameter_list . (parameter (modifier) @word type: (_) @extended)) (#eq? @word "this")) @extends
((constructor_declaration name: (identifier) @name parameters: (_) @params body: (_)? @local) @def.constructor
  (#not-match? @def.constructor "^static\\b"))
(class_declaration name: (identifier) @name (parameter_list) @params @def.constructor)
(struct_declaration name: (identifier) @name (parameter_list) @params @def.constructor)
(record_declaration name: (identifier) @name (parameter_list) @params @def.constructor)
(local_function_statement name: (identifier) @name body: (_)? @local) @def.function
(global_statement (local_function_statement) @local)
([(field_declaration (modifier) @word) (event_field_declaration (modifier) @word) (event_declaration (modifier) @word) (property_declaration (modifier) @word) (method_declaration (modifier) @word)] @static
  (#any-of? @word "static" "const"))
; in a file with a syntax error, members may be parsed outside of their class
([(ERROR [(field_declaration) (event_field_declaration) (event_declaration) (property_declaration) (method_declaration) (constructor_declaration)] @local)])
; a member without a modifier is private: other parts of a partial class can still use it
(class_declaration body: (declaration_list [(field_declaration) (event_field_declaration) (event_declaration) (property_declaration) (method_declaration) (constructor_declaration)] @visible.file))
(struct_declaration body: (declaration_list [(field_declaration) (event_field_declaration) (event_declaration) (property_declaration) (method_declaration) (constructor_declaration)] @visible.file))
(record_declaration body: (declaration_list [(field_declaration) (event_field_declaration) (event_declaration) (property_declaration) (method_declaration) (constructor_declaration)] @visible.file))
([(field_declaration (modifier) @word) (event_field_declaration (modifier) @word) (event_declaration (modifier) @word) (property_declaration (modifier) @word) (method_declaration (modifier) @word) (constructor_declaration (modifier) @word)] @visible.anywhere
  (#any-of? @word "public" "protected" "internal"))
(accessor_declaration body: (_) @local)
(indexer_declaration value: (_) @local)
(operator_declaration body: (_) @local)
(conversion_operator_declaration body: (_) @local)
(lambda_expression body: (_) @local)
(parameter_list (parameter name: (identifier) @name) @param.positional)
(parameter_list (parameter name: (identifier) @name . (_)) @param.positional @optional)
(parameter_list (parameter (modifier) @word name: (identifier) @name) @param.positional @receiver (#eq? @word "this"))
(parameter_list type: (_) name: (identifier) @name @param.rest)
; when: partial
; the other parts of a partial class are in other files, or are generated
([(class_declaration (modifier) @word) (record_declaration (modifier) @word) (struct_declaration (modifier) @word) (interface_declaration (modifier) @word)] @opaque
  (#eq? @word "partial"))
(_ (modifier) @_word (#eq? @_word "partial")) @first.partial
((_ body: (declaration_list (method_declaration) @opaque)) @then.partial
  (#not-match? @opaque "^[^({=;]*\\bstatic\\b"))
; generators go by attributes, and write the members that they make into files that no tree has
[(class_declaration (attribute_list) @base.mark) (record_declaration (attribute_list) @base.mark) (struct_declaration (attribute_list) @base.mark)] @first.generated
([(class_declaration (modifier) @_word) (record_declaration (modifier) @_word) (struct_declaration (modifier) @_word)] @class.of @bearer @then.generated
  (#eq? @_word "partial"))
(_ body: (declaration_list (_ (attribute_list) @base.mark) @bearer)) @class.of @then.partial
(_ body: (declaration_list (_) @visible.anywhere)) @then.partial
