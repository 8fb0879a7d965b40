; when: eval
; what makes names that are written nowhere
(_ method: (identifier) @maker (#match? @maker "^((class|module|instance)_)?eval$")) @open @open.owner
; when: class_exec
(_ method: (identifier) @maker (#eq? @maker "class_exec")) @open @open.owner
; when: refine
(_ method: (identifier) @maker (#eq? @maker "refine")) @open @open.owner
; when: define_
(_ method: (identifier) @maker arguments: (argument_list . (_) @made) (#match? @maker "^define_(singleton_)?method$") (#not-match? @made "^(:\\w|['\"]\\w+[?!=]?['\"]$)")) @open @open.owner
; when: const_set
(_ method: (identifier) @maker arguments: (argument_list . (_) @made) (#eq? @maker "const_set") (#not-match? @made "^(:\\w|['\"]\\w+[?!=]?['\"]$)")) @open @open.owner
; when: _missing
(_ name: (identifier) @name parameters: (_) (#match? @name "^(method|const)_missing$")) @open @open.owner
