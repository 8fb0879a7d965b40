; an expression is told by its fields; a kind in the first place behind the `_` at a root costs most, unless it is the first child
(if_statement condition: (_) @tested) @handled.asked
(_ . condition: (_) @tested "?") @handled.asked
(_ . left: (_) @tested operator: ["&&" "||" "??"]) @handled.asked
(_ . left: (_) operator: ["==" "!=" "===" "!=="] right: [(null) (undefined)]) @tested @handled.asked
; what a test asks for: not what it compares with another value, gives to a call or looks for in a list
(parenthesized_expression [(identifier) (member_expression) (subscript_expression)] @asked)
(_ . condition: [(identifier) (member_expression) (subscript_expression)] @asked "?")
(_ . operator: ["!" "typeof"] argument: [(identifier) (member_expression) (subscript_expression)] @asked)
(_ . left: [(identifier) (member_expression) (subscript_expression)] @asked operator: ["&&" "||" "??"])
(_ . left: (_) operator: ["&&" "||" "??"] right: [(identifier) (member_expression) (subscript_expression)] @asked)
(_ . left: [(identifier) (member_expression) (subscript_expression)] @asked operator: ["==" "!=" "===" "!=="] right: [(null) (undefined)])
(_ . left: [(null) (undefined)] operator: ["==" "!=" "===" "!=="] right: [(identifier) (member_expression) (subscript_expression)] @asked)
(_ . left: (string) @asked operator: "in")
(_ . object: [(identifier) (member_expression) (subscript_expression)] @asked optional_chain: (_) property: (_))
(_ . operator: "typeof") @handled
(try_statement body: (_) @handled.import handler: (_))
; only: javascript
(_ . function: [(identifier) @handled (_ property: (_) @handled)] (optional_chain))
; only: typescript tsx
(_ . function: [(identifier) @handled (_ property: (_) @handled)] "?.")
