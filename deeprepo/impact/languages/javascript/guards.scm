; when: @ts-
((comment) @c . (_) @guard (#match? @c "@ts-(ignore|expect-error)"))
((program (comment) @c) @guard (#match? @c "@ts-nocheck"))
