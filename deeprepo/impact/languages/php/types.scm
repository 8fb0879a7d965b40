(assignment_expression left: (variable_name (name) @var) right: (object_creation_expression (name) @type))
