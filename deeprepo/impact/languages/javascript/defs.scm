; code that is hidden inside
(function_declaration body: (statement_block) @local)
(generator_function_declaration body: (statement_block) @local)
(generator_function body: (statement_block) @local)
(function_expression body: (statement_block) @local)
(arrow_function body: (_) @local)
(method_definition body: (statement_block) @local)
(class_static_block body: (_) @local)
; functions, classes, variables
(function_declaration name: (identifier) @name parameters: (_) @params) @def.function
(generator_function_declaration name: (identifier) @name parameters: (_) @params) @def.function
(class_declaration name: (_) @name) @def.class
(variable_declarator name: (identifier) @name !value) @def.variable
(variable_declarator name: (identifier) @name value: (_) @value (#not-match? @value "^(await\\s+)?(require|import)\\s*\\(")) @def.variable
(export_statement (_ (variable_declarator name: (identifier) @name value: (_) @value (#match? @value "^(await\\s+)?(require|import)\\s*\\(")) @def.variable))
(variable_declarator name: (identifier) @name value: (_ [parameters: (_) parameter: (_)] @params) @def.function)
(variable_declarator name: (identifier) @name value: (class) @def.class)
(export_statement (_ (variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @name (pair_pattern value: (identifier) @name)
  (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name) (rest_pattern (identifier) @name)]))) @def.variable)
(export_statement (_ (variable_declarator name: (_ (identifier) @name))) @def.variable)
(export_statement declaration: (_) @exported)
(export_statement "default" declaration: (_) @withheld)
(export_statement "default" @name @def.variable @exported value: (_) @means)
(export_statement "default" @name @def.variable @exported declaration: (_ name: (_) @means))
(export_statement "default" value: (_) @exported)
(export_statement "default" @name value: (_ [parameters: (_) parameter: (_)] @params) @def.function)
(export_statement "default" @name value: (class) @def.class)
; CommonJS
; when: /\bexports\s*[.=\[/]|[=(,/]\s*(?:module\s*\.\s*)?exports\b/
(assignment_expression
  left: [(identifier) (member_expression)] @m
  right: (object [
    (shorthand_property_identifier) @name @means @def.common
    (pair key: (property_identifier) @name value: (_) @means) @def.common
    (pair key: (string (string_fragment) @name) value: (_) @means) @def.common
    (pair key: (property_identifier) @name value: (_ [parameters: (_) parameter: (_)] @params) @def.function @common)
    (method_definition name: (property_identifier) @name parameters: (_) @params) @def.function @common])
  (#match? @m "^(module\\.)?exports$"))
(assignment_expression left: (_ object: (_) @m property: (property_identifier) @name) right: (_) @means (#match? @m "^(module\\.)?exports$")) @def.common
(assignment_expression left: (_ object: (_) @m property: (property_identifier) @name) right: (_ [parameters: (_) parameter: (_)] @params) @def.function @common (#match? @m "^(module\\.)?exports$"))
(assignment_expression left: (_ object: (_) @m property: (property_identifier) @name) right: (class) @def.class @common (#match? @m "^(module\\.)?exports$"))
(assignment_expression left: (member_expression) @m right: [
  (function_expression name: (_) @name parameters: (_) @params) @def.function
  (function_expression "function" @default !name parameters: (_) @params) @def.function
  (_ [parameters: (_) parameter: (_)] @params "=>" @default) @def.function
  (class name: (_) @name) @def.class
  (class "class" @default !name) @def.class] (#eq? @m "module.exports"))
(assignment_expression left: (_ property: (_) @default) @m right: [
  (call_expression) (new_expression) (member_expression) (await_expression) (ternary_expression) (binary_expression) (template_string) (string) (array) (number)]
  (#eq? @m "module.exports")) @def.common
(call_expression
  function: (_ object: (identifier) @o property: (property_identifier) @p)
  arguments: (arguments . (_) @m . (string (string_fragment) @name) . (object))
  (#eq? @o "Object") (#eq? @p "defineProperty") (#match? @m "^(module\\.)?exports$")) @def.common
(call_expression
  function: (_ object: (identifier) @o property: (property_identifier) @p)
  arguments: (arguments . (_) @m (object [
    (shorthand_property_identifier) @name @means @def.common
    (pair key: (property_identifier) @name value: (_) @means) @def.common
    (method_definition name: (property_identifier) @name parameters: (_) @params) @def.function @common]))
  (#eq? @o "Object") (#eq? @p "assign") (#match? @m "^(module\\.)?exports$"))
; all
; members that are given to a function or a class
; when: prototype
(assignment_expression
  left: (_ object: (_ object: (identifier) @owner property: (property_identifier) @p) property: (property_identifier) @name)
  (#eq? @p "prototype")) @def.member
(assignment_expression
  left: (_ object: (_ object: (identifier) @owner property: (property_identifier) @p) property: (property_identifier) @name)
  right: (_ [parameters: (_) parameter: (_)] @params) @def.method
  (#eq? @p "prototype"))
; all
(expression_statement (_
  left: (_ object: (identifier) @owner property: (property_identifier) @name) "=" right: (_ [parameters: (_) parameter: (_)] @params) @def.method)
  (#not-match? @owner "^(module|exports)$"))
(program (expression_statement (_ left: (_ object: (identifier) @owner property: (property_identifier) @name) "=") @def.bound) (#not-match? @owner "^(module|exports)$"))
; members of classes
(pair key: (property_identifier) @name value: (class) @def.holder)
(assignment_expression left: (_ property: (property_identifier) @name) @m right: (class !name) @def.holder (#not-eq? @m "module.exports"))
(class_body (_ name: (property_identifier) @name parameters: (_) @params) @def.method)
(class_body (_ name: (private_property_identifier) @name parameters: (_) @params body: (_)) @def.method)
(method_definition ["get" "set"] name: (_) @valued)
(method_definition "static") @static
(class_body (_ (private_property_identifier) @kept))
(arrow_function parameter: (identifier) @params @name @param.positional)
; only: typescript tsx
(variable_declarator type: (_) value: [(arrow_function) (function_expression)] @opaque)
(variable_declarator name: (identifier) @name value: (_ . (_ [parameters: (_) parameter: (_)] @params) @def.function ["as" "satisfies"]))
(function_signature name: (identifier) @name parameters: (formal_parameters) @params) @def.function
(abstract_class_declaration name: (_) @name) @def.class
(interface_declaration name: (_) @name) @def.type
(type_alias_declaration name: (_) @name value: (object_type)) @def.type
(type_alias_declaration name: (_) @name value: (_) @value (#not-match? @value "^[{]")) @def.type @more
(type_alias_declaration name: (_) @name value: [(intersection_type) (union_type) (conditional_type) (array_type) (lookup_type)] @value (#match? @value "^[{]")) @def.type @more
(type_alias_declaration value: (object_type (method_signature name: (property_identifier) @name parameters: (_) @params) @def.method))
(type_alias_declaration value: (object_type (property_signature name: (property_identifier) @name) @def.member))
(enum_declaration name: (_) @name) @def.type
(internal_module name: (identifier) @name body: (_)? @local) @def.type
(export_statement declaration: (import_alias . (identifier) @name) @def.type @more)
(module name: (identifier) @name body: (_)? @local) @def.type
(module name: (string) body: (_) @local)
(ambient_declaration (_ (variable_declarator name: (identifier) @name)) @def.variable)
(class_body (_ name: [(property_identifier) (private_property_identifier)] @name !parameters) @def.member)
(class_body (_ name: [(property_identifier) (private_property_identifier)] @name value: (_ [parameters: (_) parameter: (_)] @params) @def.method))
(class_body (_ type: (_) value: [(arrow_function) (function_expression) (generator_function)] @opaque))
(class_body (_ (accessibility_modifier) @a name: (_) @kept) (#eq? @a "private"))
(required_parameter (accessibility_modifier) @a pattern: (identifier) @kept (#eq? @a "private"))
(required_parameter [(accessibility_modifier) (override_modifier) "readonly"] pattern: (identifier) @name) @def.member
(interface_body (method_signature name: (property_identifier) @name parameters: (_) @params) @def.method)
(interface_body (property_signature name: (property_identifier) @name) @def.member)
(enum_body (property_identifier) @name @def.member)
(enum_body (enum_assignment name: (property_identifier) @name) @def.member)
(class_declaration (class_heritage (extends_clause value: (_) @base))) @class.of
(abstract_class_declaration (class_heritage (extends_clause value: (_) @base))) @class.of
(class (class_heritage (extends_clause value: (_) @base))) @class.of
(interface_declaration (extends_type_clause type: (_) @base)) @class.of
(required_parameter pattern: [(identifier) (object_pattern) (array_pattern)] @name !value) @param.positional
(required_parameter pattern: [(identifier) (object_pattern) (array_pattern)] @name value: (_)) @param.positional @optional
((required_parameter pattern: [(identifier) (object_pattern) (array_pattern)] @name type: (_ [(predefined_type) (union_type)] @t)) @param.positional @optional
  (#match? @t "^(any|unknown|void)$|[|][ \\n]*(undefined|void)\\b|^(undefined|void)\\b"))
(optional_parameter pattern: (_) @name) @param.positional @optional
(required_parameter pattern: (rest_pattern (_) @name)) @param.rest
; all
; when: /\bexport\s*[=/]/
; only: typescript tsx
(export_statement "=" [
  (function_expression name: (_) @name parameters: (_) @params) @def.function
  (function_expression "function" @default !name parameters: (_) @params) @def.function
  (_ parameters: (_) @params "=>" @default) @def.function
  (class name: (_) @name) @def.class
  (class "class" @default !name) @def.class])
; all
; only: javascript
(class_body (_ property: [(property_identifier) (private_property_identifier)] @name) @def.member)
(class_body (_ property: [(property_identifier) (private_property_identifier)] @name value: (_ [parameters: (_) parameter: (_)] @params) @def.method))
(class_declaration (class_heritage (_) @base)) @class.of
(class (class_heritage (_) @base)) @class.of
(formal_parameters [(identifier) (object_pattern) (array_pattern)] @name @param.positional)
(formal_parameters (assignment_pattern left: (_) @name) @param.positional @optional)
(formal_parameters (rest_pattern (_) @name) @param.rest)
