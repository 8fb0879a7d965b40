(try_statement body: (_) @guard handler: (_))
; a pattern that ends in its last name is matched at once: one that waits for the module behind a thousand names takes the cube of them
(import_statement source: (string) @spec @nothing) @import
(import_statement (import_clause (identifier) @default)) @import
(import_statement (import_clause (named_imports (import_specifier name: _ @there !alias)))) @import
(import_statement (import_clause (named_imports (import_specifier name: _ @there alias: _ @here)))) @import
(import_statement (import_clause (namespace_import (identifier) @here))) @import
(export_statement (export_clause (export_specifier name: _ @there !alias))) @import @hands_on
(export_statement (export_clause (export_specifier name: _ @there alias: _ @here))) @import @hands_on
(export_statement "*" @star source: (string) @spec) @import @hands_on
(export_statement (namespace_export (identifier) @here) source: (string) @spec) @import @hands_on
; when: /require\.resolve|[mM]ock\b|(?:import|require)(?:Actual|Original)/
; Jest needs no file for a virtual mock, and Vitest and Bun none for a mock with a factory that does not load the original; Node takes an object
(_ . function: [(identifier) (member_expression)] @r arguments: (_ . (string) @spec @nothing) @word
  (#match? @r "^(require\\.resolve|(jest\\.)?((do|un)?[mM]ock|importActual|importOriginal|requireActual))$")
  (#not-match? @word "\\bvirtual\\s*:")) @import @guard
(_ . function: (member_expression) @r arguments: [(_ . (string) @spec @nothing .) (_ . (string) @spec @nothing . (object) .)]
  (#match? @r "^(vi\\.((do|un)?[mM]ock|importActual)|(\\w+\\.)?mock\\.module)$")) @import @guard
(_ . function: (member_expression) @r arguments: (_ . (string) @spec @nothing . [(arrow_function) (function_expression)] @word .)
  (#match? @r "^vi\\.(do)?[mM]ock$") (#match? @word "\\bimport(Original|Actual)\\b")) @import @guard
; when: require
(variable_declarator name: (identifier) @here value: (_ function: (identifier) @r arguments: (_ . (string) @spec .)) (#eq? @r "require")) @import
(variable_declarator name: (object_pattern) @taken value: (_ function: (identifier) @r arguments: (_ . (string) @spec .)) (#eq? @r "require")) @import
(_ . function: (identifier) @r arguments: (_ . (string) @spec @nothing .) (#eq? @r "require")) @import
(_ . object: (_ function: (identifier) @r arguments: (_ . (string) @spec)) property: (property_identifier) @takes (#eq? @r "require")) @import
(variable_declarator name: (identifier) @here value: (_ object: (_ function: (identifier) @r arguments: (_ . (string) @spec)) property: (property_identifier) @there)
  (#eq? @r "require")) @import
; a `require` that a function is passed means what its caller takes it for: a bundle's names, say
; when: require
; only: javascript
([(function_expression parameters: (formal_parameters (identifier) @word) body: (_) @guard)
  (arrow_function parameters: (formal_parameters (identifier) @word) body: (_) @guard)] (#eq? @word "require"))
; all
; when: import(
(variable_declarator name: (identifier) @here value: (_ "await" (_ function: (import) arguments: (_ . (string) @spec)))) @import
(variable_declarator name: (object_pattern) @taken
  value: (_ "await" (_ function: (import) arguments: (_ . (string) @spec)))) @import
(_ . function: (import) arguments: (_ . (string) @spec @nothing)) @import
([(arrow_function body: (_ function: (import) arguments: (_ . (string) @spec)))
  (return_statement (_ function: (import) arguments: (_ . (string) @spec)))
  (arguments (_ function: (import) arguments: (_ . (string) @spec)))
  (pair value: (_ function: (import) arguments: (_ . (string) @spec)))] @takes_default) @import @guard
(_ . object: (parenthesized_expression (_ "await" (_ function: (import) arguments: (_ . (string) @spec)))) property: (property_identifier) @takes) @import
(_ . function: (_ object: (_ function: (import) arguments: (_ . (string) @spec)) property: (property_identifier) @p)
  arguments: (_ . [(arrow_function) (function_expression)] @f) (#eq? @p "then") (#match? @f "\\bdefault\\b")) @import @guard @takes_default
; all
; only: typescript tsx
(import_statement (import_require_clause (identifier) @here source: (string) @spec)) @import
; names that are taken or handed on for types alone
(import_statement "type" (import_clause [
  (identifier) @type
  (namespace_import (identifier) @type)
  (named_imports [(import_specifier name: (_) @type !alias) (import_specifier alias: (_) @type)])]))
(import_specifier "type" name: (_) @type !alias)
(import_specifier "type" alias: (_) @type)
(export_statement "type" (export_clause [(export_specifier name: (_) @type !alias) (export_specifier alias: (_) @type)]))
(export_specifier "type" name: (_) @type !alias)
(export_specifier "type" alias: (_) @type)
