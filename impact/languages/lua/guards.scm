(function_call name: (identifier) @caller (#any-of? @caller "pcall" "xpcall")) @foreseen
(if_statement condition: (_) @tested) @foreseen.asked
(elseif_statement condition: (_) @tested) @foreseen.asked
(binary_expression left: (_) @tested ["and" "or"]) @foreseen.asked
