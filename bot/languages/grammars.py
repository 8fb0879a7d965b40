"""Which grammars are there: those of a few languages come with the extra `languages`, and a file without its grammar is searched by name."""

from functools import cache
from importlib.util import find_spec

from bot.text.filetypes import FILETYPES, FileType


@cache
def is_installed(file_type: FileType) -> bool:
    """Whether the grammar of a type of file can be loaded. It is not loaded for the answer."""
    if file_type.grammar is None or not file_type.extra:
        return file_type.grammar is not None
    try:
        return find_spec(file_type.grammar[0]) is not None
    except ImportError:
        return False


def suffixes(parser: str) -> tuple[str, ...]:
    """Return the suffixes that a language reads in this installation."""
    readable = (one for one in FILETYPES if one.parser == parser and (not one.extra or is_installed(one)))
    return tuple(suffix for one in readable for suffix in one.suffixes)
