(function_call name: (identifier) @name arguments: (_) @args)
(function_call
  name: [(dot_index_expression table: (_) @receiver field: (_) @name) (method_index_expression table: (_) @receiver method: (_) @name)]
  arguments: (_) @args)
(dot_index_expression table: (_) @receiver field: (_) @name)
(method_index_expression table: (_) @receiver method: (_) @name)
(dot_index_expression table: (function_call name: (identifier) @load) field: (_) @taken (#eq? @load "require"))
(variable_list name: (identifier) @bound)
(variable_list name: (dot_index_expression field: (_) @store))
(variable_list attribute: (attribute (identifier) @defines))
(function_declaration name: (identifier) @bound)
(function_declaration name: [(dot_index_expression field: (_) @store) (method_index_expression method: (_) @store)])
(parameters name: (identifier) @bound)
(for_numeric_clause name: (identifier) @bound)
(field name: (identifier) @key)
(function_declaration name: (_) @called) @around
