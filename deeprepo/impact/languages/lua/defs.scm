(function_declaration body: (_) @local)
(function_definition body: (_) @local)
(function_declaration name: (identifier) @name parameters: (_) @params) @def.function
(function_declaration
  name: [(dot_index_expression table: (_) @owner field: (_) @name) (method_index_expression table: (_) @owner method: (_) @name)]
  parameters: (_) @params) @def.function
(variable_declaration (variable_list name: (identifier) @name)) @def.variable
(assignment_statement (variable_list name: (identifier) @name)) @first.variable
(assignment_statement (expression_list . value: (_) @value) (#not-match? @value "^require\\b")) @def.variable @then.variable
(assignment_statement (variable_list . name: (identifier) @name .) (expression_list . value: (function_definition parameters: (_) @params) @def.function))
; members of tables
(assignment_statement (variable_list name: [
  (dot_index_expression table: (_) @owner field: (_) @name)
  (bracket_index_expression table: (_) @owner field: (string content: (string_content) @name))])
  (#match? @name "^[A-Za-z_]\\w*$")) @def.member
(assignment_statement
  (variable_list . name: [
    (dot_index_expression table: (_) @owner field: (_) @name)
    (bracket_index_expression table: (_) @owner field: (string content: (string_content) @name))] .)
  (expression_list . value: (function_definition parameters: (_) @params) @def.method)
  (#match? @name "^[A-Za-z_]\\w*$"))
(assignment_statement
  (variable_list . name: (identifier) @owner .)
  (expression_list . value: (table_constructor [
    (field name: [(identifier) @name (string content: (string_content) @name)] value: (_) @means) @def.member
    (field name: [(identifier) @name (string content: (string_content) @name)] value: (function_definition parameters: (_) @params) @def.method)]))
  (#match? @name "^[A-Za-z_]\\w*$"))
; what the file returns
(chunk (return_statement (expression_list . (table_constructor [
  (field name: [(identifier) @name (string content: (string_content) @name)] value: (_) @means) @def.common
  (field name: [(identifier) @name (string content: (string_content) @name)] value: (function_definition parameters: (_) @params) @def.function @common)]) .))
  (#match? @name "^[A-Za-z_]\\w*$"))
(chunk (return_statement (expression_list . (function_definition "function" @default parameters: (_) @params) @def.function @common .)))
(parameters name: (identifier) @name @param.only)
(parameters (vararg_expression) @name @param.rest)
