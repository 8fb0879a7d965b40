(interface_declaration name: (_) @owner body: (declaration_list [(method_declaration name: (_) @asks.heir !body) (property_declaration name: (_) @asks.heir !value)]))
(class_declaration (modifier "abstract") name: (_) @owner body: (declaration_list
  [(method_declaration (modifier "abstract") name: (_) @asks.heir) (property_declaration (modifier "abstract") name: (_) @asks.heir)]))
(property_declaration name: (_) @provided accessors: (accessor_list (accessor_declaration body: (_))))
([(method_declaration (modifier) @_word) (property_declaration (modifier) @_word)] @first.own (#any-of? @_word "static" "private"))
[(method_declaration name: (_) @provided) (property_declaration name: (_) @provided)] @then.own
(_ name: (_) @owner body: (declaration_list [
  (property_declaration (modifier) @word name: (_) @asks.build) (field_declaration (modifier) @word (variable_declaration (variable_declarator name: (_) @asks.build)))])
  (#eq? @word "required"))
(_ name: (_) @owner body: (declaration_list [(property_declaration name: (_) @may.build) (field_declaration (variable_declaration (variable_declarator name: (_) @may.build)))]))
(record_declaration name: (_) @owner (parameter_list (parameter name: (_) @may.build)))
((_ (modifier) @unlisted) @first.unlisted (#eq? @unlisted "partial"))
[(class_declaration name: (_) @owner) (struct_declaration name: (_) @owner) (record_declaration name: (_) @owner)] @then.unlisted
([(class_declaration name: (_) @name (base_list [(identifier) @of (qualified_name) @of (generic_name . (identifier) @of)]))
  (record_declaration name: (_) @name (base_list [(identifier) @of (qualified_name) @of (generic_name . (identifier) @of)]))
  (struct_declaration name: (_) @name (base_list [(identifier) @of (qualified_name) @of (generic_name . (identifier) @of)]))] @whole.heir)
(interface_declaration name: (_) @name (base_list [(identifier) @of (qualified_name) @of (generic_name . (identifier) @of)])) @whole.heir @rest
([(class_declaration (modifier) @rest) (record_declaration (modifier) @rest) (struct_declaration (modifier) @rest)] @whole.heir (#any-of? @rest "abstract" "partial"))
(class_declaration body: (declaration_list [
  (method_declaration (explicit_interface_specifier) name: (_) @part) (property_declaration (explicit_interface_specifier) name: (_) @part)])) @whole.heir
(object_creation_expression type: [(identifier) (qualified_name)] @of) @whole.build
(object_creation_expression initializer: (initializer_expression (assignment_expression left: (identifier) @part))) @whole.build
; a switch that gives a value, without a discard
(enum_declaration name: (_) @owner body: (enum_member_declaration_list (enum_member_declaration name: (_) @asks.choose)))
(switch_expression (switch_expression_arm) @arm) @whole.choose
(switch_expression (switch_expression_arm . (constant_pattern (member_access_expression expression: [(identifier) (member_access_expression)] @of name: (identifier) @part)))) @whole.choose
(switch_expression (switch_expression_arm (when_clause) @rest)) @whole.choose
