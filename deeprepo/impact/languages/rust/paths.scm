(scoped_identifier) @path
(scoped_type_identifier) @path
(token_tree) @path
(token_tree [(line_comment) (block_comment) (string_literal) (raw_string_literal)] @silent)
