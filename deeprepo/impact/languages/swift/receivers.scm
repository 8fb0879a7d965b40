((_ . (simple_identifier) @type (call_suffix (value_arguments "("))) @made (#match? @type "^[A-Z]"))
((try_expression (_ . (simple_identifier) @type (call_suffix (value_arguments "(")))) @made (#match? @type "^[A-Z]"))
((try_expression (await_expression (_ . (simple_identifier) @type (call_suffix (value_arguments "("))))) @made (#match? @type "^[A-Z]"))
(constructor_expression (user_type) @type) @made
(_ (as_operator) . (user_type) @type) @made
(parameter name: (simple_identifier) @var
  [(user_type) @type (optional_type (user_type) @type) (existential_type (user_type) @type) (opaque_type (user_type) @type)])
(lambda_parameter name: (simple_identifier) @var
  [(user_type) @type (optional_type (user_type) @type) (existential_type (user_type) @type) (opaque_type (user_type) @type)])
(_ (pattern bound_identifier: (_) @var) . (type_annotation
  [(user_type) @type (optional_type (user_type) @type) (existential_type (user_type) @type) (opaque_type (user_type) @type)]))
(_ (pattern bound_identifier: (_) @var) . "=" . (_) @is)
; what is a member counts in all of its class, and behind `self`
(class_body (_ (_ bound_identifier: (_) @var @field) . (type_annotation
  [(user_type) @type (optional_type (user_type) @type) (existential_type (user_type) @type) (opaque_type (user_type) @type)]))) @scope
(class_body (_ (_ bound_identifier: (_) @var @field) . "=" . (_) @is)) @scope
; what a use is told to be in: an operator, an initializer, and a property
(_ "func" . _ @called) @around
(init_declaration "init" @called) @around
(protocol_property_declaration name: (_) @called) @around
(enum_class_body (_ name: (_ bound_identifier: (_) @called)) @around)
(class_body (_ name: (_ bound_identifier: (_) @called)) @around)
(type_parameter . (type_identifier) @var ":" . (user_type) @type)
