(function_item (function_modifiers "async" @async)? name: (identifier) @name return_type: (_) @result) @of
(function_signature_item (function_modifiers "async" @async)? name: (identifier) @name return_type: (_) @result) @of
