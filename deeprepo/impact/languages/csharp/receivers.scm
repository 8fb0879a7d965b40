(using_directive) @statement
; a part of a namespace's name is no class, whatever classes are called so
((using_directive !name) @silent (#not-match? @silent "^(global\\s+)?using\\s+(static|unsafe)\\b"))
(namespace_declaration name: (_) @silent)
(file_scoped_namespace_declaration name: (_) @silent)
(member_access_expression expression: _ @receiver name: [(identifier) @name (generic_name . (identifier) @name)])
(invocation_expression
  function: (_ expression: _ @receiver name: [(identifier) @name (generic_name . (identifier) @name)])
  arguments: (_) @args)
(invocation_expression function: [(identifier) @name (generic_name . (identifier) @name)] arguments: (_) @args)
(conditional_access_expression condition: (_) @receiver (member_binding_expression name: [(identifier) @name (generic_name . (identifier) @name)]))
(invocation_expression
  function: (_
    condition: (_) @receiver
    (member_binding_expression name: [(identifier) @name (generic_name . (identifier) @name)]))
  arguments: (_) @args)
(qualified_name qualifier: (_) @receiver name: [(identifier) @name (generic_name . (identifier) @name)])
(object_creation_expression
  type: [
    (identifier) @name
    (generic_name . (identifier) @name)
    (qualified_name qualifier: (_) @receiver name: [(identifier) @name (generic_name . (identifier) @name)])]
  arguments: (_) @args)
(object_creation_expression
  type: [
    (identifier) @name
    (generic_name . (identifier) @name)
    (qualified_name qualifier: (_) @receiver name: [(identifier) @name (generic_name . (identifier) @name)])]
  !arguments
  initializer: (_) @args)
; an attribute calls a constructor
(attribute name: [(identifier) @name (qualified_name qualifier: (_) @receiver name: (identifier) @name)] (attribute_argument_list) @args)
(attribute name: [(identifier) @name @args (qualified_name qualifier: (_) @receiver name: (identifier) @name @args)] .)
(argument name: (identifier) @key)
(attribute_argument name: (identifier) @key)
(initializer_expression (_ left: (identifier) @key "="))
(object_creation_expression type: (_) @of initializer: (initializer_expression (_ left: (identifier) @key "=")))
(with_initializer . (identifier) @key)
(subpattern . (identifier) @key)
(property_declaration name: (identifier) @called) @around
(method_declaration (explicit_interface_specifier) name: (identifier) @bound @called) @around
; calls of constructors that write no class
(constructor_initializer "this" (argument_list) @args) @constructs.own
(constructor_initializer "base" (argument_list) @args) @constructs.base
(class_declaration (base_list . [
    (identifier) @constructs.base
    (generic_name . (identifier) @constructs.base)
    (qualified_name name: [(identifier) @constructs.base (generic_name . (identifier) @constructs.base)])]
  . (argument_list) @args))
(record_declaration (base_list . (primary_constructor_base_type
  type: [
    (identifier) @constructs.base
    (generic_name . (identifier) @constructs.base)
    (qualified_name name: [(identifier) @constructs.base (generic_name . (identifier) @constructs.base)])]
  (argument_list) @args)))
(class_declaration (base_list) body: (declaration_list (constructor_declaration name: (_) @place) @constructs.default)
  (#not-match? @constructs.default "^static\\b"))
([(class_declaration (base_list . [
    (identifier) @place
    (generic_name . (identifier) @place)
    (qualified_name name: [(identifier) @place (generic_name . (identifier) @place)])]))
  (record_declaration (base_list . [
    (identifier) @place
    (generic_name . (identifier) @place)
    (qualified_name name: [(identifier) @place (generic_name . (identifier) @place)])]))] @constructs.default
  (#not-match? @constructs.default "^[^{]*\\bpartial\\b|\\n[ \\t]*#[ \\t]*if\\b"))
; all
; of what class things are
(object_creation_expression type: (_) @type) @made
(cast_expression type: [(identifier) @type (generic_name) @type (qualified_name) @type (predefined_type) @type (nullable_type type: [(identifier) (generic_name) (qualified_name) (predefined_type)] @type)]) @made
(as_expression right: [(identifier) @type (generic_name) @type (qualified_name) @type (predefined_type) @type (nullable_type type: [(identifier) (generic_name) (qualified_name) (predefined_type)] @type)]) @made
(field_declaration (variable_declaration type: [(identifier) @type (generic_name) @type (qualified_name) @type (predefined_type) @type (nullable_type type: [(identifier) (generic_name) (qualified_name) (predefined_type)] @type)] (variable_declarator name: (identifier) @field)))
(variable_declaration type: [(identifier) @type (generic_name) @type (qualified_name) @type (predefined_type) @type (nullable_type type: [(identifier) (generic_name) (qualified_name) (predefined_type)] @type)] (variable_declarator name: (identifier) @var))
(variable_declaration type: (implicit_type) (variable_declarator name: (identifier) @var . (_) @is .))
(declaration_list (property_declaration type: [(identifier) @type (generic_name) @type (qualified_name) @type (predefined_type) @type (nullable_type type: [(identifier) (generic_name) (qualified_name) (predefined_type)] @type)] name: (identifier) @var @field)) @scope
(record_declaration (parameter_list (parameter type: [(identifier) @type (generic_name) @type (qualified_name) @type (predefined_type) @type (nullable_type type: [(identifier) (generic_name) (qualified_name) (predefined_type)] @type)] name: (identifier) @field)))
(parameter type: [(identifier) @type (generic_name) @type (qualified_name) @type (predefined_type) @type (nullable_type type: [(identifier) (generic_name) (qualified_name) (predefined_type)] @type)] name: (identifier) @var)
(foreach_statement type: [(identifier) @type (generic_name) @type (qualified_name) @type (predefined_type) @type (nullable_type type: [(identifier) (generic_name) (qualified_name) (predefined_type)] @type)] left: (identifier) @var)
(declaration_pattern type: [(identifier) @type (generic_name) @type (qualified_name) @type (predefined_type) @type (nullable_type type: [(identifier) (generic_name) (qualified_name) (predefined_type)] @type)] name: (identifier) @var)
(declaration_expression type: [(identifier) @type (generic_name) @type (qualified_name) @type (predefined_type) @type (nullable_type type: [(identifier) (generic_name) (qualified_name) (predefined_type)] @type)] name: (identifier) @var)
(recursive_pattern type: [(identifier) @type (generic_name) @type (qualified_name) @type (predefined_type) @type (nullable_type type: [(identifier) (generic_name) (qualified_name) (predefined_type)] @type)] name: (identifier) @var)
(catch_declaration type: [(identifier) @type (generic_name) @type (qualified_name) @type (predefined_type) @type (nullable_type type: [(identifier) (generic_name) (qualified_name) (predefined_type)] @type)] name: (identifier) @var)
(constructor_declaration (modifier) @word name: (identifier) @bound @called (#eq? @word "static")) @around
