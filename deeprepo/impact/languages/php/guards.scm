(try_statement body: (_) @guard)
(function_call_expression function: (name) @function arguments: (_) @asked.anywhere (#match? @function "^(class|function|interface|trait|enum)_exists$"))
