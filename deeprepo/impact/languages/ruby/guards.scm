; when: rescue
(begin (rescue)) @guard
