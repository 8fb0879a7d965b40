(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @here)
  (expression_list . value: (function_call name: (identifier) @load arguments: (arguments . (string) @spec .))))
  (#eq? @load "require")) @import
(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @here)
  (expression_list . value: (dot_index_expression
    table: (function_call name: (identifier) @load arguments: (arguments . (string) @spec .)) field: (_) @there)))
  (#eq? @load "require")) @import
(dot_index_expression
  table: (function_call name: (identifier) @load arguments: (arguments . (string) @spec .)) field: (_) @takes
  (#eq? @load "require")) @import
(function_call name: (identifier) @load arguments: (arguments . (string) @spec @nothing .) (#eq? @load "require")) @import
