; only: typescript tsx
(function_declaration "async"? @async name: (identifier) @name return_type: (type_annotation (_) @result)) @of
(method_definition "async"? @async name: (property_identifier) @name return_type: (type_annotation (_) @result)) @of
(variable_declarator name: (identifier) @name value: (arrow_function "async"? @async return_type: (type_annotation (_) @result)) @of)
