(package_clause (package_identifier) @module)
(function_declaration name: (identifier) @name parameters: (_) @params body: (block)? @local) @def.function
(func_literal body: (block) @local)
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @owner (generic_type type: (type_identifier) @owner)
    (pointer_type [(type_identifier) @owner (generic_type type: (type_identifier) @owner)])]))
  name: (field_identifier) @name parameters: (_) @params body: (block)? @local) @def.method
(source_file (type_declaration [(type_spec name: (type_identifier) @name) (type_alias name: (type_identifier) @name)]) @def.type)
(source_file (const_declaration (const_spec name: (identifier) @name)) @def.variable)
(source_file (var_declaration [(var_spec name: (identifier) @name) (var_spec_list (var_spec name: (identifier) @name))]) @def.variable)
(parameter_list (parameter_declaration name: (identifier) @name) @param.only)
(parameter_list (parameter_declaration !name) @param.only)
(parameter_list (variadic_parameter_declaration) @param.rest)
