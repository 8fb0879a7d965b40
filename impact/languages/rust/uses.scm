(call_expression function: (identifier) @name arguments: (_) @args) @use.call
(call_expression function: (scoped_identifier path: (identifier) @receiver name: (identifier) @name) arguments: (_) @args) @use.call
(scoped_identifier path: (identifier) @receiver name: (identifier) @name) @use.member
(let_declaration pattern: (identifier) @bound)
(parameter pattern: (identifier) @bound)
(closure_parameters (identifier) @bound)
(for_expression pattern: (identifier) @bound)
(function_item name: (identifier) @bound)
(enum_item name: (type_identifier) @bound)
(struct_item name: (type_identifier) @bound)
(mod_item name: (identifier) @bound)
(type_parameter name: (type_identifier) @bound)
(use_declaration (scoped_use_list list: (use_list (scoped_identifier name: (identifier) @bound))))
(use_declaration (scoped_use_list list: (use_list (scoped_use_list list: (use_list (identifier) @bound)))))
(use_declaration) @store
