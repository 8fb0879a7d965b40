(variable_declarator name: (identifier) @owner value: (_) @value)
(export_statement "default" @owner value: (_) @value)
; when: /\bexports\s*[.=\[/]|[=(,/]\s*(?:module\s*\.\s*)?exports\b/
(assignment_expression left: (_ object: (_) @m property: (property_identifier) @owner) right: (_) @value (#match? @m "^(module\\.)?exports$"))
(assignment_expression left: (member_expression) @m right: (object (pair key: (property_identifier) @owner value: (object) @value)) (#eq? @m "module.exports"))
