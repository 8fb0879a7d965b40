"""Match files by the words in their names.

A view, script or SQL statement is often named after what it shows, runs or reads. Pure functions.
"""

import posixpath
import re
from collections.abc import Iterable

from bot.review.context import identifiers
from bot.values import Unit

MIN_WORD_LETTERS = 3  # minimum letters of a word
_WORD_OF_NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def words(units: Iterable[Unit]) -> frozenset[str]:
    """Return the words in the names of these regions' files and definitions."""
    return frozenset(word for unit in units for text in (_stem(unit.path), unit.name) for word in _words(text))


def common_words(path: str, with_: frozenset[str]) -> int:
    """Return how many of these words are in the name of a file or its folder."""
    folder = posixpath.basename(posixpath.dirname(path))
    return len(with_ & {word for text in (folder, _stem(path)) for word in _words(text)})


def _stem(path: str) -> str:
    return posixpath.basename(path).partition(".")[0]


def _words(text: str) -> Iterable[str]:
    words = (word.lower().removesuffix("s") for word in _WORD_OF_NAME.findall(text))
    return (word for word in words if len(word) >= MIN_WORD_LETTERS and word not in identifiers.COMMON)
