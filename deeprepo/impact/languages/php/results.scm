(function_definition name: (name) @name return_type: (_) @result) @of
(method_declaration name: (name) @name return_type: (_) @result) @of
