; when: dynamicMemberLookup
(attribute (user_type (type_identifier) @open.sought) (#eq? @open.sought "dynamicMemberLookup"))
; when: /dynamicMemberLookup|#[a-z]\w+|@[A-Z]/
; what can give a type members that nobody writes, if the change adds it
((attribute (user_type (type_identifier) @n)) @dynamic (#eq? @n "dynamicMemberLookup"))
((macro_invocation (simple_identifier) @n) @dynamic (#not-any-of? @n "Preview" "Predicate" "URL"))
(class_declaration (modifiers (attribute (user_type (type_identifier) @n)) @dynamic) (#match? @n "^[A-Z]") (#not-match? @n "^(MainActor|Suite|UIApplicationMain|NSApplicationMain|Test|\\w+Actor)$"))
; all
