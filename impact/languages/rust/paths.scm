(scoped_identifier) @path
(scoped_type_identifier) @path
(token_tree) @path
