(member_access_expression expression: (identifier) @receiver name: (identifier) @name)
(invocation_expression function: (member_access_expression expression: (identifier) @receiver name: (identifier) @name) arguments: (_) @args)
(object_creation_expression type: (identifier) @name arguments: (_) @args)
