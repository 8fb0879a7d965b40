(method_declaration receiver: (parameter_list (parameter_declaration name: (identifier) @var type: [(type_identifier) @type (pointer_type (type_identifier) @type)]))) @scope
([(function_declaration parameters: (parameter_list (parameter_declaration . name: (identifier) @var . type: [(type_identifier) @type (pointer_type (type_identifier) @type)])))
  (method_declaration parameters: (parameter_list (parameter_declaration . name: (identifier) @var . type: [(type_identifier) @type (pointer_type (type_identifier) @type)])))] @scope)
