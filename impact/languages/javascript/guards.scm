; when: @ts-
((comment) @c . (_) @guard (#match? @c "@ts-(ignore|expect-error)"))
((program (comment) @c) @guard (#match? @c "@ts-nocheck"))
; all
(if_statement condition: (_) @tested) @foreseen.asked
(ternary_expression condition: (_) @tested) @foreseen.asked
(binary_expression left: (_) @tested operator: _ @o (#any-of? @o "&&" "||" "??")) @foreseen.asked
(binary_expression ["==" "!=" "===" "!=="] [(null) (undefined)]) @tested @foreseen.asked
; what a test asks for: not what it compares with another value, gives to a call or looks for in a list
(parenthesized_expression [(identifier) (member_expression) (subscript_expression)] @asked)
(ternary_expression condition: [(identifier) (member_expression) (subscript_expression)] @asked)
(unary_expression ["!" "typeof"] argument: [(identifier) (member_expression) (subscript_expression)] @asked)
(binary_expression [(identifier) (member_expression) (subscript_expression)] @asked ["&&" "||" "??"])
(binary_expression ["&&" "||" "??"] [(identifier) (member_expression) (subscript_expression)] @asked)
(binary_expression [(identifier) (member_expression) (subscript_expression)] @asked ["==" "!=" "===" "!=="] [(null) (undefined)])
(binary_expression [(null) (undefined)] ["==" "!=" "===" "!=="] [(identifier) (member_expression) (subscript_expression)] @asked)
(binary_expression left: (string) @asked "in")
(member_expression object: [(identifier) (member_expression) (subscript_expression)] @asked (optional_chain))
(unary_expression "typeof") @foreseen
(try_statement body: (_) @foreseen.import handler: (_))
; only: javascript
(call_expression function: [(identifier) @foreseen (_ property: (_) @foreseen)] (optional_chain))
; only: typescript tsx
(call_expression function: [(identifier) @foreseen (_ property: (_) @foreseen)] "?.")
