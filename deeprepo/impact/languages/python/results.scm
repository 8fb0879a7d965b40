(function_definition "async"? @async name: (identifier) @name return_type: (_)? @result) @of
(decorated_definition definition: (function_definition name: (identifier) @name) @then.result) @of
((decorator) @opaque @first.result (#not-match? @opaque
  "^@(staticmethod|classmethod|(functools\\.)?(lru_cache|cache)\\b|(typing\\.)?(final|override))"))
(lambda) @of
[(return_statement) (yield)] @value
(return_statement (call function: (_) @class)) @value
