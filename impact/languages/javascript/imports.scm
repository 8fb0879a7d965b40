(import_statement source: (string) @spec @nothing) @import
(import_statement (import_clause (identifier) @default) source: (string) @spec) @import
(import_statement (import_clause (named_imports (import_specifier name: _ @there !alias))) source: (string) @spec) @import
(import_statement (import_clause (named_imports (import_specifier name: _ @there alias: _ @here))) source: (string) @spec) @import
(import_statement (import_clause (namespace_import (identifier) @here)) source: (string) @spec) @import
(export_statement (export_clause (export_specifier name: _ @there !alias)) source: (string) @spec) @import @hands_on
(export_statement (export_clause (export_specifier name: _ @there alias: _ @here)) source: (string) @spec) @import @hands_on
(export_statement (export_clause (export_specifier name: _ @there !alias)) !source) @import @hands_on
(export_statement (export_clause (export_specifier name: _ @there alias: _ @here)) !source) @import @hands_on
(export_statement "*" @star source: (string) @spec) @import @hands_on
(export_statement (namespace_export (identifier) @here) source: (string) @spec) @import @hands_on
(variable_declarator name: (identifier) @here value: (call_expression function: (identifier) @r arguments: (arguments . (string) @spec .)) (#eq? @r "require")) @import
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @there) value: (call_expression function: (identifier) @r arguments: (arguments . (string) @spec .)) (#eq? @r "require")) @import
(variable_declarator name: (object_pattern (pair_pattern key: (property_identifier) @there value: (identifier) @here)) value: (call_expression function: (identifier) @r arguments: (arguments . (string) @spec .)) (#eq? @r "require")) @import
(call_expression function: (identifier) @r arguments: (arguments . (string) @spec @nothing .) (#eq? @r "require")) @import
(call_expression function: (import) arguments: (arguments . (string) @spec @nothing)) @import
(try_statement body: (_) @guard handler: (_))
