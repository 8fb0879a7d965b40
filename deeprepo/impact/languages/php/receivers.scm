(namespace_use_declaration) @statement
; what a member is asked of, as it is written
[(member_call_expression object: (_) @receiver name: (name) @name arguments: (_) @args)
 (nullsafe_member_call_expression object: (_) @receiver name: (name) @name arguments: (_) @args)
 (scoped_call_expression scope: (_) @receiver name: (name) @name arguments: (_) @args)]
[(member_access_expression object: (_) @receiver name: (name) @name)
 (nullsafe_member_access_expression object: (_) @receiver name: (name) @name)]
(class_constant_access_expression . (_) @receiver (name) @name .)
(function_call_expression function: (_) @name arguments: (_) @args)
(object_creation_expression [(name) (qualified_name)] @name (arguments) @args)
(attribute [(name) (qualified_name)] @name parameters: (_) @args)
(argument name: (name) @key)
; what variables and properties are
(object_creation_expression [(name) (qualified_name)] @type) @made
(assignment_expression left: (variable_name) @var right: (_) @is)
(simple_parameter type: [(named_type) @type (optional_type (named_type) @type)] name: (variable_name) @var)
(property_declaration type: [(named_type) @type (optional_type (named_type) @type)] (property_element name: (variable_name (name) @field)))
(property_promotion_parameter type: [(named_type) @type (optional_type (named_type) @type)] name: (variable_name (name) @field))
(property_promotion_parameter type: [(named_type) @type (optional_type (named_type) @type)] name: (variable_name) @var)
(assignment_expression left: (member_access_expression object: (variable_name) @this name: (name) @field) right: (_) @is (#eq? @this "$this"))
(catch_clause type: (type_list . (named_type) @type .) name: (variable_name) @var)
; `new self(1)`
(object_creation_expression [(name) (relative_scope)] @class (arguments) @args (#any-of? @class "self" "static")) @constructs.own
(object_creation_expression [(name) (relative_scope)] @class (arguments) @args (#eq? @class "parent")) @constructs.base
