(begin (rescue)) @guard
