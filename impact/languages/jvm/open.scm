; only: kotlin
(companion_object (delegation_specifiers) @open.owner)
; only: java
(import_declaration (scoped_identifier) @open (#match? @open "^(lombok|org\\.immutables|com\\.google\\.auto)\\b"))
([(marker_annotation name: (scoped_identifier) @open) (annotation name: (scoped_identifier) @open)] (#match? @open "^(lombok|org\\.immutables|com\\.google\\.auto)\\b"))
