(class_declaration "class" name: (identifier) @name) @def.class
(class_declaration "interface" name: (identifier) @name) @def.holder @class.of
(class_declaration name: (identifier) @name (primary_constructor (class_parameters) @params @def.constructor))
(class_declaration (delegation_specifiers (delegation_specifier (constructor_invocation (user_type) @base)))) @class.of
(class_parameters (class_parameter (identifier) @name . ":") @param.positional)
(function_declaration name: (identifier) @name (function_value_parameters) @params) @def.function
(function_declaration (_) @extended . "." . name: (identifier)) @extends
(function_declaration (function_body) @local)
(function_value_parameters (parameter (identifier) @name . ":") @param.positional)
