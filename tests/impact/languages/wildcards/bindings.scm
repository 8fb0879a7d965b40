(parameter (identifier) @bound)
(class_parameter (identifier) @bound . ":")
(variable_declaration (identifier) @bound)
