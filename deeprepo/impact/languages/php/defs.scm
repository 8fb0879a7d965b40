(class_declaration name: (name) @name) @def.class
(interface_declaration name: (name) @name @more) @def.class
(trait_declaration name: (name) @name @more) @def.class
(enum_declaration name: (name) @name) @def.class
(class_declaration (base_clause (_) @base)) @class.of
(interface_declaration (base_clause (_) @base)) @class.of
(class_declaration (class_interface_clause (_) @base)) @class.of
(enum_declaration (class_interface_clause (_) @base)) @class.of
(class_declaration body: (declaration_list (use_declaration (_) @base))) @class.of
(trait_declaration body: (declaration_list (use_declaration (_) @base))) @class.of
(enum_declaration body: (enum_declaration_list (use_declaration (_) @base))) @class.of
(const_element . (name) @name) @def.member
(function_call_expression function: (name) @define arguments: (arguments . (argument (string (string_content) @name))) (#eq? @define "define")) @def.variable
(property_declaration (property_element name: (variable_name (name) @name))) @def.member
(property_promotion_parameter name: (variable_name (name) @name)) @def.member
(enum_case name: (name) @name) @def.member
(method_declaration name: (name) @name parameters: (_) @params body: (_)? @local) @def.method
(function_definition name: (name) @name parameters: (_) @params body: (_)? @local) @def.function
(anonymous_function body: (_) @local)
(arrow_function body: (_) @local)
(formal_parameters (simple_parameter name: (variable_name (name) @name) !default_value) @param.positional)
(formal_parameters (simple_parameter name: (variable_name (name) @name) default_value: (_)) @param.positional @optional)
(formal_parameters (property_promotion_parameter name: (variable_name (name) @name) !default_value) @param.positional)
(formal_parameters (property_promotion_parameter name: (variable_name (name) @name) default_value: (_)) @param.positional @optional)
(formal_parameters (variadic_parameter name: (variable_name (name) @name)) @param.rest)
(class_declaration body: (declaration_list (method_declaration (visibility_modifier) @private name: (name) @name parameters: (_) @params) @def.method) (#eq? @private "private"))
(class_declaration body: (declaration_list (property_declaration (visibility_modifier) @private (property_element name: (variable_name (name) @name))) @def.member) (#eq? @private "private"))
(anonymous_class) @local @class.nameless
(trait_declaration) @class.nameless
([(function_definition body: (_) @body) (method_declaration body: (_) @body)] @opaque (#match? @body "\\bfunc_(get_args?|num_args)\\b"))
