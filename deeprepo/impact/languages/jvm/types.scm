; only: java
(local_variable_declaration type: (type_identifier) declarator: (variable_declarator name: (identifier) @var value: (object_creation_expression type: (type_identifier) @type) @new) (#not-match? @new "\\{"))
