; what names do; `(_ method: ...)` is a call: written so it compiles in a third of the time
(call receiver: (_)? @receiver method: (_) @name @args arguments: (_)? @args)
(scope_resolution scope: (_) @receiver name: (constant) @name (#match? @name "^[A-Z][A-Z0-9_]+$"))
(assignment left: (_ method: (identifier) @store))
(operator_assignment left: (_ method: (identifier) @store))
(left_assignment_list (_ method: (identifier) @store))
(hash_key_symbol) @key
(alias alias: (identifier) @defines)
(singleton_method object: (constant) @receiver name: (_) @name)
(singleton_class value: (constant) @receiver body: (_ (method name: (_) @name)))
; when: /define_|alias_method/
(_ receiver: (constant) @receiver method: (identifier) @maker arguments: (argument_list . (simple_symbol) @name)
  (#match? @maker "^(define_method|define_singleton_method|alias_method)$"))
; when: /_eval|_exec/
(_ receiver: (constant) @receiver method: (identifier) @taker block: (_ body: (_ (method name: (_) @name)))
  (#match? @taker "^(instance|class|module|singleton_class)_(eval|exec)$"))
; all
; variables
(assignment left: [(identifier) @bound @var (instance_variable) @field] right: (_) @is)
(operator_assignment left: [(identifier) @bound @var (instance_variable) @field] right: (_) @is)
[(left_assignment_list (identifier) @bound)
 (destructured_left_assignment (identifier) @bound)
 (rest_assignment (identifier) @bound)
 (for pattern: (identifier) @bound)
 (exception_variable (identifier) @bound)
 (as_pattern name: (identifier) @bound)]
[(method_parameters (identifier) @bound)
 (block_parameters (identifier) @bound)
 (lambda_parameters (identifier) @bound)
 (destructured_parameter (identifier) @bound)
 (optional_parameter name: (identifier) @bound)
 (keyword_parameter name: (identifier) @bound)
 (splat_parameter name: (identifier) @bound)
 (hash_splat_parameter name: (identifier) @bound)
 (block_parameter name: (identifier) @bound)]
; of what class things are
(_ receiver: [(constant) @name @type (scope_resolution name: (constant) @name @type)] method: (identifier) @new @args arguments: (_)? @args
  (#eq? @new "new")) @made
(scope_resolution name: (constant) @type) @made
; calls of constructors that write no class
(_ . method: (identifier) @constructs.own arguments: (_) @args (#eq? @constructs.own "new"))
(_ receiver: [(self) (_ receiver: (self))] @object method: (identifier) @constructs.own @args arguments: (_)? @args
  (#match? @object "^self(\\.class)?$") (#eq? @constructs.own "new"))
(singleton_method body: (_ (identifier) @constructs.own @args (#eq? @constructs.own "new")))
; when: super
(method name: (identifier) @method body: (_ [(super) @constructs.base @args (_ method: (super) @constructs.base arguments: (_) @args)])
  (#eq? @method "initialize"))
; code whose object may be another
; when: _eval
(_ method: (identifier) @taker block: (_) @this (#match? @taker "^(instance|class|module)_eval$"))
; when: _exec
(_ method: (identifier) @taker block: (_) @this (#match? @taker "^(instance|class|module)_exec$"))
