(_ . expression: (identifier) @receiver name: (identifier) @name)
(_ . function: (_ . expression: (identifier) @receiver name: (identifier) @name) arguments: (_) @args)
(_ . "new" type: (identifier) @name arguments: (_) @args)
