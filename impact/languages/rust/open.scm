(source_file (expression_statement (macro_invocation macro: (_) @m) @open) (#not-match? @m "^(compile_error|assert|const_assert)$"))
(source_file (macro_invocation macro: (_) @m) @open (#not-match? @m "^(compile_error|assert|const_assert)$"))
(use_declaration (visibility_modifier) argument: (_ list: (use_list (use_wildcard) @open)))
(use_declaration (visibility_modifier) argument: (_ list: (use_list (scoped_use_list list: (use_list (use_wildcard) @open)))))
