(call_expression . (identifier) @name (value_arguments) @args .)
(call_expression . (navigation_expression (_) @receiver . (identifier) @name .) (value_arguments) @args .)
