(import_from_statement module_name: (_) @spec name: (dotted_name) @there) @import
(import_from_statement module_name: (_) @spec name: (aliased_import name: (dotted_name) @there alias: (identifier) @here)) @import
(import_from_statement module_name: (_) @spec (wildcard_import) @star) @import
(import_statement name: (dotted_name) @spec) @import
(import_statement name: (aliased_import name: (dotted_name) @spec alias: (identifier) @here)) @import
(call function: [(identifier) (attribute)] @f arguments: (argument_list . (string (string_content) @spec @nothing)) (#match? @f "(^|\\.)import_module$")) @import @guard
(module [(if_statement) (for_statement) (while_statement) (match_statement)] @maybe)
(module (_ (_ [(if_statement) (for_statement) (while_statement) (match_statement)] @maybe)))
