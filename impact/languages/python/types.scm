(assignment left: (identifier) @var right: (call function: (identifier) @type (#match? @type "^_?[A-Z]")))
