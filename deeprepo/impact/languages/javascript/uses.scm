(_ . function: (identifier) @name arguments: (_) @args)
(_ . function: (_ object: (_) @receiver property: (property_identifier) @name) arguments: (_) @args)
(_ . "new" constructor: (identifier) @name arguments: (_) @args)
(_ !arguments . "new" constructor: (identifier) @name @args)
(_ . "new" constructor: (_ object: (_) @receiver property: (property_identifier) @name) arguments: (_) @args)
(member_expression object: (_) @receiver property: (property_identifier) @name)
(pair_pattern key: (property_identifier) @key)
(pair key: (property_identifier) @key)
(shorthand_property_identifier) @plain
(method_definition name: (property_identifier) @key)
(export_specifier alias: (identifier) @key)
(export_statement (export_clause (export_specifier name: (identifier) @taken))) @first.source
(export_statement source: (_)) @then.source
(variable_declarator
  name: (_ [
    (shorthand_property_identifier_pattern) @taken
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @taken)
    (pair_pattern key: (property_identifier) @taken)
    (pair_pattern value: (identifier) @taken)])) @first.taken
((variable_declarator value: [
    (_ function: [(identifier) (import)] @load)
    (_ "await" (_ function: [(identifier) (import)] @load))]) @then.taken
  (#any-of? @load "require" "import"))
; only: typescript tsx
(nested_type_identifier module: (_) @receiver name: (type_identifier) @name)
(property_signature name: (property_identifier) @key)
(method_signature name: (property_identifier) @key)
; all
; only: javascript tsx
(jsx_attribute (property_identifier) @key)
