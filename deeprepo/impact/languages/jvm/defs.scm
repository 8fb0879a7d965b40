; only: java
(class_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.type
(enum_declaration name: (identifier) @name) @def.class
(record_declaration name: (identifier) @name parameters: (_) @params) @def.class
(annotation_type_declaration name: (identifier) @name) @def.type
[(object_creation_expression (class_body) @class.nameless @local) (enum_constant body: (class_body) @class.nameless @local)]
(class_declaration superclass: (superclass (_) @base)) @class.of
(class_declaration interfaces: (super_interfaces (type_list (_) @base))) @class.of
(enum_declaration interfaces: (super_interfaces (type_list (_) @base))) @class.of
(record_declaration interfaces: (super_interfaces (type_list (_) @base))) @class.of
(record_declaration "record" @base) @class.of
(interface_declaration (extends_interfaces (type_list (_) @base))) @class.of
(class_declaration (modifiers [(marker_annotation name: (_) @a) (annotation name: (_) @a)]) (#not-match? @a "^(Deprecated|SuppressWarnings|FunctionalInterface)$")) @opaque
(enum_declaration (modifiers [(marker_annotation name: (_) @a) (annotation name: (_) @a)]) (#not-match? @a "^(Deprecated|SuppressWarnings)$")) @opaque
(record_declaration (modifiers [(marker_annotation name: (_) @a) (annotation name: (_) @a)]) (#not-match? @a "^(Deprecated|SuppressWarnings)$")) @opaque
(enum_constant name: (identifier) @name) @def.member @static
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @def.member
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @def.member @static
(annotation_type_element_declaration name: (identifier) @name) @def.member
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @def.component))
([(field_declaration (modifiers) @words) (method_declaration (modifiers) @words)] @static (#match? @words "\\bstatic\\b"))
(method_declaration name: (identifier) @name parameters: (_) @params body: (_)? @local) @def.method
(constructor_declaration name: (identifier) @name parameters: (_) @params body: (_)? @local) @def.constructor
(record_declaration name: (identifier) @name parameters: (_) @params @def.constructor)
(static_initializer (_) @local)
(lambda_expression body: (_) @local)
(formal_parameters (formal_parameter name: (identifier) @name) @param.only)
(formal_parameters (spread_parameter (variable_declarator name: (identifier) @name)) @param.rest)
; `private` is for its file; what no word restricts is for its package, but for what an interface holds
((_ (modifiers) @words) @visible.file (#match? @words "\\bprivate\\b"))
(program (_ . name: (_)) @visible.package)
(program (_ (modifiers) @words) @visible.package (#not-match? @words "\\b(public|protected|private)\\b"))
(class_body [(_ . name: (_)) (_ . type: (_)) (_ . (type_parameters))] @visible.package)
(class_body (_ (modifiers) @words) @visible.package (#not-match? @words "\\b(public|protected|private)\\b"))
(enum_body_declarations [(_ . name: (_)) (_ . type: (_)) (_ . (type_parameters))] @visible.package)
(enum_body_declarations (_ (modifiers) @words) @visible.package (#not-match? @words "\\b(public|protected|private)\\b"))
; only: kotlin
((file_annotation (constructor_invocation (user_type (identifier) @word) (value_arguments (value_argument (string_literal (string_content) @module))))) (#eq? @word "JvmName"))
(class_declaration "class" name: (identifier) @name) @def.class
(class_declaration "interface" name: (identifier) @name) @def.type
; after some annotations the grammar takes a class for an expression
(infix_expression . (_) . (identifier) @class . [(identifier) @name (call_expression . (identifier) @name)] (#eq? @class "class")) @def.class
(class_declaration "class" name: (identifier) @name (primary_constructor (class_parameters) @params)) @def.class
(class_declaration (class_body (secondary_constructor))) @opaque
(class_declaration name: (identifier) @name (primary_constructor (class_parameters) @params @def.constructor))
(class_declaration name: (identifier) @name
  (class_body (secondary_constructor (function_value_parameters) @params) @def.constructor))
; annotations make constructors
(primary_constructor (modifiers (annotation)) (class_parameters) @opaque)
(class_parameters (class_parameter (identifier) @name . ":") @param.positional)
(class_parameters (class_parameter (identifier) @name . ":" "=") @param.positional @optional)
(class_parameters (class_parameter (modifiers) @m (identifier) @name . ":") @param.rest (#match? @m "vararg"))
(function_value_parameters (parameter (identifier) @name . ":") @param.positional)
(function_value_parameters (parameter (identifier) @name . ":") @param.positional @optional . "=")
(function_value_parameters (parameter_modifiers) @m . (parameter (identifier) @name . ":") @param.rest (#match? @m "vararg"))
(object_declaration name: (identifier) @name) @def.class
(object_literal (class_body) @class.nameless @local)
(enum_entry (class_body) @class.nameless @local)
(class_declaration (delegation_specifiers (delegation_specifier (constructor_invocation (user_type) @base)))) @class.of
(class_declaration (delegation_specifiers (delegation_specifier (user_type) @base))) @class.of
(class_declaration (delegation_specifiers (delegation_specifier (explicit_delegation (user_type) @base)))) @class.of
(object_declaration (delegation_specifiers (delegation_specifier (constructor_invocation (user_type) @base)))) @class.of
(object_declaration (delegation_specifiers (delegation_specifier (user_type) @base))) @class.of
; what a data class has is written nowhere
(class_declaration (modifiers (class_modifier) @word (#eq? @word "data")) (primary_constructor (class_parameters) @params @named.copy @def.method))
(class_declaration (modifiers (class_modifier) @base (#any-of? @base "data" "value"))) @class.of
(enum_entry (identifier) @name) @def.member @static
(class_parameter ["val" "var"] (identifier) @name . ":") @def.component
(property_declaration (variable_declaration (identifier) @name)) @def.variable
(property_declaration (multi_variable_declaration (variable_declaration (identifier) @name))) @def.variable
(function_declaration name: (identifier) @name (function_value_parameters) @params) @def.function
; an extension is called like a member of the type before its name
(function_declaration (_) @extended . "." . name: (identifier)) @extends
(property_declaration (_) @extended . "." . (variable_declaration)) @extends
; the type itself may have a member of a short name, and so may what is overridden
(function_declaration (_) . "." . name: (identifier) @word (#not-match? @word "[a-z0-9][A-Z]")) @opaque
(function_declaration (modifiers (member_modifier) @word (#eq? @word "override"))) @opaque
(object_declaration (delegation_specifiers) (class_body (function_declaration) @opaque))
(object_declaration (class_body [(function_declaration) (property_declaration)] @static))
(companion_object (class_body [(function_declaration) (property_declaration)] @static))
((_ (modifiers (visibility_modifier) @word (#eq? @word "private"))) @visible.file)
(primary_constructor (modifiers (visibility_modifier) @word (#eq? @word "private")) (class_parameters) @visible.file)
(function_declaration (function_body) @local)
(secondary_constructor (block) @local)
(anonymous_initializer (block) @local)
(getter (function_body) @local)
(setter (function_body) @local)
(lambda_literal) @local
(type_alias type: (identifier) @name) @def.type
; only: scala
(class_definition name: (_) @name) @def.class
(trait_definition name: (_) @name) @def.type
(object_definition name: (_) @name) @def.class @singleton
(enum_definition name: (_) @name) @def.class
(given_definition name: (_) @name) @def.holder
(given_definition name: (_) @name) @def.variable
(given_definition !name body: (_) @class.nameless @local)
(instance_expression (template_body) @class.nameless @local)
(_ extend: (extends_clause [(type_identifier) (generic_type) (stable_type_identifier) (projected_type)] @base)) @class.of
(given_definition return_type: (_) @base) @class.of
; what is derived, or made by a macro, is written nowhere
(_ derive: (derives_clause "derives" @base)) @class.of
(class_definition (annotation name: (_) @base
  (#any-of? @base "newtype" "newsubtype" "typeclass" "simulacrum" "Lenses" "JsonCodec" "deriving" "data" "deferred"))) @class.of
; the first list of a class is what constructs it, and of a case class its fields
(class_definition name: (_) @name . class_parameters: (_) @params @def.constructor)
(class_definition name: (_) @name . [(type_parameters) (access_modifier)] . class_parameters: (_) @params @def.constructor)
(class_definition name: (_) @name . (type_parameters) . (access_modifier) . class_parameters: (_) @params @def.constructor)
(class_definition "case" [name: (_) (type_parameters) (access_modifier)] . class_parameters: (_ (class_parameter name: (_) @name) @def.component))
(enum_definition class_parameters: (_ (class_parameter name: (_) @name) @def.component))
(class_parameter ["val" "var"] name: (_) @name) @def.component
(simple_enum_case name: (_) @name) @def.member @static
(full_enum_case name: (_) @name) @def.member @static
(val_definition pattern: [(identifier) @name (_ (identifier) @name)]) @def.variable
(var_definition pattern: [(identifier) @name (_ (identifier) @name)]) @def.variable
(val_declaration name: (_) @name) @def.variable
(var_declaration name: (_) @name) @def.variable
(type_definition name: (_) @name) @def.type
(export_declaration [(identifier) @name (_ alias: (_) @name)] .) @def.variable
(export_declaration (namespace_selectors [(identifier) @name (_ alias: (_) @name)])) @def.variable
; what takes no list may be called like one that does: by the value that it gives
([(function_definition !parameters name: (_) @name @params) (function_declaration !parameters name: (_) @name @params)] @def.function @opaque)
([(function_definition name: (_) @name (type_parameters) @params . [return_type: (_) body: (_)])
  (function_declaration name: (_) @name (type_parameters) @params . return_type: (_))] @def.function @opaque)
([(function_definition name: (_) @name . (type_parameters)? . (parameters) @params) (function_declaration name: (_) @name . (type_parameters)? . (parameters) @params)] @def.function
  (#not-eq? @name "this"))
(function_definition name: (_) @name . (parameters) @params (#eq? @name "this")) @def.constructor
(_ (parameter name: (_) @name) @param.positional)
(_ (parameter name: (_) @name default_value: (_)) @param.positional @optional)
(_ (parameter name: (_) @name type: (repeated_parameter_type)) @param.rest)
(_ (class_parameter name: (_) @name) @param.positional)
(_ (class_parameter name: (_) @name default_value: (_)) @param.positional @optional)
(_ (class_parameter name: (_) @name type: (repeated_parameter_type)) @param.rest)
; a list that the scope gives, a second list, and a parameter for which the compiler makes a tuple of several arguments
((class_parameters) @opaque (#match? @opaque "^\\(\\s*(implicit|using)\\b"))
(class_definition (class_parameters) @opaque . (class_parameters) @second (#not-match? @second "^\\(\\s*(implicit|using)\\b"))
((class_parameters . (class_parameter type: (_) @type) .) @opaque
  (#match? @type "^((Any|AnyRef|AnyVal|Object|Product|Unit|[A-Z]\\d?)\\b(?![.\\[])|\\()"))
(class_definition type_parameters: (_ name: (_) @own) class_parameters: (_ . (class_parameter type: (_) @type) .) @opaque (#eq? @own @type))
(class_definition (modifiers) @words class_parameters: (_) @opaque (#match? @words "\\binline\\b"))
(_ [name: (_) (type_parameters)] . (parameters) @first (#match? @first "^\\(\\s*(implicit|using)\\b")) @opaque
(_ name: (_) (parameters) . (parameters) @second (#not-match? @second "^\\(\\s*(implicit|using)\\b")) @opaque
(_ [name: (_) (type_parameters)] . (parameters . (parameter type: (_) @type) .)
  (#match? @type "^((Any|AnyRef|AnyVal|Object|Product|Unit|[A-Z]\\d?)\\b(?![.\\[])|\\()")) @opaque
(_ name: (_) (type_parameters name: (_) @own) . (parameters . (parameter type: (_) @type) .) (#eq? @own @type)) @opaque
; what is inherited may have other parameters
(function_definition (modifiers) @words (#match? @words "\\boverride\\b")) @opaque
(object_definition extend: (_) body: (_ [(function_definition) (function_declaration)] @opaque))
(object_definition body: (_ [(extension_definition (function_definition) @static) (_) @static]))
; a class that stands for what it takes: its members are called like that one's
(class_definition (modifiers) @words name: (_) @extended class_parameters: (_) body: (_ (_) @extends) (#match? @words "\\bimplicit\\b"))
(extension_definition parameters: (parameters (parameter type: (_) @extended)) body: (function_definition) @extends)
; of a package a private name is everybody's in it
([(class_definition body: (_ (_ (modifiers) @words) @visible.file)) (object_definition body: (_ (_ (modifiers) @words) @visible.file))
  (trait_definition body: (_ (_ (modifiers) @words) @visible.file)) (enum_definition body: (_ (_ (modifiers) @words) @visible.file))]
  (#match? @words "\\bprivate\\b(?!\\[(?!this))"))
(extension_definition (function_definition (modifiers) @words) @visible.file (#match? @words "\\bprivate\\b(?!\\[(?!this))"))
((class_parameter (modifiers) @words) @visible.file (#match? @words "\\bprivate\\b(?!\\[(?!this))"))
(block [(function_definition) (val_definition) (var_definition) (class_definition) (object_definition) (trait_definition) (type_definition) (given_definition)] @local)
(indented_block [(function_definition) (val_definition) (var_definition) (class_definition) (object_definition) (trait_definition) (type_definition) (given_definition)] @local)
(lambda_expression [(function_definition) (val_definition) (var_definition) (class_definition) (object_definition) (trait_definition) (type_definition) (given_definition)] @local)
(case_clause [(function_definition) (val_definition) (var_definition) (class_definition) (object_definition) (trait_definition) (type_definition) (given_definition)] @local)
; all
(ERROR) @local
