(mod_item name: (identifier) @name) @def.module
(function_item name: (identifier) @name parameters: (parameters) @params body: (block) @local) @def.function @as.function
(function_signature_item name: (identifier) @name parameters: (parameters) @params) @def.function @as.function
(struct_item name: (type_identifier) @name) @def.type @as.class
(union_item name: (type_identifier) @name) @def.type @as.class
(enum_item name: (type_identifier) @name) @def.class @as.class
(trait_item name: (type_identifier) @name) @def.type @as.class
; what a derivation or a trait lends to a type is not written
([(struct_item) (union_item) (trait_item) (type_item)] @opaque)
(enum_variant name: (identifier) @name) @def.member
(struct_item body: (field_declaration_list (field_declaration name: (field_identifier) @name) @def.member))
(union_item body: (field_declaration_list (field_declaration name: (field_identifier) @name) @def.member))
(impl_item type: [
  (type_identifier) @name
  (primitive_type) @name
  (scoped_type_identifier name: (type_identifier) @name)
  (generic_type type: [(type_identifier) @name (scoped_type_identifier name: (type_identifier) @name)])
  (reference_type type: [(type_identifier) @name (generic_type type: (type_identifier) @name)])]) @def.holder
; of any other type it is nobody's: `impl Trait for [T]`, `impl Trait for dyn Other`
(impl_item type: [(array_type) (tuple_type) (dynamic_type) (pointer_type) (function_type) (unit_type)] body: (_) @local)
(type_item name: (type_identifier) @name) @def.type @as.type
(associated_type name: (type_identifier) @name) @def.type @as.type
(const_item name: (identifier) @name) @def.variable
(static_item name: (identifier) @name) @def.variable
(macro_definition name: (identifier) @name) @def.macro
(extern_crate_declaration name: (identifier) @name) @def.bound
(extern_crate_declaration alias: (identifier) @name) @def.bound
(closure_expression body: (_) @local)
; a method of a type or a trait; what a trait asks for, where a type has it
(impl_item !trait body: (declaration_list (function_item parameters: (parameters [(self_parameter) (parameter pattern: (self))])) @as.method))
(trait_item body: (declaration_list [
  (function_item parameters: (parameters [(self_parameter) (parameter pattern: (self))]))
  (function_signature_item parameters: (parameters [(self_parameter) (parameter pattern: (self))]))] @as.method))
(impl_item trait: (_) body: (declaration_list [(function_item) (const_item) (type_item)] @as.implementation @opaque @visible.anywhere))
(trait_item body: (declaration_list (_) @visible.anywhere))
(foreign_mod_item body: (declaration_list (_) @visible.anywhere))
; what no word makes public is for its module and those in it
([(function_item) (struct_item) (union_item) (enum_item) (trait_item) (type_item) (const_item) (static_item) (function_signature_item)] @visible.below)
(struct_item body: (field_declaration_list (field_declaration) @visible.below))
(union_item body: (field_declaration_list (field_declaration) @visible.below))
(_ (visibility_modifier) @word name: (_) (#eq? @word "pub")) @visible.anywhere
(_ (visibility_modifier) @word name: (_) (#not-eq? @word "pub")) @visible.unit
(parameters (parameter pattern: _ @name) @param.only)
(parameters (self_parameter) @param.only @receiver)
(parameters (parameter pattern: (self)) @param.only @receiver)
(parameters (variadic_parameter) @param.rest)
; an attribute may change what a function takes, or whether it is there
((attribute_item) @first.function (#not-match? @first.function
  "^#\\[\\s*(inline|must_use|allow|deny|warn|forbid|expect|doc|deprecated|cold|track_caller|cfg|test|no_mangle|instrument|target_feature|rustfmt|clippy|export_name|link_section|tokio|ignore|should_panic|bench|stable|unstable|unsafe|automatically_derived)\\b"))
([(function_item) (function_signature_item)] @opaque @then.function)
([(function_item parameters: (parameters (attribute_item))) (function_signature_item parameters: (parameters (attribute_item)))] @opaque)
; macros in whose tokens all that they define is spelt
(source_file [(macro_invocation macro: (_) @word (token_tree (identifier) @ref . (identifier) @name)) (expression_statement (macro_invocation macro: (_) @word (token_tree (identifier) @ref . (identifier) @name)))] @def.bound
  (#eq? @ref "ref") (#match? @word "^(\\w+::)*lazy_static$"))
(source_file [(macro_invocation macro: (_) @word (token_tree ["fn" "struct" "enum" "mod" "const" "static" "type"] . (identifier) @name)) (expression_statement (macro_invocation macro: (_) @word (token_tree ["fn" "struct" "enum" "mod" "const" "static" "type"] . (identifier) @name)))] @def.bound
  (#match? @word "^(\\w+::)*(cfg\\w*|thread_local|lazy_static|bitflags|task_local)$"))
(source_file [(macro_invocation macro: (_) @word (token_tree (token_tree ["fn" "struct" "enum" "mod" "const" "static" "type"] . (identifier) @name))) (expression_statement (macro_invocation macro: (_) @word (token_tree (token_tree ["fn" "struct" "enum" "mod" "const" "static" "type"] . (identifier) @name))))] @def.bound
  (#match? @word "^(\\w+::)*(cfg\\w*|thread_local|lazy_static|bitflags|task_local)$"))
(attribute (identifier) @word arguments: (token_tree . (identifier) @name) (#eq? @word "proc_macro_derive")) @def.bound
