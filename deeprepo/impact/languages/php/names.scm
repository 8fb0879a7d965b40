; how a file names what is in others: imports, qualified names, includes and calls of functions
(namespace_definition name: (_) @space) @namespace
(namespace_use_declaration) @use
[(qualified_name) (relative_name)] @qualified
[(require_expression (_) @loads) (require_once_expression (_) @loads)
 (include_expression (_) @loads) (include_once_expression (_) @loads)]
(function_call_expression function: (name) @called)
; what it defines outside classes, and its classes
(function_definition name: (name) @helper)
(const_declaration (const_element . (name) @helper))
(class_declaration name: (name) @class)
(interface_declaration name: (name) @class)
(trait_declaration name: (name) @class)
(enum_declaration name: (name) @class)
