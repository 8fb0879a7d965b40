"""Find the pattern of a query that captures code, for `explain`."""

from collections.abc import Iterator
from contextlib import suppress

from tree_sitter import Query, QueryCursor

from deeprepo.impact import table
from deeprepo.impact.language import Language
from deeprepo.impact.reading.matching import has
from deeprepo.impact.reading.nodes import text
from deeprepo.impact.reading.reader import language_for, root
from deeprepo.impact.reading.unreadable import Unreadable


def patterns(path: str, source: bytes, queries: tuple[str, ...], line: int, word: str = "") -> str:
    """Return where the patterns that capture a word on a line are written: `languages/python/uses.scm:1`.

    Without a word, those that capture anything on the line; "" if there are none.
    """
    language = language_for(path, source)
    found = (where for name in queries if language is not None for where in _found(language, source, name, line, word))
    with suppress(Unreadable):
        return ", ".join(dict.fromkeys(found))
    return ""


def _found(language: Language, source: bytes, name: str, line: int, word: str) -> Iterator[str]:
    files = (folder / language.folder / f"{name}.scm" for folder in table.FOLDERS)
    written = next((file.read_text("utf-8").splitlines() for file in files if file.is_file()), [])
    for condition, part in language.texts(name).items():
        if not part.strip() or not has(source, condition):
            continue
        query = Query(language.grammar, part)
        for pattern, captures in QueryCursor(query).matches(root(language, source)):
            nodes = [node for found in captures.values() for node in found if node.start_point[0] + 1 == line]
            if any(not word or text(node).strip("`:") == word for node in nodes):
                first = part.encode()[query.start_byte_for_pattern(pattern) :].decode().partition("\n")[0]
                at = next(number for number, row in enumerate(written, 1) if first in row)
                yield f"languages/{language.folder}/{name}.scm:{at}"
