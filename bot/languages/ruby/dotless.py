"""Where Ruby names a member or a class without a dot: the patterns of `case`."""

from bot.languages.dotless_rows import dotless

DOTLESS = {
    "keyword_pattern": (dotless("key", "hash_pattern array_pattern", "class"),),
    "array_pattern": (dotless("class", "array_pattern", "class", kind="pattern"),),
    "hash_pattern": (dotless("class", "hash_pattern", "class", kind="pattern"),),
}
