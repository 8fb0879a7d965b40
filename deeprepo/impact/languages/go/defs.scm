(package_clause (package_identifier) @module)
(function_declaration name: (identifier) @name parameters: (_) @params body: (block)? @local) @def.function
(func_literal body: (block) @local)
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @owner (generic_type type: (type_identifier) @owner)
    (pointer_type [(type_identifier) @owner (generic_type type: (type_identifier) @owner)])]))
  name: (field_identifier) @name parameters: (_) @params body: (block)? @local) @def.method
(source_file (type_declaration (type_spec name: (type_identifier) @name type: (struct_type)) @def.class))
(source_file (type_declaration [(type_spec name: (type_identifier) @name) (type_alias name: (type_identifier) @name)] @def.type))
(type_spec name: (type_identifier) type: (struct_type (field_declaration_list (field_declaration !name type: (_) @base)))) @class.of
(type_spec name: (type_identifier) type: (interface_type (type_elem) @base)) @class.of
(type_spec name: (type_identifier) type: [(type_identifier) (qualified_type) (generic_type)] @base) @class.of
(type_alias name: (type_identifier) type: (_) @base) @class.of
(source_file (type_declaration (type_spec name: (type_identifier) @owner
  type: (struct_type (field_declaration_list (field_declaration name: (field_identifier) @name) @def.member)))))
(source_file (type_declaration (type_spec name: (type_identifier) @owner
  type: (interface_type (method_elem name: (field_identifier) @name parameters: (_) @params) @def.method))))
(source_file (const_declaration (const_spec (identifier) @name) @def.variable))
(source_file (var_declaration [(var_spec name: (identifier) @name) @def.variable (var_spec_list (var_spec name: (identifier) @name) @def.variable)]))
; a literal calls its struct with the fields
(source_file (type_declaration (type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @params @def.constructor))))
(field_declaration_list (field_declaration name: (_) @name) @param.only)
(field_declaration_list (field_declaration !name type: (_) @name) @param.only)
(parameter_list (parameter_declaration name: (identifier) @name) @param.only)
(parameter_list (parameter_declaration !name) @param.only)
(parameter_list (variadic_parameter_declaration) @param.rest)
