(function_call name: (identifier) @caller (#any-of? @caller "pcall" "xpcall")) @handled
(if_statement condition: (_) @tested) @handled.asked
(elseif_statement condition: (_) @tested) @handled.asked
(binary_expression left: (_) @tested ["and" "or"]) @handled.asked
; what a test asks for
(if_statement condition: [(identifier) (dot_index_expression) (bracket_index_expression)] @asked)
(elseif_statement condition: [(identifier) (dot_index_expression) (bracket_index_expression)] @asked)
(parenthesized_expression [(identifier) (dot_index_expression) (bracket_index_expression)] @asked)
(unary_expression "not" operand: [(identifier) (dot_index_expression) (bracket_index_expression)] @asked)
(binary_expression [(identifier) (dot_index_expression) (bracket_index_expression)] @asked ["and" "or"])
(binary_expression ["and" "or"] [(identifier) (dot_index_expression) (bracket_index_expression)] @asked)
(binary_expression left: [(identifier) (dot_index_expression) (bracket_index_expression)] @asked ["==" "~="] right: (nil))
