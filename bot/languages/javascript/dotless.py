"""Where JavaScript names a member without a dot by its grammar alone: attributes of JSX."""

from bot.languages.dotless_rows import dotless

DOTLESS = {
    "jsx_attribute": (dotless("first", "jsx_opening_element jsx_self_closing_element", "name", kind="attribute"),),
}
