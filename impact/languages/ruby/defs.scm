(class name: (_) @name) @def.class
