(class_declaration name: (identifier) @name) @def.class
(class_declaration name: (identifier) @name (parameter_list) @params) @def.class
(record_declaration name: (identifier) @name) @def.class
(record_declaration name: (identifier) @name (parameter_list) @params) @def.class
(record_declaration (parameter_list (parameter name: (identifier) @name) @def.member))
(struct_declaration name: (identifier) @name) @def.type
(interface_declaration name: (identifier) @name) @def.type
(enum_declaration name: (identifier) @name) @def.type
(delegate_declaration name: (identifier) @name) @def.variable
([(class_declaration (base_list (_) @base)) (record_declaration (base_list (_) @base)) (struct_declaration (base_list (_) @base)) (interface_declaration (base_list (_) @base))] @class.of)
([(class_declaration (parameter_list) body: (declaration_list (constructor_declaration))) (record_declaration (parameter_list) body: (declaration_list (constructor_declaration)))] @opaque)
(record_declaration "struct") @opaque
(enum_member_declaration name: (identifier) @name) @def.member
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.member
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.member
(event_declaration name: (identifier) @name) @def.member
(property_declaration name: (identifier) @name) @def.member
(method_declaration name: (identifier) @name parameters: (_) @params body: (_)? @local) @def.method
(constructor_declaration name: (identifier) @name parameters: (_) @params body: (_)? @local) @def.method
(accessor_declaration body: (_) @local)
(lambda_expression body: (_) @local)
(parameter_list (parameter name: (identifier) @name) @param.positional)
(parameter_list (parameter name: (identifier) @name . (_)) @param.positional @optional)
(parameter_list type: (_) name: (identifier) @name @param.rest)
