; when: require_relative
(_ method: (identifier) @m arguments: (argument_list . (string . (string_content) @spec .) .) (#eq? @m "require_relative")) @import @nothing @stars
