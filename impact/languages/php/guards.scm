(try_statement body: (_) @guard)
