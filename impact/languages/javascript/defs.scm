(function_declaration body: (statement_block) @local)
(generator_function_declaration body: (statement_block) @local)
(function_expression body: (statement_block) @local)
(arrow_function body: (_) @local)
(method_definition body: (statement_block) @local)
(class_static_block body: (_) @local)
(function_declaration name: (identifier) @name) @def.function
(generator_function_declaration name: (identifier) @name) @def.function
(class_declaration name: (_) @name) @def.class
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @def.variable)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @def.variable)
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name)) @def.variable)
(export_statement (variable_declaration (variable_declarator name: (identifier) @name)) @def.variable)
(export_statement (_ (variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @name (pair_pattern value: (identifier) @name)
  (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name) (rest_pattern (identifier) @name)]))) @def.variable)
(export_statement (_ (variable_declarator name: (array_pattern (identifier) @name))) @def.variable)
(export_statement declaration: (_) @exported)
(export_statement "default" @name) @def.variable @exported
(assignment_expression
  left: (member_expression object: (identifier) @m property: (property_identifier) @p)
  right: (object [(shorthand_property_identifier) @name (pair key: (property_identifier) @name) (pair key: (string (string_fragment) @name)) (method_definition name: (property_identifier) @name)])
  (#eq? @m "module") (#eq? @p "exports")) @def.common @exported
(assignment_expression left: (member_expression object: (identifier) @m property: (property_identifier) @name) (#eq? @m "exports")) @def.common @exported
(assignment_expression left: (member_expression object: (member_expression object: (identifier) @m property: (property_identifier) @p) property: (property_identifier) @name)
  (#eq? @m "module") (#eq? @p "exports")) @def.common @exported
; only: typescript tsx
(function_declaration name: (identifier) @name parameters: (formal_parameters) @params) @def.function
(function_signature name: (identifier) @name parameters: (formal_parameters) @params) @def.function
(program (lexical_declaration (variable_declarator name: (identifier) @name !type value: (arrow_function parameters: (formal_parameters) @params))) @def.function)
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name !type value: (arrow_function parameters: (formal_parameters) @params))) @def.function)
(abstract_class_declaration name: (_) @name) @def.class
(interface_declaration name: (_) @name) @def.type
(type_alias_declaration name: (_) @name) @def.type
(enum_declaration name: (_) @name) @def.type
(internal_module name: (identifier) @name body: (_)? @local) @def.type
(module name: (identifier) @name body: (_)? @local) @def.type
(class_body (method_definition name: (property_identifier) @name parameters: (formal_parameters) @params) @def.method)
(class_body (method_signature name: (property_identifier) @name parameters: (formal_parameters) @params) @def.method)
(ambient_declaration (_ (variable_declarator name: (identifier) @name)) @def.variable)
(formal_parameters (required_parameter pattern: [(identifier) (object_pattern) (array_pattern)] @name !value) @param.only)
(formal_parameters (required_parameter pattern: [(identifier) (object_pattern) (array_pattern)] @name value: (_)) @param.only @optional)
(formal_parameters (optional_parameter pattern: (_) @name) @param.only @optional)
(formal_parameters (required_parameter pattern: (rest_pattern)) @param.rest)
; only: javascript
(class_body (method_definition name: (property_identifier) @name) @def.method)
; only: typescript tsx
(class_declaration (class_heritage (extends_clause value: (_) @base))) @class.of
(enum_body [(property_identifier) @name (enum_assignment name: (property_identifier) @name)]) @def.member
(class_body (public_field_definition name: (property_identifier) @name) @def.member)
(class_body (abstract_method_signature name: (property_identifier) @name) @def.member)
(formal_parameters (required_parameter (accessibility_modifier) pattern: (identifier) @name) @def.member)
; only: javascript
(class_declaration (class_heritage (_) @base)) @class.of
(class_body (field_definition property: (property_identifier) @name) @def.member)
; only: typescript tsx
(class_body (method_definition name: (private_property_identifier) @name) @def.member)
(class_body (public_field_definition name: (private_property_identifier) @name) @def.member)
