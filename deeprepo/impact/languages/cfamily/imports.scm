(preproc_include path: (string_literal)) @statement @stars
(preproc_include) @statement
