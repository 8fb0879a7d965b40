"""Where Rust names a member without a dot: fields in patterns and in expressions of structs."""

from bot.languages.dotless_rows import NAMELESS, dotless

DOTLESS = {
    "field_pattern": (dotless("name", "struct_pattern", "type"),),
    "field_initializer": (dotless("field", "struct_expression", "name"),),
    "shorthand_field_initializer": (dotless("", "struct_expression", "name"),),
    NAMELESS: (dotless("", "tuple_pattern tuple_expression"),),
}
