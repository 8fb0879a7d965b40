"""Where C and C++ name a member without a dot: designators, `offsetof`, structured bindings."""

from bot.languages.dotless_rows import NAMELESS, dotless

DOTLESS = {
    "field_designator": (dotless("", "compound_literal_expression declaration", "type"),),
    "offsetof_expression": (dotless("member", "offsetof_expression", "type"),),
    NAMELESS: (dotless("", "structured_binding_declarator"),),
}
