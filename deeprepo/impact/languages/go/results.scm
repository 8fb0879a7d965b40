(function_declaration name: (identifier) @name result: (_)? @result) @of
(method_declaration name: (field_identifier) @name result: (_)? @result) @of
