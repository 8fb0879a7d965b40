(class_constant_access_expression . (name) @receiver (name) @name .) @use.member
(scoped_call_expression scope: (name) @receiver name: (name) @name arguments: (_) @args) @use.call
(scoped_property_access_expression scope: (name) @receiver name: (variable_name (name) @name)) @use.member
(object_creation_expression (name) @name (arguments) @args) @use.call
(member_call_expression object: (variable_name (name) @receiver) name: (name) @name arguments: (_) @args) @use.call
(member_access_expression object: (variable_name (name) @receiver) name: (name) @name) @use.member
(assignment_expression left: (member_access_expression name: (name) @store))
(assignment_expression left: (variable_name (name) @bound))
(assignment_expression left: (list_literal (variable_name (name) @bound)))
(simple_parameter name: (variable_name (name) @bound))
(variadic_parameter name: (variable_name (name) @bound))
(property_promotion_parameter name: (variable_name (name) @bound))
(foreach_statement (variable_name (name) @bound))
(foreach_statement (pair (variable_name (name) @bound)))
(catch_clause name: (variable_name (name) @bound))
(anonymous_function_use_clause (variable_name (name) @bound))
