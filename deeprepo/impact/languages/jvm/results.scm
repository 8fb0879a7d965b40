; only: java
(method_declaration type: (_) @result name: (identifier) @name) @of
; only: kotlin
(function_declaration name: (identifier) @name (function_value_parameters) . [(user_type) (nullable_type)] @result) @of
