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
; when: /\*[A-Z_a-z@(]|define_|_set|alias_method|delegate_missing_to|attr_|_exec|_eval|\beval|_missing|OpenStruct|(?:Class|Module)\.new/
; what can give a class or a module names that nobody writes, if the change adds it
((call method: (identifier) @maker) @dynamic (#match? @maker "^((class|module|instance)_(eval|exec)|eval|delegate_missing_to)$"))
((call method: (identifier) @maker arguments: (argument_list . (_) @made)) @dynamic
  (#match? @maker "^(define_(singleton_)?method|const_set|alias_method|(cattr|mattr|attr|class_attribute|thread_mattr)\\w*|delegate|scope)$") (#not-match? @made "^(:\\w|['\"]\\w+[?!=]?['\"]$)"))
((call method: (identifier) @maker arguments: (argument_list . (simple_symbol) @made)) @dynamic (#match? @maker "^(public_|__)?send_*$") (#match? @made "^:(define_(singleton_)?method|const_set|alias_method|attr_\\w+|remove_method|include|extend|prepend)$"))
([(class body: (_ (call !receiver arguments: (argument_list (splat_argument))) @dynamic)) (module body: (_ (call !receiver arguments: (argument_list (splat_argument))) @dynamic))
  (singleton_class body: (_ (call !receiver arguments: (argument_list (splat_argument))) @dynamic)) (do_block body: (_ (call !receiver arguments: (argument_list (splat_argument))) @dynamic))])
((method name: (identifier) @name) @dynamic (#match? @name "^(method|const)_missing$"))
((singleton_method name: (identifier) @name) @dynamic (#match? @name "^(method|const)_missing$"))
(superclass (call)) @dynamic
((superclass (constant) @name) @dynamic (#eq? @name "OpenStruct"))
((call receiver: (constant) @name method: (identifier) @maker) @dynamic (#any-of? @name "Class" "Module") (#eq? @maker "new"))
; all
