"""Texts of several words with points or colons between them, as events, topics, permissions and named routes are: `order.created`."""

import re
from functools import lru_cache

from bot.text.paths import names_file

_JOINED = re.compile(r"[A-Za-z_][\w-]+(?:(?:\.|::?)[A-Za-z_][\w-]+)+")
_QUOTED = re.compile(r"([\w.:-]{1,200})[\"'`]")


@lru_cache(maxsize=4096)
def is_joined(word: str) -> bool:
    """Whether a text is such words, and no file's name."""
    return bool(_JOINED.fullmatch(word)) and not names_file(word)


def is_joined_text(code: str, at: int) -> bool:
    """Whether the text that begins there, behind its quote, is such words."""
    text = _QUOTED.match(code, at)
    return text is not None and is_joined(text[1])
