(assignment_expression left: (_ property: (property_identifier) @store))
(array_pattern (member_expression property: (property_identifier) @store))
(pair_pattern value: (member_expression property: (property_identifier) @store))
(for_in_statement left: (member_expression property: (property_identifier) @store))
(unary_expression "typeof" @asked (_ property: (property_identifier) @store))
(variable_declarator name: (identifier) @bound !value)
(variable_declarator name: (identifier) @bound value: (_) @v (#not-match? @v "^(await )?require\\("))
(variable_declarator name: (_ [(identifier) @bound (shorthand_property_identifier_pattern) @bound (pair_pattern value: (_) @bound) (_ (shorthand_property_identifier_pattern) @bound)])) @first.bound
(variable_declarator value: (_) @v (#not-match? @v "^(await )?require\\(")) @then.bound
(for_in_statement left: (identifier) @bound)
(for_in_statement left: (_ [(identifier) (shorthand_property_identifier_pattern)] @bound))
(assignment_expression left: (identifier) @bound)
(catch_clause parameter: (identifier) @bound)
(function_declaration name: (identifier) @bound)
(generator_function_declaration name: (identifier) @bound)
(function_expression name: (identifier) @bound)
(class_declaration name: (_) @bound)
(class name: (_) @bound)
(arrow_function parameter: (identifier) @bound)
(assignment_pattern left: (identifier) @bound)
(rest_pattern (identifier) @bound)
(array_pattern (identifier) @bound)
[(assignment_pattern left: (_ [(shorthand_property_identifier_pattern) @bound (pair_pattern value: (identifier) @bound) (_ left: (shorthand_property_identifier_pattern) @bound)]))
  (pair_pattern value: (_ [(shorthand_property_identifier_pattern) @bound (pair_pattern value: (identifier) @bound) (_ left: (shorthand_property_identifier_pattern) @bound)]))
  (array_pattern (_ [(shorthand_property_identifier_pattern) @bound (pair_pattern value: (identifier) @bound) (_ left: (shorthand_property_identifier_pattern) @bound)]))
  (catch_clause (_ [(shorthand_property_identifier_pattern) @bound (pair_pattern value: (identifier) @bound) (_ left: (shorthand_property_identifier_pattern) @bound)]))]
(assignment_expression left: (subscript_expression object: (_) @receiver index: (string (string_fragment) @name @store)))
; when: Object.
(call_expression function: (_ object: (identifier) @o property: (_) @f) arguments: (arguments . (_) @receiver . (string (string_fragment) @name @store))
  (#eq? @o "Object") (#eq? @f "defineProperty"))
(call_expression function: (_ object: (identifier) @o property: (_) @f) arguments: (arguments . (_) @receiver (object
  [(pair key: (property_identifier) @name @store) (method_definition name: (property_identifier) @name @store) (shorthand_property_identifier) @name @store]))
  (#eq? @o "Object") (#eq? @f "assign"))
; all
; what is bound or taken where an import may bind it: new lines leave that to the import
(variable_declarator name: (identifier) @defines)
(pair_pattern value: (identifier) @defines)
(shorthand_property_identifier_pattern) @defines
; what code is told to be in
(function_declaration name: (_) @called) @around
(generator_function_declaration name: (_) @called) @around
(class_declaration name: (_) @called) @around
(method_definition name: (_) @called) @around
(variable_declarator name: (identifier) @called value: [(arrow_function) (function_expression) (class)]) @around
(pair key: (_) @called value: [(arrow_function) (function_expression) (class)]) @around
; when: /\.\s*#/
(member_expression object: (_) @receiver property: (private_property_identifier))
; when: super(
; `super(1)`, `new this(1)`, `new this.constructor(1)`
(method_definition
  name: (property_identifier) @constructor
  body: (statement_block (expression_statement (call_expression function: (super) @constructs.base arguments: (_) @args)))
  (#eq? @constructor "constructor"))
; all
; when: new this
(method_definition "static" body: (statement_block (_ (new_expression constructor: (this) arguments: (_) @args) @constructs.own)))
(method_definition body: (statement_block (_
  (new_expression constructor: (_ object: (this) property: (_) @constructor) arguments: (_) @args) @constructs.own))
  (#eq? @constructor "constructor"))
; all
; only: typescript tsx
(required_parameter pattern: (identifier) @bound)
(optional_parameter pattern: (identifier) @bound)
[(required_parameter pattern: (_ [(shorthand_property_identifier_pattern) @bound (pair_pattern value: (identifier) @bound) (_ left: (shorthand_property_identifier_pattern) @bound)]))
  (optional_parameter pattern: (_ [(shorthand_property_identifier_pattern) @bound (pair_pattern value: (identifier) @bound) (_ left: (shorthand_property_identifier_pattern) @bound)]))]
(type_parameter name: (type_identifier) @bound)
(abstract_class_declaration name: (_) @called) @around
(interface_declaration name: (_) @called) @around
(class_body (_ name: (_) @called value: [(arrow_function) (function_expression) (class)]) @around)
; all
; only: javascript
(formal_parameters (identifier) @bound)
(formal_parameters (_ [(shorthand_property_identifier_pattern) @bound (pair_pattern value: (identifier) @bound) (_ left: (shorthand_property_identifier_pattern) @bound)]))
(class_body (_ property: (_) @called value: [(arrow_function) (function_expression) (class)]) @around)
