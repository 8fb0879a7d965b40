; of what class things are
(cast_expression type: (type_descriptor type: [(type_identifier) @type (struct_specifier name: (_) @type)])) @made
; only: c
(field_declaration
  type: [(type_identifier) @type (struct_specifier name: (_) @type)]
  declarator: [(field_identifier) @field (_ declarator: (field_identifier) @field)])
(declaration
  type: [(type_identifier) @type (struct_specifier name: (_) @type)]
  declarator: [(identifier) @var (_ declarator: (identifier) @var) (_ declarator: (_ declarator: (identifier) @var))])
(parameter_declaration
  type: [(type_identifier) @type (struct_specifier name: (_) @type)]
  declarator: [(identifier) @var (_ declarator: (identifier) @var) (_ declarator: (_ declarator: (identifier) @var))])
; `{ .size = 1 }`
(declaration
  type: [(type_identifier) @of (struct_specifier name: (_) @of)]
  declarator: (init_declarator value: (initializer_list [
    (initializer_pair designator: (field_designator (field_identifier) @key))
    (initializer_list (initializer_pair designator: (field_designator (field_identifier) @key)))])))
; only: cpp
(declaration
  type: [(type_identifier) @type (struct_specifier name: (_) @type) (qualified_identifier) @type (template_type) @type]
  declarator: [
    (identifier) @var
    (reference_declarator (identifier) @var)
    (_ declarator: [(identifier) @var (reference_declarator (identifier) @var) (_ declarator: (identifier) @var)])])
(parameter_declaration
  type: [(type_identifier) @type (struct_specifier name: (_) @type) (qualified_identifier) @type (template_type) @type]
  declarator: [(identifier) @var (reference_declarator (identifier) @var) (_ declarator: (identifier) @var)])
(for_range_loop
  type: [(type_identifier) @type (qualified_identifier) @type (template_type) @type]
  declarator: [(identifier) @var (_ declarator: (identifier) @var) (reference_declarator (identifier) @var)])
; what a smart pointer points at
; when: tr<
(declaration
  type: [(template_type name: (_) @pointer arguments: (_ . (type_descriptor type: (_) @pointee) .)) (qualified_identifier name: (template_type name: (_) @pointer arguments: (_ . (type_descriptor type: (_) @pointee) .)))]
  declarator: [(identifier) @var (reference_declarator (identifier) @var) (_ declarator: (identifier) @var)]
  (#match? @pointer "(_|P|^)[pP]tr$"))
(parameter_declaration
  type: [(template_type name: (_) @pointer arguments: (_ . (type_descriptor type: (_) @pointee) .)) (qualified_identifier name: (template_type name: (_) @pointer arguments: (_ . (type_descriptor type: (_) @pointee) .)))]
  declarator: [(identifier) @var (reference_declarator (identifier) @var)]
  (#match? @pointer "(_|P|^)[pP]tr$"))
