"""Find import statements in source code, and rewrite them for a file that has moved."""

import re
from collections.abc import Iterator
from itertools import islice
from posixpath import commonpath, dirname, relpath, splitext

from deeprepo.impact.filetypes import filetype, module_path, parsed_by
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
MOST_TEXT = 4_000  # characters of one statement
NAMES = re.compile(
    r"(?s)\A(\s*+(?:from\s++[.\w]++\s++import|(?:import|export)\b[^{}'\"]*+\{|(?:const|let|var)\s*+\{)\s*+\(?)([^(){}#]*+)(.*+)"
)
MARKS = {"dotted": ".", "namespace": "\\"}


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
    return Statement(start, end, text, "" if before.strip() else before.decode()) if len(text) <= MOST_TEXT else None


def without(text: str, name: str) -> tuple[str, str] | None:
    """Return a statement without one of its names, and one with only that name.

    The first is empty if it was the only name.
    """
    match = NAMES.fullmatch(text)
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
    form = filetype(importer).imports
    if form == "module" and text.startswith("import") and " as " not in text:
        return None  # the file uses it by its whole path
    for was, now in _spellings(importer, form, old, new):
        edge = r"[\w.\\:/-]" if was[0] not in "\"'<" else r"[^\s\S]"
        if match := re.search(rf"(?<!{edge}){re.escape(was)}(?!\w)", text):
            return match.start(), match.end(), now
    return None


def _spellings(importer: str, form: str, old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield spellings of the old path with the new path in the same form, longest first."""
    if form in ("path", "namespace"):
        for was, now in _paths(importer, old, new):
            yield from ((f"{a}{was}{b}", f"{a}{now}{b}") for a, b in ('""', "''", "<>"))
    if form == "crate":
        (root, _, old), (new_root, _, new) = (path.rpartition("src/") for path in (old, new))
        if root == new_root:
            yield "::".join(("crate", *_names(old))), "::".join(("crate", *_names(new)))
    elif form == "module":
        for was, now in _modules(importer, old, new):
            yield was, now
            stem, new_stem = _names(old)[-1], now.rpartition(".")[2]
            alias = "" if stem == new_stem else f" as {stem}"
            folder, new_folder = was.removesuffix(stem), now.removesuffix(new_stem)
            if folder and new_folder:
                folder, new_folder = (one if not one.strip(".") else one[:-1] for one in (folder, new_folder))
                yield f"from {folder} import {stem}", f"from {new_folder} import {new_stem}{alias}"
    elif form in MARKS:
        pairs = _rooted(_names(old), _names(new), MARKS[form])
        yield from (pair for pair in pairs if MARKS[form] in pair[0])


def _names(path: str) -> list[str]:
    """Return the parts of a module path without suffix; for a package's main file, of its folder."""
    return module_path(path).split("/")


def _rooted(old: list[str], new: list[str], mark: str) -> Iterator[tuple[str, str]]:
    """Yield both paths relative to each folder that they share."""
    for size in range(len(old)):
        if old[:size] == new[:size]:
            yield mark.join(old[size:]), mark.join(new[size:])


def _modules(importer: str, old: str, new: str) -> Iterator[tuple[str, str]]:
    was, now, here = module_path(old), module_path(new), dirname(importer)
    if not here or commonpath((here, now)):
        yield _dots(relpath(was, here or ".")), _dots(relpath(now, here or "."))
    yield from _rooted(_names(old), _names(new), ".")


def _dots(path: str) -> str:
    """Return a relative path with dots: `..a.b` for `../a/b`."""
    names = path.split("/")
    return "." * (names.count("..") + 1) + ".".join(name for name in names if name not in (".", ".."))


def _paths(importer: str, old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield paths relative to the importer, then to each shared folder, with and without suffix."""
    (stem, _), (new_stem, _), here = splitext(old), splitext(new), dirname(importer) or "."
    suffixes = parsed_by(filetype(old).parser) if rules_of(old).any_suffix else ()
    others = [(stem + suffix, new_stem + suffix) for suffix in suffixes]
    for was, now in ((old, new), (stem, new_stem), *others, (module_path(old), module_path(new))):
        from_here, to_there = relpath(was, here), relpath(now, here)
        yield f"./{from_here}", to_there if to_there.startswith("../") else f"./{to_there}"
        yield from_here, to_there if to_there.startswith("../") or from_here[0] != "." else f"./{to_there}"
        yield from _rooted(was.split("/"), now.split("/"), "/")
