; `(_ method: ...)` is a call: written so it compiles in a third of the time
(class name: [(constant) @name (scope_resolution name: (constant) @name)]) @def.class @visible.anywhere
(module name: [(constant) @name (scope_resolution name: (constant) @name)]) @def.class @visible.anywhere
(method name: (_) @name parameters: (_)? @params body: (_)? @local) @def.function
(singleton_method name: (_) @name parameters: (_)? @params body: (_)? @local) @def.function @visible.anywhere
(assignment left: (constant) @name (#match? @name "^[A-Z][A-Z0-9_]*$")) @def.variable @visible.anywhere
; `Point = Struct.new(:x)` is spelt like a class, and may be one
(assignment left: (constant) @name (#not-match? @name "^[A-Z][A-Z0-9_]*$")) @def.class @as.variable @visible.anywhere
(alias name: (_) @name) @def.member
(_ method: (identifier) @maker arguments: (argument_list (simple_symbol) @name)
  (#match? @maker "^attr(_accessor|_reader|_writer)?$")) @def.member
; when: alias_method
(_ method: (identifier) @maker arguments: (argument_list . (simple_symbol) @name) (#eq? @maker "alias_method")) @def.member
; when: define_
(_ method: (identifier) @maker arguments: (argument_list . [(simple_symbol) @name (string (string_content) @name)])
  (#match? @maker "^define_(singleton_)?method$")) @def.member @as.method
; when: const_set
(_ method: (identifier) @maker arguments: (argument_list . [(simple_symbol) @name (string (string_content) @name)])
  (#eq? @maker "const_set")) @def.member @as.method
; all
; code in a block defines something only where the block runs
(_ method: (_) @taker block: (_ body: (_) @local) (#not-match? @taker "^(class_methods|included|prepended|new|define)$"))
(lambda body: (_) @local)
; what a class inherits from, and what it mixes in or delegates
(class superclass: (superclass (_) @base)) @class.of
(class
  body: (_ (_ method: (identifier) @mixer arguments: (argument_list (_) @base)))
  (#match? @mixer "^(include|extend|prepend|delegate|(def_|def_instance_)delegators?|alias_method)$")) @class.of
(module
  body: (_ (_ method: (identifier) @mixer arguments: (argument_list (_) @base)))
  (#match? @mixer "^(include|extend|prepend|delegate|(def_|def_instance_)delegators?|alias_method)$")) @class.of
; who can call a method
; when: private
(body_statement (identifier) @behind.self (#eq? @behind.self "private"))
(body_statement (identifier) @behind.anywhere (#match? @behind.anywhere "^(public|protected|module_function)$"))
(_ method: (identifier) @word arguments: (argument_list [(method) (call) (simple_symbol)] @visible.self) (#eq? @word "private"))
; all
; parameters
(method_parameters (identifier) @name @param.positional)
(method_parameters (destructured_parameter) @name @param.positional)
(method_parameters (optional_parameter name: (identifier) @name) @param.positional @optional)
(method_parameters (keyword_parameter name: (identifier) @name !value) @param.keyword)
(method_parameters (keyword_parameter name: (identifier) @name value: (_)) @param.keyword @optional)
(method_parameters (splat_parameter name: (identifier)? @name) @param.rest)
(method_parameters (hash_splat_parameter name: (identifier)? @name) @param.named_rest)
; what stands behind optional ones cannot be counted from the left
(method parameters: (_ [(optional_parameter) (splat_parameter) (keyword_parameter)] . [(identifier) (destructured_parameter)])) @opaque
(singleton_method parameters: (_ [(optional_parameter) (splat_parameter) (keyword_parameter)] . [(identifier) (destructured_parameter)])) @opaque
(method parameters: (_ [(forward_parameter) (hash_splat_nil)])) @opaque
(singleton_method parameters: (_ [(forward_parameter) (hash_splat_nil)])) @opaque
