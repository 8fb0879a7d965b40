(chunk (return_statement (expression_list . (identifier) @held .)))
(chunk (return_statement (expression_list . (function_call name: (identifier) @maker arguments: (arguments . (identifier) @held)) .)) (#eq? @maker "setmetatable"))
(chunk (return_statement (expression_list [(function_call) (dot_index_expression) (bracket_index_expression) (binary_expression) (parenthesized_expression)]) @open))
(chunk (return_statement (expression_list (_) . (_)) @open))
; when: /setmetatable|__index|rawset|\]\s*=|\bload\w*\b|\bdofile\b/
; what can give a table names that nobody writes, if the change adds it
((function_call name: (_) @f) @dynamic (#any-of? @f "setmetatable" "rawset" "load" "loadstring" "loadfile" "dofile"))
(assignment_statement (variable_list [(dot_index_expression field: (identifier) @n) (bracket_index_expression field: (string) @n)]) (expression_list [(function_definition) (identifier) (function_call)] @made) (#match? @n "__index") (#not-match? @made "^(self|[A-Z]\\w{0,2})$")) @dynamic
((bracket_index_expression table: (identifier) @t field: [(identifier) (binary_expression) (function_call) (dot_index_expression)]) @dynamic (#match? @t "^(_G|_ENV|_M|self|[A-Z]\\w*)$"))
; all
