(try_statement (except_clause) @caught (#match? @caught "^except\\s*(:|\\*?\\(?[^:]*(AttributeError|ImportError|ModuleNotFoundError|NameError|TypeError|ValidationError|Exception))")) @guard
(with_statement (with_clause) @with (#match? @with "raises|suppress|assertRaises|warns|deprecated")) @guard
(if_statement condition: (_) @tested (#match? @tested "hasattr|getattr|TYPE_CHECKING|version_info|platform|__version__|VERSION")) @guard
(conditional_expression (call function: (identifier) @tested (#any-of? @tested "hasattr" "getattr"))) @guard
(boolean_operator left: (_ function: (identifier) @tested (#any-of? @tested "hasattr" "getattr"))) @guard
