; when: dynamicMemberLookup
(attribute (user_type (type_identifier) @open.sought) (#eq? @open.sought "dynamicMemberLookup"))
