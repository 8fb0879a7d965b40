; when: /\bexports\s*[.=\[/]|[=(,/]\s*(?:module\s*\.\s*)?exports\b/
; what is exported as a whole and is no object that is written there
(assignment_expression left: (member_expression) @m right: [
  (call_expression) (new_expression) (member_expression) (await_expression) (ternary_expression) (binary_expression)
  (_ left: (member_expression) "=") (generator_function) (template_string) (string) (array) (number)] @held (#eq? @m "module.exports")) @open @dynamic
(assignment_expression left: [(identifier) (member_expression)] @m right: (object [(spread_element) (pair key: (computed_property_name))]) (#match? @m "^(module\\.)?exports$")) @open @dynamic
(assignment_expression left: (member_expression) @m right: [(identifier) (function_expression) (arrow_function) (class)] @held (#eq? @m "module.exports"))
(assignment_expression left: (member_expression) @m right: (_ left: (identifier) @n "=" right: [(identifier) (function_expression) (arrow_function) (class)] @held)
  (#eq? @m "module.exports") (#eq? @n "exports"))
(assignment_expression left: (member_expression) @m right: (_ left: (identifier) @held "=") (#eq? @m "module.exports") (#not-eq? @held "exports"))
(variable_declarator name: (identifier) @held value: (_ left: (member_expression) @m "=") (#eq? @m "module.exports"))
(variable_declarator name: (identifier) @held value: (_ "=" right: (_ left: (member_expression) @m "=")) (#eq? @m "module.exports"))
; names that are given to what is exported in ways that nobody reads
(variable_declarator value: [(identifier) (member_expression)] @m (#match? @m "^(module\\.)?exports$")) @open @dynamic
(call_expression function: (_) @f arguments: (arguments [(identifier) (member_expression)] @m)
  (#match? @m "^(module\\.)?exports$") (#not-match? @f "^Object\\.(assign|definePropert(y|ies))$")) @open @dynamic
(call_expression function: (_) @f arguments: (arguments . [(identifier) (member_expression)] @m [(identifier) (call_expression) (member_expression) (object [(spread_element) (pair key: (computed_property_name))])])
  (#match? @m "^(module\\.)?exports$") (#match? @f "^Object\\.(assign|definePropert(y|ies))$")) @open @dynamic
(call_expression function: (_ property: (property_identifier) @p) arguments: (arguments . [(identifier) (member_expression)] @m) (#match? @m "^(module\\.)?exports$") (#eq? @p "defineProperties")) @open @dynamic
(assignment_expression left: (identifier) @m right: [(call_expression) (identifier) (new_expression) (member_expression)] (#eq? @m "exports")) @open @dynamic
(assignment_expression left: (_ object: [(identifier) (member_expression)] @m index: (_)) (#match? @m "^(module\\.)?exports$")) @open @dynamic
; all
(export_statement declaration: (_ (variable_declarator name: (_ [
  (pair_pattern value: [(object_pattern) (array_pattern) (assignment_pattern)]) (object_pattern) (array_pattern) (assignment_pattern)])))) @open
; when: /[(/]\s*this\s*[,/]/
(call_expression
  function: [(function_expression) (parenthesized_expression (function_expression))]
  arguments: (_ . (this) . [(function_expression) (arrow_function)])) @open
; all
; when: /\bProxy\b|\b(?:assign|assignIn|extend|merge|mixin|defaults|inherits|setPrototypeOf|definePropert\w+)\(|\]\s*=[^=]|\bextends\s+[\w.]+\(|\n[\w.]+\([A-Z]/
; what can give a module or a class names that nobody writes, if the change adds it
((new_expression constructor: (identifier) @c) @dynamic (#eq? @c "Proxy"))
((call_expression function: (_) @f) @dynamic (#match? @f "(?:^|\\.)(?:assign|assignIn|extend|merge|mixin|defaults|inherits|setPrototypeOf|defineProperty|defineProperties)$"))
(assignment_expression left: (subscript_expression index: [(identifier) (member_expression) (call_expression) (template_string)])) @dynamic
(program (expression_statement (call_expression arguments: (arguments (identifier) @c)) @dynamic (#match? @c "^[A-Z][a-z]")))
; all
; only: javascript
; when: /\bextends\s+[\w.]+\(/
(class_heritage (call_expression) @dynamic)
; all
; only: typescript tsx
; when: /\bextends\s+[\w.]+\(/
(class_heritage (extends_clause (call_expression) @dynamic))
; all
; only: typescript tsx
(module name: (string)) @open
(export_statement "as" "namespace") @open
(index_signature) @open.owner
; when: /\bexport\s*[=/]/
(export_statement "=" [(identifier) (class) (function_expression) (arrow_function)] @held)
(export_statement "=" [(call_expression) (new_expression) (member_expression) (object)]) @open
