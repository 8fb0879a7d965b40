; `of_type`: the path is in angle brackets
(preproc_include path: (string_literal) @spec) @import @star @hands_on
(preproc_include path: (system_lib_string) @spec) @import.member @star @hands_on
