(call_expression function: (identifier) @name arguments: (_) @args)
(call_expression function: (scoped_identifier path: (identifier) @receiver name: (identifier) @name) arguments: (_) @args)
(scoped_identifier path: (identifier) @receiver name: (identifier) @name)
