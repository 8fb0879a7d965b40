(chunk (return_statement (expression_list . (identifier) @held .)))
(chunk (return_statement (expression_list . (function_call name: (identifier) @maker arguments: (arguments . (identifier) @held)) .)) (#eq? @maker "setmetatable"))
(chunk (return_statement (expression_list [(function_call) (dot_index_expression) (bracket_index_expression) (binary_expression) (parenthesized_expression)]) @open))
(chunk (return_statement (expression_list (_) . (_)) @open))
