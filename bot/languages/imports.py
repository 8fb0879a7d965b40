"""Import statements as they are written: where one stands, and how it names a file that has another path now."""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from bot.languages.syntax import tree_of
from bot.text.filetypes import filetype, module_path, parsed_by
from impact.nodes import ancestors

# Nodes that are a whole statement by which a file takes something of another.
STATEMENT = re.compile(
    r"import|export_statement|use_declaration|using_directive|preproc_include|\A(?:lexical|variable)_declaration\Z"
)
PART = re.compile(
    r"_(?:clause|specifier|list|path|prefix|spec)\Z|\Aimport(?:s|ed)?\Z|named_imports|aliased_import|\Adotted_name"
)
DEPTH = 12  # levels from a name up to its statement
MOST_TEXT = 4_000  # characters of one statement
NAMES = re.compile(
    r"(?s)\A(\s*+(?:from\s++[.\w]++\s++import|(?:import|export)\b[^{}'\"]*+\{|(?:const|let|var)\s*+\{)\s*+\(?)([^(){}#]*+)(.*+)"
)
DEFAULT = re.compile(rb"\bdefault\s++as\s++([\w$]++)|^import\s++([\w$]++)\s*+(?:,|from\b)", re.MULTILINE)
PYTHON_FROM = re.compile(r"\A(from\s++)(\.*+)([\w.]*+)(\s++import\b)")
PYTHON_WHOLE = re.compile(r"\A(import\s++)([\w.]++)(\s++as\s++\w++)")
QUOTED = re.compile(r"([\"'<])([^\"'<>\n]{1,300})([\"'>])")
DOTTED = re.compile(r"(?<![\w.])[A-Za-z_]\w*+(?:\.\w++)++")
SLASHED = re.compile(r"(?<![\w\\])[A-Za-z_]\w*+(?:\\\w++)++")
CRATE = re.compile(r"\bcrate((?:::\w++)++)")
SCRIPTS = parsed_by("javascript")


@dataclass(frozen=True, slots=True)
class Statement:
    """One import statement: its bytes, its text and the blanks before it."""

    start: int
    end: int
    text: str
    indent: str


def statement(path: str, source: bytes, line: int) -> Statement | None:
    """The import statement that begins on a line, or of which the line is a part."""
    lines = source.split(b"\n")
    root = tree_of(path, source)
    if root is None or line > len(lines):
        return None
    begin = sum(len(row) + 1 for row in lines[: line - 1])
    begin += len(lines[line - 1]) - len(lines[line - 1].lstrip())
    node = root.descendant_for_byte_range(begin, begin + 1)
    if filetype(path).line_imports:
        return _line(lines[line - 1], begin)
    chain = [node, *islice(ancestors(node), DEPTH)] if node is not None else []
    whole = [one for one in chain if STATEMENT.search(one.type) and not PART.search(one.type)]
    if not whole or not whole[-1].text or len(whole[-1].text) > MOST_TEXT:
        return None
    start, end = whole[-1].start_byte, whole[-1].end_byte
    while end > start and source[end - 1 : end] in (b"\n", b"\r"):
        end -= 1
    before = source[source.rfind(b"\n", 0, start) + 1 : start]
    try:
        return Statement(start, end, source[start:end].decode(), "" if before.strip() else before.decode())
    except UnicodeDecodeError:
        return None


def _line(row: bytes, begin: int) -> Statement | None:
    """A statement that is one line, as a call that loads a file is."""
    text = row.strip()
    if not QUOTED.search(text.decode("utf-8", "replace")) or len(text) > MOST_TEXT:
        return None
    try:
        return Statement(begin, begin + len(text), text.decode(), "")
    except UnicodeDecodeError:
        return None


def without(text: str, name: str) -> tuple[str, str] | None:
    """A statement without one of its names, empty if that was the only one, and one with that name alone."""
    match = NAMES.fullmatch(text)
    if match is None:
        return None
    head, inside, tail = match.groups()
    parts = inside.split(",")
    mine = [part for part in parts if name in re.split(r"[\s:]+", part.strip())[:2]]
    left = [part for part in parts if part not in mine]
    if len(mine) != 1 or "//" in inside or "/*" in inside:
        return None
    if any(part.strip() for part in left):
        rest = head + ",".join(left).rstrip(" ") + (" " if inside.endswith(" ") else "") + tail
    elif head.rstrip().endswith(("{",)) and "," in head:
        return None  # a default import beside it
    else:
        rest = ""
    is_bracketed = head.endswith("(")
    alone = f"{head[:-1] if is_bracketed else head}{mine[0].strip()}{tail.lstrip().removeprefix(')') if is_bracketed else tail}"
    if "{" in head:
        alone = f"{head.rstrip()} {mine[0].strip()} {tail.lstrip()}"
    return rest, alone


def takes_default(path: str, source: bytes, name: str) -> bool:
    """Whether a file of JavaScript calls the default of another one by this name, which is nobody else's."""
    return path.endswith(SCRIPTS) and any(name.encode() in match.groups() for match in DEFAULT.finditer(source))


