((comment) @c . (_) @guard (#match? @c "@ts-(ignore|expect-error)"))
((program (comment) @c) @guard (#match? @c "@ts-nocheck"))
(if_statement condition: (_) @tested) @foreseen.asked
(ternary_expression condition: (_) @tested) @foreseen.asked
(binary_expression left: (_) @tested ["&&" "||" "??" "==" "!=" "===" "!=="]) @foreseen.asked
(unary_expression "typeof") @foreseen
(try_statement body: (_) @foreseen.import handler: (_))
; only: javascript
(call_expression function: [(identifier) @foreseen (member_expression property: (_) @foreseen)] (optional_chain))
; only: typescript tsx
(call_expression function: [(identifier) @foreseen (member_expression property: (_) @foreseen)] "?.")
