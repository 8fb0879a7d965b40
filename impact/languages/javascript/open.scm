(assignment_expression left: (member_expression object: (identifier) @m property: (property_identifier) @p) right: [
  (identifier) (call_expression) (function_expression) (class) (arrow_function) (new_expression) (member_expression) (assignment_expression) (await_expression) (ternary_expression) (binary_expression)
  (object (spread_element)) (object (pair key: (computed_property_name)))] (#eq? @m "module") (#eq? @p "exports")) @open
(variable_declarator value: (member_expression object: (identifier) @m property: (property_identifier) @p) (#eq? @m "module") (#eq? @p "exports")) @open
(variable_declarator value: (assignment_expression (member_expression object: (identifier) @m property: (property_identifier) @p)) (#eq? @m "module") (#eq? @p "exports")) @open
(arguments (member_expression object: (identifier) @m property: (property_identifier) @p) (#eq? @m "module") (#eq? @p "exports")) @open
(arguments (identifier) @m (#eq? @m "exports")) @open
(assignment_expression left: (identifier) @m (#eq? @m "exports")) @open
(assignment_expression left: (subscript_expression object: [(identifier) (member_expression)] @m) (#match? @m "^(module\\.)?exports$")) @open
; only: typescript tsx
(export_statement "=") @open
(module name: (string)) @open
(export_statement "as" "namespace") @open
