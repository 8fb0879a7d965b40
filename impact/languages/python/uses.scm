(call function: (identifier) @name arguments: (_) @args) @use.call
(call function: (attribute object: (_) @receiver attribute: (identifier) @name) arguments: (_) @args) @use.call
(attribute object: (_) @receiver attribute: (identifier) @name) @use.member
(assignment left: (attribute attribute: (identifier) @store))
(assignment left: (_ (attribute attribute: (identifier) @store)))
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
(as_pattern alias: (as_pattern_target (identifier) @bound))
(as_pattern alias: (as_pattern_target (_ (identifier) @bound)))
(case_clause (case_pattern (_) @bound))
(parameters (identifier) @bound)
(parameters (typed_parameter . [(identifier) @bound (_ (identifier) @bound)]))
(lambda_parameters (identifier) @bound)
(default_parameter name: (identifier) @bound)
(typed_default_parameter name: (identifier) @bound)
(list_splat_pattern (identifier) @bound)
(dictionary_splat_pattern (identifier) @bound)
(global_statement (identifier) @bound)
(delete_statement (identifier) @bound)
(type_parameter (type (identifier) @bound))
(try_statement (except_clause) @caught (#match? @caught "^except\\s*(:|\\*?\\(?[^:]*(AttributeError|ImportError|ModuleNotFoundError|NameError|TypeError|Exception))")) @guard
(with_statement (with_clause) @with (#match? @with "raises|suppress|assertRaises|warns|deprecated")) @guard
(if_statement condition: (_) @tested (#match? @tested "hasattr|getattr|TYPE_CHECKING|version_info|platform|__version__|VERSION")) @guard
(conditional_expression (call function: (identifier) @tested (#any-of? @tested "hasattr" "getattr"))) @guard
(boolean_operator left: (call function: (identifier) @tested (#any-of? @tested "hasattr" "getattr"))) @guard
