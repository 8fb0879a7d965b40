; what the preprocessor may leave out; the guard of a whole header leaves out nothing
(preproc_if) @foreseen
((preproc_ifdef) @foreseen (#not-match? @foreseen "^#[ \\t]*ifndef[ \\t]+(\\w+)[ \\t\\r]*\\n\\s*#[ \\t]*define[ \\t]+\\1\\b"))
(preproc_elif) @foreseen
(preproc_elifdef) @foreseen
(preproc_else) @foreseen
