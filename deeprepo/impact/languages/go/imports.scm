(import_spec !name path: (_) @spec) @import
(import_spec name: (package_identifier) @here path: (_) @spec) @import
(import_spec name: (dot) @star path: (_) @spec) @import
(import_spec name: (blank_identifier) @here path: (_) @spec) @import
