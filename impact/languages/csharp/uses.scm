(member_access_expression expression: (identifier) @receiver name: (identifier) @name) @use.member
(invocation_expression function: (member_access_expression expression: (identifier) @receiver name: (identifier) @name) arguments: (_) @args) @use.call
(object_creation_expression type: (identifier) @name arguments: (_) @args) @use.call
(using_directive name: (identifier) @bound)
(variable_declarator name: (identifier) @bound)
(parameter name: (identifier) @bound)
(parameter_list name: (identifier) @bound)
(implicit_parameter) @bound
(property_declaration name: (identifier) @bound)
(declaration_expression name: (identifier) @bound)
(declaration_pattern name: (identifier) @bound)
(foreach_statement left: (identifier) @bound)
(catch_declaration name: (identifier) @bound)
(type_parameter name: (identifier) @bound)
(local_function_statement name: (identifier) @bound)
(from_clause name: (identifier) @bound)
(tuple_pattern name: (identifier) @bound)
