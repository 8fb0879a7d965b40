(variable_list name: (identifier) @bound)
(variable_list name: (dot_index_expression field: (_) @store))
(variable_list attribute: (attribute (identifier) @defines))
(function_declaration name: (identifier) @bound)
(function_declaration name: [(dot_index_expression field: (_) @store) (method_index_expression method: (_) @store)])
(parameters name: (identifier) @bound)
(for_numeric_clause name: (identifier) @bound)
(function_declaration name: (_) @called) @around
