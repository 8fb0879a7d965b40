; `of_type`: internal names are visible, too
((import_declaration (modifiers (attribute) @_mark) (identifier . (simple_identifier) @spec)) @import.member @star (#eq? @_mark "@testable"))
((import_declaration (modifiers (attribute) @_mark) (identifier . (simple_identifier) @spec)) @import @star @hands_on (#eq? @_mark "@_exported"))
(import_declaration (identifier . (simple_identifier) @spec)) @import @star
(typealias_declaration "typealias" . (type_identifier) @here "=" (user_type (type_identifier) @there .)) @import
