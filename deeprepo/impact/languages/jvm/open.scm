; only: kotlin
(companion_object (delegation_specifiers) @open.owner)
; only: java
(import_declaration (scoped_identifier) @open.sought (#match? @open.sought "^(lombok|org\\.immutables|com\\.google\\.auto)\\b"))
([(marker_annotation name: (scoped_identifier) @open.sought) (annotation name: (scoped_identifier) @open.sought)] (#match? @open.sought "^(lombok|org\\.immutables|com\\.google\\.auto)\\b"))
; only: kotlin
; what others of its annotations make, a facade of several files, and classes that the grammar takes for an expression
((annotation [(user_type (identifier) @open.sought .) (constructor_invocation (user_type (identifier) @open.sought .))])
  (#any-of? @open.sought "Serializable" "Parcelize" "JvmMultifileClass"))
((file_annotation (user_type (identifier) @open.sought)) (#eq? @open.sought "JvmMultifileClass"))
(source_file [(infix_expression) (call_expression) (navigation_expression) (annotated_expression) (lambda_literal)] @open.sought)
; only: scala
; the members of something else are members here, too
(export_declaration (namespace_wildcard)) @open.owner
(export_declaration (namespace_selectors (namespace_wildcard))) @open.owner
(compilation_unit (export_declaration [(namespace_wildcard) (namespace_selectors (namespace_wildcard))]) @open.sought)
(annotation name: (_) @open.sought
  (#any-of? @open.sought "newtype" "newsubtype" "typeclass" "simulacrum" "Lenses" "JsonCodec" "deriving" "data" "deferred"))
; only: kotlin
; when: /\bby\b|@[A-Z]/
; what can give a class members that nobody writes, if the change adds it
((explicit_delegation) @dynamic)
(class_declaration (modifiers (annotation [(user_type (identifier) @n .) (constructor_invocation (user_type (identifier) @n .))]) @dynamic)
  (#not-match? @n "^(Suppress|Deprecated|OptIn|Immutable|Stable|Keep|Serializable|Parcelize|Singleton|Inject|Module|Component|RunWith|Config|Ignore|Test\\w*|\\w*Test|Experimental\\w*|\\w*Api|SuppressLint|VisibleForTesting|JvmInline|Target|Retention)$"))
; all
