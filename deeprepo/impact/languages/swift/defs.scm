(class_declaration name: (type_identifier) @name) @def.class
(protocol_declaration name: (type_identifier) @name) @def.type
; an extension holds members of a type that stands elsewhere
(class_declaration name: [
  (_ . (type_identifier) @name . (type_arguments)? .) (_ (type_identifier) . (type_identifier)) @name
  (array_type) @name (dictionary_type) @name (optional_type) @name]) @def.holder @class.of
(class_declaration (inheritance_specifier (_) @base)) @class.of
(protocol_declaration (inheritance_specifier (_) @base)) @class.of
; a macro may add members
(class_declaration (modifiers (attribute) @base (#match? @base "^@[A-Z]") (#not-eq? @base "@MainActor"))) @class.of
(typealias_declaration "typealias" . (_) @name) @def.variable @as.type
(associatedtype_declaration "associatedtype" . (_) @name) @def.variable @as.type
(enum_entry name: (simple_identifier) @name) @def.variable
(source_file (property_declaration name: (_ bound_identifier: (_) @name)) @def.variable)
(source_file (property_declaration name: (_ (_ (simple_identifier) @name))) @def.variable)
(class_body (_ name: (_ bound_identifier: (_) @name)) @def.member)
(class_body (property_declaration name: (_ (_ (simple_identifier) @name))) @def.member)
(enum_class_body (_ name: (_ bound_identifier: (_) @name)) @def.member)
(protocol_property_declaration name: (_ bound_identifier: (_) @name)) @def.member
; an operator has no name to call. Compiling what begins with `function_declaration` takes ten times as long
(_ "func" . (simple_identifier) @name) @def.function @params
(_ . (modifiers (property_modifier) @word (#any-of? @word "static" "class")) . "func") @static
(_ "class" . "func") @static
; who makes an object writes its class: no base of that can have another
(init_declaration "init" @name) @def.function @params @static
((modifiers (member_modifier) @word) @opaque (#eq? @word "override"))
; what a call writes before an argument is the first of two names, and nothing if that is `_`
((parameter !external_name name: (simple_identifier) @name) @param.keyword (#not-eq? @name "_"))
((parameter !external_name name: (simple_identifier) @name) @param.keyword @optional . "=" (#not-eq? @name "_"))
((parameter external_name: (_) @name) @param.keyword (#not-eq? @name "_"))
((parameter external_name: (_) @name) @param.keyword @optional . "=" (#not-eq? @name "_"))
((parameter external_name: (_) @label name: (simple_identifier) @name) @param.only (#eq? @label "_"))
((parameter external_name: (_) @label name: (simple_identifier) @name) @param.only @optional . "=" (#eq? @label "_"))
((parameter !external_name name: (simple_identifier) @name) @param.only (#eq? @name "_"))
((parameter external_name: (_) @label name: (simple_identifier) @name "...") @param.rest (#eq? @label "_"))
; which of several arguments belong to one label is told by their types
(_ (parameter . (simple_identifier) @label "...") (#not-eq? @label "_")) @opaque
; what is private is for its file, and so is what a private extension adds, unless its own line says more
((modifiers (visibility_modifier) @word) @visible.file (#any-of? @word "private" "fileprivate"))
(class_declaration (modifiers (visibility_modifier) @_word) (#any-of? @_word "private" "fileprivate")) @first.extension
(class_declaration "extension" body: (_ (_) @visible.file)) @then.extension
((modifiers (visibility_modifier) @word) @visible.anywhere (#any-of? @word "public" "open" "package"))
((modifiers (visibility_modifier) @word) @visible.unit (#eq? @word "internal"))
(function_body) @local
(computed_property) @local
(lambda_literal) @local
(ERROR) @local
