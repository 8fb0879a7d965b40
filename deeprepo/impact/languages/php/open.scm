(method_declaration name: (name) @n (#any-of? @n "__callStatic" "__call" "__get")) @open.owner
(function_call_expression function: (name) @f (#any-of? @f "class_alias" "eval")) @open