def respell(importer: str, text: str, old: str, new: str) -> str | None:
    """The statement with the new path of a file in the place of the old one; None if it names the file in another way."""
    match filetype(importer).imports:
        case "module":
            new_text = _python(importer, text, old, new)
        case "path" | "namespace" as form:
            new_text = QUOTED.sub(lambda match: _quoted(match, importer, old, new), text)
            new_text = _namespaced(text, old, new) if form == "namespace" and new_text == text else new_text
        case "dotted":
            new_text = DOTTED.sub(lambda match: ".".join(_moved(match[0].split("."), _parts(old), _parts(new))), text)
        case "crate":
            new_text = CRATE.sub(lambda match: _crate(match[1], old, new), text)
        case "":
            return None
    return new_text if new_text and new_text != text else None


def _namespaced(text: str, old: str, new: str) -> str:
    """A name with its namespaces, which lead to its file."""
    before, after = _parts(old), _parts(new)
    return SLASHED.sub(lambda match: "\\".join(_moved(match[0].split("\\"), before, after)), text)


def _parts(path: str) -> list[str]:
    """The names that lead to a file, without its suffix; a package is its folder."""
    return module_path(path).split("/")


def _moved(words: Sequence[str], old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Names that lead to the old place, or into it, from some folder on; others as they are."""
    for size in range(len(words), 0, -1):
        root = old[: len(old) - size]
        if size <= len(old) and list(words[:size]) == list(old[-size:]) and list(new[: len(root)]) == list(root):
            return [*new[len(root) :], *words[size:]]
    return list(words)


def _python(importer: str, text: str, old: str, new: str) -> str | None:
    match = PYTHON_FROM.match(text)
    if match is None:
        whole = PYTHON_WHOLE.fullmatch(text)
        new_words = ".".join(_moved(whole[2].split("."), _parts(old), _parts(new))) if whole else ""
        return f"{whole[1]}{new_words}{whole[3]}" if whole and new_words != whole[2] else None
    dots, words = match[2], match[3].split(".") if match[3] else []
    import_names = re.split(r"[\s,()]+", text[match.end() :].strip(" (\n"))
    where = _module(importer, dots, words, old, new)
    if where is not None:
        return f"{match[1]}{where}{text[match.end(3) :]}"
    stem = _parts(old)[-1]
    if import_names[:1] != [stem] or import_names[1:] not in ([], [""]):
        return None
    where = _module(importer, dots, [*words, stem], old, new)
    if where is None:
        return None
    folder, _, name = where.rpartition(".")
    alias = "" if name == stem else f" as {stem}"
    folder = f"{folder}." if set(folder) <= {"."} and where.startswith(".") else folder
    return f"{match[1]}{folder}{match[4]} {name}{alias}" if folder else None


def _module(importer: str, dots: str, words: Sequence[str], old: str, new: str) -> str | None:
    """How a module is named now, if it is the old one that these dots and words name."""
    before, after = _parts(old), _parts(new)
    if not dots:
        new_words = _moved(words, before, after)
        return ".".join(new_words) if words and new_words != list(words) and len(words) <= len(before) else None
    folders = importer.split("/")[:-1]
    base = folders[: len(folders) - len(dots) + 1]
    if [*base, *words] != before:
        return None
    for more in range(len(folders) - len(dots) + 2):
        top = folders[: len(folders) - len(dots) + 1 - more]
        if after[: len(top)] == top and (top or not folders):
            return "." * (len(dots) + more) + ".".join(after[len(top) :])
    return None


def _quoted(match: re.Match[str], importer: str, old: str, new: str) -> str:
    """A path in quotes, as it was written: from the importer's folder or from some other one, with or without its suffix."""
    token = match[2]
    here = posixpath.dirname(importer)
    target_path = posixpath.normpath(posixpath.join(here, token))
    target = _alike(target_path, old, new)
    if target is not None:
        spelt = posixpath.relpath(target, here or ".")
        spelt = spelt if spelt.startswith("../") or not token.startswith(".") else f"./{spelt}"
        return f"{match[1]}{spelt}{match[3]}"
    for was, now in ((old, new), (posixpath.splitext(old)[0], posixpath.splitext(new)[0])):
        if not token.startswith(".") and was.endswith(f"/{token}") and now.startswith(was[: -len(token)]):
            return f"{match[1]}{now[len(was) - len(token) :]}{match[3]}"
    return match[0]


def _alike(path: str, old: str, new: str) -> str | None:
    """The new path in the form in which the old one was written."""
    (stem, suffix), (old_stem, _), (new_stem, _) = map(posixpath.splitext, (path, old, new))
    if path == old:
        return new
    if path == old_stem:
        return new_stem
    if stem == old_stem and suffix in SCRIPTS and old.endswith(SCRIPTS):
        return new_stem + suffix
    if path == module_path(old):
        return module_path(new)
    return None


def _crate(words: str, old: str, new: str) -> str:
    """A path from the root of a crate."""
    names = words.split("::")[1:]
    (root, _, was), (new_root, _, now) = (path.rpartition("src/") for path in (old, new))
    before, after = _parts(was), _parts(now)
    if root != new_root or names[: len(before)] != before:
        return f"crate{words}"
    return "::".join(["crate", *after, *names[len(before) :]])
