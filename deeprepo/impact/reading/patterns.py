"""Find the patterns of a language's queries that capture code, for `explain`."""

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

from tree_sitter import Query, QueryCursor

from deeprepo.impact import table
from deeprepo.impact.language import Language
from deeprepo.impact.reading.marks import LONGEST_NAME
from deeprepo.impact.reading.matching import has
from deeprepo.impact.reading.nodes import text
from deeprepo.impact.reading.reader import language_for, root
from deeprepo.impact.reading.unreadable import Unreadable

Captured = tuple[int, str, str]  # a line, the captured text, and the place of the pattern


def patterns(path: str, source: bytes, queries: tuple[str, ...], line: int, word: str = "") -> str:
    """Return where the patterns that capture a word on a line are written: `languages/python/uses.scm:1`.

    Without a word, those that capture anything on the line; "" if there are none.
    """
    language = language_for(path, source)
    rows = (row for name in queries if language is not None for row in _captured(language, source, name))
    return ", ".join(dict.fromkeys(place for at, said, place in rows if at == line and word in ("", said)))


@lru_cache(maxsize=16)
def _captured(language: Language, source: bytes, name: str) -> tuple[Captured, ...]:
    with suppress(Unreadable):
        return tuple(dict.fromkeys(_rows(language, source, name)))
    return ()


def _rows(language: Language, source: bytes, name: str) -> Iterator[Captured]:
    """Yield everything that a query captures in a file."""
    files = (folder / language.folder / f"{name}.scm" for folder in table.FOLDERS)
    written = next((file.read_text("utf-8").splitlines() for file in files if file.is_file()), [])
    for condition, part in language.texts(name).items():
        if not part.strip() or not has(source, condition):
            continue
        query = Query(language.grammar, part)
        for pattern, captures in QueryCursor(query).matches(root(language, source)):
            first = part.encode()[query.start_byte_for_pattern(pattern) :].decode().partition("\n")[0]
            at = next(number for number, row in enumerate(written, 1) if first in row)
            for node in (node for nodes in captures.values() for node in nodes):
                is_name = node.end_byte - node.start_byte <= LONGEST_NAME
                said = text(node).strip("`:") if is_name else ""
                yield node.start_point[0] + 1, said, f"languages/{language.folder}/{name}.scm:{at}"
