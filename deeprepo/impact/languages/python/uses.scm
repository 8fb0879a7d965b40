(call function: [(identifier) @name (list_splat (identifier) @name)] arguments: (_) @args)
(call function: (_ object: (_) @receiver attribute: (identifier) @name) arguments: (_) @args)
(attribute object: (_) @receiver attribute: (identifier) @name)
(keyword_argument name: (identifier) @key)
