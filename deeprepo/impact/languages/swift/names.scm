; imports, and types under another name
(import_declaration (identifier . (simple_identifier) @module)) @import
(typealias_declaration "typealias" . (type_identifier) @here "=" (user_type (type_identifier) @there .)) @alias
