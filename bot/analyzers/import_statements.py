"""Find import statements in source code, and rewrite them for a file that has moved."""

import re
from itertools import islice

from deeprepo.impact.language import rules_of
from deeprepo.impact.reading.nodes import ancestors
from deeprepo.impact.reading.syntax import tree_of
from deeprepo.impact.structs import Struct

# Nodes that form a whole import statement.
STATEMENT = re.compile(
    r"import_(?:from_)?statement|import_declaration|import_header|export_statement|(?:namespace_)?use_declaration"
    r"|using_directive|preproc_include|(?:lexical|variable)_declaration|import"
)
DEPTH = 12  # levels from a name up to its statement
MOST_STATEMENT = 4_000  # characters of one statement
NAME_LISTS = re.compile(
    r"(?s)\A(\s*+(?:from\s++[.\w]++\s++import|(?:import|export)\b[^{}'\"]*+\{|(?:const|let|var)\s*+\{)\s*+\(?)([^(){}#]*+)(.*+)"
)


class Statement(Struct, frozen=True):
    """One import statement: its bytes, text and indentation."""

    start: int
    end: int
    text: str
    indent: str


def statement(path: str, source: bytes, line: int) -> Statement | None:
    """Return the import statement around a line; the line itself if the import is a call."""
    lines = source.split(b"\n")
    root = tree_of(path, source)
    if root is None or line > len(lines):
        return None
    row = lines[line - 1]
    start = sum(len(one) + 1 for one in lines[: line - 1]) + len(row) - len(row.lstrip())
    end = start + len(row.strip())
    node = root.descendant_for_byte_range(start, start + 1)
    chain = [node, *islice(ancestors(node), DEPTH)] if node is not None else []
    if whole := next((one for one in chain if STATEMENT.fullmatch(one.type) and one.named_child_count), None):
        start, end = whole.start_byte, whole.start_byte + len((whole.text or b"").rstrip())
    before = source[source.rfind(b"\n", 0, start) + 1 : start]
    try:
        text = source[start:end].decode()
    except UnicodeDecodeError:
        return None
    return (
        Statement(start, end, text, "" if before.strip() else before.decode()) if len(text) <= MOST_STATEMENT else None
    )


def without(text: str, name: str) -> tuple[str, str] | None:
    """Return a statement without one of its names, and one with only that name.

    The first is empty if it was the only name.
    """
    match = NAME_LISTS.fullmatch(text)
    if match is None:
        return None
    head, inside, tail = match.groups()
    parts = inside.split(",")
    mine = [part for part in parts if name in re.split(r"[\s:]+", part.strip())[:2]]
    left = [part for part in parts if part not in mine]
    if len(mine) != 1 or "//" in inside or "/*" in inside:
        return None
    rest = ""
    if any(part.strip() for part in left):
        rest = head + ",".join(left).rstrip(" ") + (" " if inside.endswith(" ") else "") + tail
    elif head.rstrip().endswith("{") and "," in head:
        return None  # it also has a default import
    if "{" in head:
        return rest, f"{head.rstrip()} {mine[0].strip()} {tail.lstrip()}"
    if head.endswith("("):
        return rest, f"{head[:-1]}{mine[0].strip()}{tail.lstrip().removeprefix(')')}"
    return rest, f"{head}{mine[0].strip()}{tail}"


def takes_default(path: str, source: bytes, name: str) -> bool:
    """Return whether a file imports another one's default export under this name."""
    pattern = rules_of(path).default_import.encode()
    found = re.finditer(pattern, source, re.MULTILINE) if pattern else ()
    return any(name.encode() in match.groups() for match in found)


def respell(importer: str, text: str, old: str, new: str) -> tuple[int, int, str] | None:
    """Return the position of the old path in a statement and its replacement; None if it is written otherwise."""
    language = rules_of(importer)
    if not language.may_respell(text):
        return None
    for was, now in language.spellings(importer, old, new):
        edge = r"[\w.\\:/-]" if was[0] not in "\"'<" else r"[^\s\S]"
        if match := re.search(rf"(?<!{edge}){re.escape(was)}(?!\w)", text):
            return match.start(), match.end(), now
    return None
