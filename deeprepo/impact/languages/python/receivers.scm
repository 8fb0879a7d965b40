(call function: (_) @type (#match? @type "^([\\w.]+\\.)?_*[A-Z]\\w*$")) @made
(assignment left: (identifier) @var right: (_) @is)
(as_pattern (_) @is alias: (_ (identifier) @var))
(assignment left: (identifier) @var type: (type [(identifier) (attribute)] @type) (#not-match? @type "^(Any|Optional|Union)$"))
(assignment left: (identifier) @var type: (type (generic_type (identifier) @optional (type_parameter (type [(identifier) (attribute)] @type)))) (#eq? @optional "Optional"))
(assignment left: (identifier) @var type: (type (binary_operator left: [(identifier) (attribute)] @type right: (none))))
[(typed_parameter . (identifier) @var type: (type [(identifier) (attribute)] @type)) (typed_default_parameter name: (identifier) @var type: (type [(identifier) (attribute)] @type))]
[(typed_parameter . (identifier) @var type: (type (string (string_content) @type))) (typed_default_parameter name: (identifier) @var type: (type (string (string_content) @type)))]
[(typed_parameter . (identifier) @var type: (type (binary_operator left: [(identifier) (attribute)] @type right: (none)))) (typed_default_parameter name: (identifier) @var type: (type (binary_operator left: [(identifier) (attribute)] @type right: (none))))]
([(typed_parameter . (identifier) @var type: (type (generic_type (identifier) @optional (type_parameter (type [(identifier) (attribute)] @type))))) (typed_default_parameter name: (identifier) @var type: (type (generic_type (identifier) @optional (type_parameter (type [(identifier) (attribute)] @type)))))] (#eq? @optional "Optional"))
(assignment left: (_ object: (identifier) @self attribute: (identifier) @field) !type right: (_) @is (#any-of? @self "self" "cls"))
(assignment left: (_ object: (identifier) @self attribute: (identifier) @field) type: (type [(identifier) (attribute)] @type) (#any-of? @self "self" "cls"))
(class_definition body: (_ (expression_statement (_ left: (identifier) @field type: (type [(identifier) (attribute)] @type)))))
