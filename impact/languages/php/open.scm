(method_declaration name: (name) @n (#eq? @n "__callStatic")) @open.owner
(function_call_expression function: (name) @f (#any-of? @f "class_alias" "eval")) @open
