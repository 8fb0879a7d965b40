(function_call name: (identifier) @name arguments: (_) @args)
(function_call
  name: [(dot_index_expression table: (_) @receiver field: (_) @name) (method_index_expression table: (_) @receiver method: (_) @name)]
  arguments: (_) @args)
(dot_index_expression table: (_) @receiver field: (_) @name)
(method_index_expression table: (_) @receiver method: (_) @name)
(dot_index_expression table: (function_call name: (identifier) @load) field: (_) @taken (#eq? @load "require"))
(field name: (identifier) @key)
