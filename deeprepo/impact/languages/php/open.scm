(method_declaration name: (name) @n (#any-of? @n "__callStatic" "__call" "__get")) @open.owner
(function_call_expression function: (name) @f (#any-of? @f "class_alias" "eval")) @open
; when: /__call|__get|class_alias|\beval\b|\bextract\(|GLOBALS|\$\$|\$\{|spl_autoload_register|->\{|->\$|\bdefine\(|::(?:macro|mixin)\b/
; what can give a class or a namespace names that nobody writes, if the change adds it
((method_declaration name: (name) @n) @dynamic (#any-of? @n "__callStatic" "__call" "__get"))
((function_call_expression function: (name) @f) @dynamic (#any-of? @f "eval" "extract" "spl_autoload_register"))
((function_call_expression function: (name) @f arguments: (arguments (argument [(variable_name) (binary_expression) (subscript_expression) (member_access_expression) (function_call_expression)]))) @dynamic (#any-of? @f "class_alias" "define"))
(assignment_expression left: [(dynamic_variable_name) (member_access_expression name: (variable_name))] @dynamic)
(assignment_expression left: (subscript_expression (variable_name) @g [(variable_name) (binary_expression) (encapsed_string)]) @dynamic (#eq? @g "$GLOBALS"))
((scoped_call_expression name: (name) @n) @dynamic (#any-of? @n "macro" "mixin"))
; all
