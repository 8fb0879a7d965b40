"""Find import statements in source code, and rewrite them for a file that has moved."""

import re
from collections.abc import Iterator
from posixpath import dirname, relpath, splitext

from deeprepo.impact.filetypes import module_path
from deeprepo.impact.language import rules_of
from deeprepo.impact.reading.nodes import ancestors
from deeprepo.impact.reading.syntax import tree_of

# Nodes that form a whole import statement.
STATEMENTS = frozenset(
    [
        "import_statement",
        "import_from_statement",
        "import_declaration",
        "import_header",
        "import",
        "export_statement",
        "use_declaration",
        "namespace_use_declaration",
        "using_directive",
        "preproc_include",
        "lexical_declaration",
        "variable_declaration",
    ]
)
MOST_STATEMENT = 4_000  # bytes of one statement


def statement(path: str, source: bytes, line: int) -> tuple[int, str] | None:
    """Return the start and text of the import statement around a line; of the line itself if the import is a call."""
    lines = source.split(b"\n")
    root = tree_of(path, source)
    if root is None or line > len(lines):
        return None
    row = lines[line - 1]
    start = sum(len(one) + 1 for one in lines[: line - 1]) + len(row) - len(row.lstrip())
    text = row.strip()
    node = root.descendant_for_byte_range(start, start + 1)
    chain = [node, *ancestors(node)] if node is not None else []
    if whole := next((one for one in chain if one.type in STATEMENTS and one.named_child_count), None):
        start, text = whole.start_byte, (whole.text or b"").rstrip()
    try:
        return (start, text.decode()) if len(text) <= MOST_STATEMENT else None
    except UnicodeDecodeError:
        return None


def respell(importer: str, text: str, old: str, new: str) -> tuple[int, int, str] | None:
    """Return the position of the old path in a statement and its replacement; None if no quotes are around it."""
    for was, now in _paths(importer, old, new):
        if match := re.search(rf"(?<=[\"'<]){re.escape(was)}(?=[\"'>])", text):
            return match.start(), match.end(), now
    return None


def _paths(importer: str, old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield the old path as an import may write it, each time with the new path in the same form.

    It is relative to the importer or to a folder that both paths share, with and without suffix.
    """
    (stem, suffix), (new_stem, _), here = splitext(old), splitext(new), dirname(importer) or "."
    language = rules_of(importer)
    suffixes = language.suffixes if suffix in language.suffixes else ()  # such as that of a compiled file
    others = [(stem + other, new_stem + other) for other in suffixes]
    for was, now in ((old, new), (stem, new_stem), *others, (module_path(old), module_path(new))):
        from_here, to_there = relpath(was, here), relpath(now, here)
        yield f"./{from_here}", to_there if to_there.startswith("../") else f"./{to_there}"
        yield from_here, to_there if to_there.startswith("../") or from_here[0] != "." else f"./{to_there}"
        old_parts, new_parts = was.split("/"), now.split("/")
        for size in range(len(old_parts)):
            if old_parts[:size] == new_parts[:size]:
                yield "/".join(old_parts[size:]), "/".join(new_parts[size:])
