(mod_item name: (identifier) @name body: (_)? @local) @def.type
(function_item name: (identifier) @name parameters: (parameters) @params body: (block) @local) @def.function
(function_signature_item name: (identifier) @name) @def.function
(struct_item name: (type_identifier) @name) @def.type
(union_item name: (type_identifier) @name) @def.type
(enum_item name: (type_identifier) @name) @def.class
(enum_variant name: (identifier) @name) @def.member
(trait_item name: (type_identifier) @name body: (_) @local) @def.type
(impl_item type: (_) @name body: (_) @local) @def.holder
(type_item name: (type_identifier) @name) @def.type
(const_item name: (identifier) @name) @def.variable
(static_item name: (identifier) @name) @def.variable
(macro_definition name: (identifier) @name) @def.type
(extern_crate_declaration name: (identifier) @name) @def.type
(parameters (parameter pattern: _ @name) @param.only)
(parameters (self_parameter) @param.only)
(use_list (scoped_use_list list: (use_list [(identifier) @name (use_as_clause alias: (identifier) @name) (scoped_identifier name: (identifier) @name)]))) @def.variable
(use_list (scoped_identifier name: (identifier) @name)) @def.variable
(use_list (scoped_use_list path: (identifier) @name list: (use_list (self)))) @def.variable
(use_list (use_as_clause alias: (identifier) @name)) @def.variable
(use_declaration argument: (identifier) @name) @def.variable
(scoped_use_list path: [(identifier) @name (scoped_identifier name: (identifier) @name)] list: (use_list (self))) @def.variable
