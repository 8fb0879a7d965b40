; what the preprocessor may leave out; the guard of a whole header leaves out nothing
(preproc_if) @handled
((preproc_ifdef) @handled (#not-match? @handled "^#[ \\t]*ifndef[ \\t]+(\\w+)[ \\t\\r]*\\n\\s*#[ \\t]*define[ \\t]+\\1\\b"))
(preproc_elif) @handled
(preproc_elifdef) @handled
(preproc_else) @handled
