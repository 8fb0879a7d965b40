; when: abstractmethod
(class_definition name: (_) @owner superclasses: (argument_list) @word body: (_ (decorated_definition
  definition: (function_definition name: (_) @asks.heir) @then.abstract)) (#match? @word "\\bABC\\b|ABCMeta"))
((decorator) @first.abstract (#match? @first.abstract "^@(abc\\.)?abstractmethod$"))
(class_definition body: (_ (decorated_definition (decorator) @rest)) (#match? @rest "^@(abc\\.)?abstractmethod$")) @whole.heir
; all
(class_definition name: (_) @name superclasses: (argument_list [(identifier) (attribute)] @of)) @whole.heir
((class_definition superclasses: (argument_list [(identifier) (attribute)] @rest)) @whole.heir (#match? @rest "(^|\\.)(ABC|Protocol)$"))
(class_definition) @whole.heir @then.heir
((decorator) @rest @first.heir (#not-match? @rest
  "^@([\\w.]+\\.)?(final|dataclass|total_ordering)\\b"))
