; the arguments of a target in Package.swift
; when: path:
(call_expression [(prefix_expression target: (_) @_kind) (_ suffix: (navigation_suffix suffix: (_) @_kind))]
  (call_suffix (value_arguments (value_argument name: (_) @label value: (line_string_literal text: (_) @text))) @target)
  (#any-of? @_kind "target" "executableTarget" "testTarget" "macro" "plugin"))
