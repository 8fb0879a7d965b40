(class_constant_access_expression . (name) @receiver (name) @name .) @use.member
(scoped_call_expression scope: (name) @receiver name: (name) @name arguments: (_) @args) @use.call
(scoped_property_access_expression scope: (name) @receiver name: (variable_name (name) @name)) @use.member
(object_creation_expression (name) @name (arguments) @args) @use.call
(try_statement body: (_) @guard)
