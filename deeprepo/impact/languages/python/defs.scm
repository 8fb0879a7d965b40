(function_definition name: (identifier) @name parameters: (parameters) @params body: (block) @local) @def.function
(lambda body: (_) @local)
(class_definition name: (identifier) @name) @def.class
(class_definition superclasses: (argument_list [(identifier) (attribute) (subscript) (call) (keyword_argument)] @base)) @class.of
(class_definition) @class.of @then.class
((decorator) @base @first.class (#not-match? @base
  "^@([\\w.]+\\.)?(final|no_type_check|deprecated|dataclass|total_ordering|unique|runtime_checkable)\\b"))
(assignment left: (identifier) @name) @def.variable
(assignment left: [(pattern_list (identifier) @name) (tuple_pattern (identifier) @name) (list_pattern (identifier) @name)]) @def.variable
(assignment left: [(pattern_list (_ (identifier) @name)) (tuple_pattern (_ (identifier) @name))]) @def.variable
(assignment left: [(pattern_list (_ (_ (identifier) @name))) (tuple_pattern (_ (_ (identifier) @name)))]) @def.variable
(augmented_assignment left: (identifier) @name) @def.variable
(named_expression name: (identifier) @name) @def.variable
(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @def.variable
(for_statement left: (identifier) @name) @def.bound
(for_statement left: (_ (identifier) @name)) @def.bound
(for_statement left: (_ (_ (identifier) @name))) @def.bound
(as_pattern alias: (_ [(identifier) @name (_ (identifier) @name) (_ (_ (identifier) @name))])) @def.bound
(case_pattern [(dotted_name . (identifier) @name .) (as_pattern (identifier) @name)]) @def.bound
(keyword_pattern (dotted_name . (identifier) @name .)) @def.bound
(splat_pattern (identifier) @name) @def.bound
(global_statement (identifier) @name) @def.global
(assignment left: (_ object: (identifier) @self attribute: (identifier) @name) (#any-of? @self "self" "cls")) @def.attribute
(assignment left: (_ (attribute object: (identifier) @self attribute: (identifier) @name)) (#any-of? @self "self" "cls")) @def.attribute
(assignment left: (_ (_ (attribute object: (identifier) @self attribute: (identifier) @name))) (#any-of? @self "self" "cls")) @def.attribute
(for_statement left: [(_ object: (identifier) @self attribute: (identifier) @name) (_ (attribute object: (identifier) @self attribute: (identifier) @name))] (#any-of? @self "self" "cls")) @def.attribute
(as_pattern alias: (_ (_ object: (identifier) @self attribute: (identifier) @name)) (#any-of? @self "self" "cls")) @def.attribute
((decorator) @first.opaque (#not-match? @first.opaque
  "^@(staticmethod|classmethod|(functools\\.)?(lru_cache|cache)\\b|(contextlib\\.)?contextmanager|(contextlib\\.)?asynccontextmanager|(abc\\.)?abstractmethod|(typing\\.)?(final|override|overload)\\b|(dataclasses\\.)?dataclass(\\((frozen|slots|eq|order|repr|unsafe_hash|kw_only|match_args|True|False|[=,\\s])*\\))?$)"))
((decorator) @first.dataclass (#match? @first.dataclass "^@(dataclasses\\.)?dataclass\\b"))
(decorated_definition definition: (class_definition name: (identifier) @name !superclasses body: (block) @params) @def.class @then.dataclass)
(decorated_definition definition: (class_definition body: (_ (expression_statement (_ left: (identifier) @name type: (_) @type !right) @param.positional)) @params) @then.dataclass
  (#not-match? @type "ClassVar|KW_ONLY"))
(decorated_definition definition: (class_definition body: (_ (expression_statement (_ left: (identifier) @name type: (_) @type right: (_) @right) @param.positional @optional)) @params) @then.dataclass
  (#not-match? @type "ClassVar") (#not-match? @right "init\\s*=\\s*False"))
(decorated_definition definition: (class_definition body: (_ (expression_statement (_ type: (_) @type) @param.keyword_after)) @params) @then.dataclass
  (#match? @type "KW_ONLY"))
(assignment left: (_ object: (_) @self attribute: (identifier) @name) (#eq? @self "self.__class__")) @def.attribute
(type_alias_statement left: (type (attribute object: (parenthesized_expression) attribute: (identifier) @name))) @def.attribute ; so the grammar reads `type(self).name = value`
(list_splat_pattern (attribute object: (identifier) @self attribute: (identifier) @name) (#any-of? @self "self" "cls")) @def.attribute
(assignment left: (identifier) @word right: (_ (string (string_content) @name)) (#eq? @word "__slots__")) @def.attribute
(assignment left: (_ object: (identifier) @owner attribute: (identifier) @name) (#not-match? @owner "^(self|cls)$")) @def.attribute
((decorator) @first.static (#match? @first.static "^@staticmethod"))
((decorator) @first.on_class (#match? @first.on_class "^@classmethod"))
(parameters [(identifier) @name @param.positional (typed_parameter . (identifier) @name) @param.positional])
(parameters [(default_parameter name: (identifier) @name) (typed_default_parameter name: (identifier) @name)] @param.positional @optional)
(parameters [(list_splat_pattern (identifier) @name) (typed_parameter (list_splat_pattern (identifier) @name))] @param.rest)
(parameters [(dictionary_splat_pattern (identifier) @name) (typed_parameter (dictionary_splat_pattern (identifier) @name))] @param.named_rest)
(parameters (keyword_separator) @param.keyword_after)
(parameters (positional_separator) @param.only_before)
