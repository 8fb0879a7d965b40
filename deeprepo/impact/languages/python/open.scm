; who gives its object to another name has more members than are written
([(assignment right: (identifier) @self) (named_expression value: (identifier) @self)] @open.owner (#any-of? @self "self" "cls"))
(class_definition body: (_ (function_definition parameters: (parameters . [(identifier) @self (typed_parameter (identifier) @self)])) @open.owner) (#not-match? @self "^(self|cls)$"))
; when: /__getattr|__new__|setattr|__dict__|metaclass|sys\.modules|importlib\.reload|\b(?:exec|execfile|globals|locals|vars)\b/
(module (function_definition name: (identifier) @n (#eq? @n "__getattr__")) @open @dynamic)
(module [(if_statement (block (function_definition name: (identifier) @n) @open @dynamic)) (try_statement (block (function_definition name: (identifier) @n) @open @dynamic))] (#eq? @n "__getattr__"))
(call function: (identifier) @f arguments: (argument_list . (identifier) @n) (#eq? @f "setattr") (#match? @n "^(_?[A-Z]|cls$|mod(ule)?$)")) @open @dynamic
((call function: (identifier) @f arguments: (argument_list . [(identifier) (attribute)] @o)) @dynamic (#eq? @f "setattr") (#not-match? @o "^(self|cls)$"))
(assignment left: (_ (identifier) @n (#eq? @n "__getattr__"))) @open @dynamic
(assignment left: (identifier) @n (#eq? @n "__getattr__")) @open @dynamic
(import_from_statement name: (dotted_name) @n (#eq? @n "__getattr__")) @open @dynamic
(call function: (identifier) @f arguments: (argument_list . (_) .) (#any-of? @f "exec" "execfile")) @open @dynamic
(call function: (identifier) @f arguments: (argument_list . ")") (#any-of? @f "globals" "vars")) @open @dynamic
(assignment left: (subscript value: (call function: (identifier) @f arguments: (argument_list . ")"))) @open.owner @dynamic (#eq? @f "locals"))
(call function: (attribute object: (call function: (identifier) @f arguments: (argument_list . ")")) attribute: (identifier) @m) @open.owner @dynamic (#eq? @f "locals") (#any-of? @m "update" "setdefault"))
(subscript value: (attribute) @m subscript: (identifier) @k (#eq? @m "sys.modules") (#eq? @k "__name__")) @open @dynamic
(call function: (identifier) @f arguments: (argument_list (subscript value: (attribute) @m (#eq? @m "sys.modules"))) (#eq? @f "setattr")) @open @dynamic
(call function: (attribute) @f arguments: (argument_list . (identifier) @k) (#match? @f "^sys\\.modules\\.") (#eq? @k "__name__")) @open @dynamic
(call function: (attribute) @f (#match? @f "importlib\\.reload")) @open @dynamic
(class_definition body: (_ (function_definition name: (identifier) @n (#any-of? @n "__getattr__" "__getattribute__" "__new__")) @open.owner @dynamic))
((class_definition superclasses: (argument_list (keyword_argument name: (identifier) @_k))) @first.metaclass (#eq? @_k "metaclass"))
(class_definition body: (_ (_) @open.owner @dynamic)) @then.metaclass
((attribute object: (identifier) @self attribute: (identifier) @n) @open.owner @dynamic (#any-of? @self "self" "cls") (#eq? @n "__dict__"))
(call function: (_ object: (_ object: (_) @o attribute: (identifier) @n) attribute: (identifier) @f) @open (#eq? @n "__dict__") (#any-of? @f "update" "setdefault") (#match? @o "^_?[A-Z]|mod(ule)?s?([^a-z]|$)|\\."))
(assignment left: (subscript value: (_ object: (_) @o attribute: (identifier) @n)) @open (#eq? @n "__dict__") (#match? @o "^_?[A-Z]|mod(ule)?s?([^a-z]|$)|\\."))
(call function: (_ object: (_ object: (_) @o attribute: (identifier) @n) attribute: (identifier) @f) @dynamic (#eq? @n "__dict__") (#any-of? @f "update" "setdefault") (#not-match? @o "^(self|cls)$"))
(assignment left: (subscript value: (_ object: (_) @o attribute: (identifier) @n)) @dynamic (#eq? @n "__dict__") (#not-match? @o "^(self|cls)$"))
; who gives its object members by name, too
(call function: (identifier) @f arguments: (argument_list . (identifier) @self) @open.owner @dynamic (#any-of? @f "setattr" "vars") (#any-of? @self "self" "cls"))
(call function: (identifier) @f arguments: (argument_list . [(call function: (identifier) @type) (attribute attribute: (identifier) @class)]) @open.owner @dynamic (#eq? @f "setattr") (#match? @type "^type$") (#match? @class "^__class__$"))
((attribute attribute: (identifier) @n) @open.owner @dynamic (#eq? @n "__setattr__"))
; when: /\b(?:type|new_class|make_dataclass|namedtuple)\(|__path__|sys\.modules|__bases__|__class__|\n[ \t]*@|\n[A-Za-z_.]+\(.*\b[A-Z]\w*\b|\bclass\s+\w+\([^)\n]*[(*]/
; what can give a module or a class names that nobody writes, if the change adds it
(decorated_definition definition: (class_definition) @then.made)
((decorator) @dynamic @first.made (#not-match? @dynamic
  "^@(?:dataclasses\\.)?(?:dataclass|final|total_ordering|runtime_checkable|unique|typing\\.final)"))
((assignment right: (call function: (identifier) @f arguments: (argument_list (_) (_) (_)))) @dynamic (#eq? @f "type"))
((call function: (_) @f) @dynamic (#match? @f "(?:^|\\.)(?:new_class|make_dataclass|extend_path)$"))
((identifier) @dynamic (#eq? @dynamic "__path__"))
((subscript value: (attribute) @m) @dynamic (#eq? @m "sys.modules"))
((call function: (attribute) @m) @dynamic (#match? @m "^sys\\.modules\\."))
(assignment left: (attribute attribute: (identifier) @n) @dynamic (#any-of? @n "__bases__" "__class__"))
(class_definition superclasses: (argument_list [(call) (list_splat)]) @dynamic)
(module (expression_statement (call arguments: (argument_list (identifier) @c)) @dynamic (#match? @c "^_?[A-Z][a-z]")))
; when: /\n[ \t]*[\w.]+\(\s*\{\s*["']/
; a call that gets a table of names can give them to the module: `set_aliases({"Event": "app.Event"})`
(module (expression_statement (call arguments: (argument_list (dictionary . (pair key: (string)))))) @open.new)
(module [(if_statement (block (expression_statement (call arguments: (argument_list (dictionary . (pair key: (string)))))) @open.new)) (try_statement (block (expression_statement (call arguments: (argument_list (dictionary . (pair key: (string)))))) @open.new))])
