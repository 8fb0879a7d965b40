(navigation_expression . (_) @receiver (navigation_suffix (simple_identifier) @name))
; `cart!.total`
(_ target: (postfix_expression . (_) @receiver) suffix: (navigation_suffix (simple_identifier) @name))
; `.total`: of the type that its place asks for
(_ operation: "." @receiver . target: (simple_identifier) @name)
(_ condition: "." @receiver . condition: (simple_identifier) @name)
(pattern "." @receiver . (simple_identifier) @name)
(user_type (type_identifier) @receiver . (type_arguments)? . (type_identifier) @name)
; the grammar binds arguments less tightly than an operator: in `1 + total(2)` it calls `1 + total`; and `total[1]` looks like a call
(call_expression
  . [
    (simple_identifier) @name
    (prefix_expression [(simple_identifier) @name (_ (navigation_suffix (simple_identifier) @name))])
    (_ [
      (navigation_suffix (simple_identifier) @name)
      rhs: (simple_identifier) @name
      rhs: (_ (navigation_suffix (simple_identifier) @name))
      rhs: (prefix_expression (simple_identifier) @name)])]
  (call_suffix . [(value_arguments . "(") (lambda_literal)] @args))
(constructor_expression (_ (type_identifier) @name . (type_arguments)? .) (_ . (_) @args))
; a wrapper or a macro: what it gets besides stands elsewhere
(attribute (_ (type_identifier) @name .)) @args
; which parameter a block behind the arguments is for depends on defaults
(call_expression
  . [(simple_identifier) @more (_ [(navigation_suffix (simple_identifier) @more) target: (simple_identifier) @more])]
  . (call_suffix (value_arguments) . (lambda_literal)))
(value_argument_label (simple_identifier) @key)
(call_suffix (simple_identifier) @key)
(value_argument reference_specifier: (_) @silent)
; the label of a parameter
(parameter external_name: (_) @silent)
; an extension uses the type to which it adds
(class_declaration name: (user_type . (type_identifier) @plain))
