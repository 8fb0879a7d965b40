(method_declaration returns: (_) @result name: (identifier) @name) @of
(local_function_statement type: (_) @result name: (identifier) @name) @of
