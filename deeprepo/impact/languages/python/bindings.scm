(assignment left: (_ attribute: (identifier) @store))
(assignment left: [(pattern_list (attribute attribute: (identifier) @store)) (tuple_pattern (attribute attribute: (identifier) @store)) (list_pattern (attribute attribute: (identifier) @store))])
(for_statement left: [(attribute attribute: (identifier) @store) (_ (attribute attribute: (identifier) @store))])
(as_pattern alias: (_ (attribute attribute: (identifier) @store)))
(delete_statement (attribute attribute: (identifier) @store))
(function_definition name: (identifier) @bound)
(class_definition name: (identifier) @bound)
(assignment left: (identifier) @bound)
(pattern_list [(identifier) @bound (list_splat_pattern (identifier) @bound)])
(tuple_pattern (identifier) @bound)
(list_pattern (identifier) @bound)
(augmented_assignment left: (identifier) @bound)
(named_expression name: (identifier) @bound)
(for_statement left: (identifier) @bound)
(for_statement left: (_ (identifier) @bound))
(for_in_clause left: (identifier) @bound)
(for_in_clause left: (_ (identifier) @bound))
(as_pattern alias: (_ (identifier) @bound))
(as_pattern alias: (_ (_ (identifier) @bound)))
(case_clause (case_pattern (_) @bound))
(parameters (identifier) @bound)
(parameters (typed_parameter . [(identifier) @bound (list_splat_pattern (identifier) @bound) (dictionary_splat_pattern (identifier) @bound)]))
(lambda_parameters (identifier) @bound)
(default_parameter name: (identifier) @bound)
(typed_default_parameter name: (identifier) @bound)
(list_splat_pattern (identifier) @bound)
(dictionary_splat_pattern (identifier) @bound)
(global_statement (identifier) @bound)
(delete_statement (identifier) @bound)
(function_definition type_parameters: (type_parameter (type (identifier) @bound)))
(class_definition type_parameters: (type_parameter (type (identifier) @bound)))
; calls that construct an object of the class around and do not write its name
(call function: (identifier) @class arguments: (_) @args (#eq? @class "cls")) @constructs.own
(call function: (_ object: (identifier) @object attribute: (identifier) @class) arguments: (_) @args (#any-of? @object "self" "cls") (#eq? @class "__class__")) @constructs.own
(call function: (_ function: (identifier) @type arguments: (argument_list . (identifier) @object .)) arguments: (_) @args (#eq? @type "type") (#any-of? @object "self" "cls")) @constructs.own
(call function: (subscript value: (identifier) @class) arguments: (_) @args (#eq? @class "cls")) @constructs.own
; when: setattr
(call function: (identifier) @f arguments: (argument_list . (_) @receiver . (string (string_content) @name @store)) (#eq? @f "setattr"))
; when: /__dict__|vars\(/
(assignment left: (subscript value: (attribute object: (_) @receiver attribute: (identifier) @d) subscript: (string (string_content) @name @store)) (#eq? @d "__dict__"))
(assignment left: (subscript value: (call function: (identifier) @f arguments: (argument_list . (_) @receiver)) subscript: (string (string_content) @name @store)) (#eq? @f "vars"))
; all
