(source_file (expression_statement (macro_invocation macro: (_) @m) @open) (#not-match? @m "^(\\w+::)*(compile_error|\\w*assert\\w*|cfg\\w*|thread_local|lazy_static|bitflags|task_local)$") (#not-match? @open "\\b(mod|fn|struct|enum|union|trait|const|static|type|use)\\b"))
(source_file (macro_invocation macro: (_) @m) @open (#not-match? @m "^(\\w+::)*(compile_error|\\w*assert\\w*|cfg\\w*|thread_local|lazy_static|bitflags|task_local)$") (#not-match? @open "\\b(mod|fn|struct|enum|union|trait|const|static|type|use)\\b"))
(source_file (expression_statement (macro_invocation macro: (_) @m) @made) (#not-match? @m "^(\\w+::)*(cfg\\w*|thread_local|lazy_static|bitflags|task_local)$") (#match? @made "\\b(mod|fn|struct|enum|union|trait|const|static|type|use)\\b"))
(source_file (macro_invocation macro: (_) @m) @made (#not-match? @m "^(\\w+::)*(cfg\\w*|thread_local|lazy_static|bitflags|task_local)$") (#match? @made "\\b(mod|fn|struct|enum|union|trait|const|static|type|use)\\b"))
(mod_item body: (declaration_list [(macro_invocation macro: (_) @m) (expression_statement (macro_invocation macro: (_) @m))] @open.sought)
  (#not-match? @m "^(\\w+::)*(compile_error|\\w*assert\\w*|cfg\\w*|thread_local|lazy_static|bitflags|task_local)$"))
; an attribute that is not known may make other items of its function; a name that is lost is told all the same
(source_file (attribute_item) @first.unknown (#not-match? @first.unknown
  "^#\\[\\s*(inline|must_use|allow|deny|warn|forbid|expect|doc|deprecated|cold|track_caller|cfg|test|no_mangle|instrument|target_feature|rustfmt|clippy|export_name|link_section|tokio|ignore|should_panic|bench|stable|unstable|unsafe|automatically_derived)\\b"))
(source_file (function_item) @open.new @then.unknown)
(impl_item body: (declaration_list [(macro_invocation) (expression_statement (macro_invocation))] @dynamic))
