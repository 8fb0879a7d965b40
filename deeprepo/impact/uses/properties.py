"""Find uses of a component that pass a removed property or omit a newly required one.

Example: after `function Row({ heading })` became `function Row({ title })`, `<Row heading="x" />` and `Row({
heading: "x" })` still pass the old property. They omit the new one if its type says that it is required.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from deeprepo.impact.changes import ChangedSymbol, MissingPart, Reference
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import replace
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.uses.sites import mention
from deeprepo.impact.values import Definition, Side

_TAKES = re.compile(r"\(\s*+\{([^{}()]*+(?:\{[^{}]*+\}[^{}()]*+)*+)\}")  # the object that a head destructures
_NAME = re.compile(r"(?:^|,)\s*+([A-Za-z_$][\w$]*+)")
_GIVEN = re.compile(r"(?:^|[\s,{])(:|v-bind:)?([A-Za-z_$][\w$-]*+)(?=\s*+[=:,}]|\s|$)")
_LINES = 60  # lines of an element or a call
_OF_ALL = frozenset({"key", "ref", "children"})  # accepted by every element
# the type of that object
_TYPED = re.compile(r"\}\s*+:\s*+(?:(\w+)|(\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+\}))\s*+[,)]")
_CLOSED = r"\b(?:interface\s++NAME|type\s++NAME\s*+=)\s*+(\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+\})(?!\s*+[&|])"
_COMMENT = re.compile(r"//[^\n]*+|/\*(?:.*?\*/|.*)", re.DOTALL)  # an unclosed comment runs to the end
_DEPTH = 4  # nesting levels of brackets in a type
_INNER = re.compile(r"\([^()]*+\)|\{[^{}]*+\}|\[[^\[\]]*+\]")
_REQUIRED = re.compile(r"(?:^|[;,\n])[^\S\n]*+(?:readonly\s++)?([A-Za-z_$][\w$]*+)\s*+:")
_ANY_KEY = re.compile(r"\[\s*+\w++\s*+(?::|in\b)")


async def lost_properties(
    tree: Tree, symbols: Iterable[ChangedSymbol], references: Iterable[Reference]
) -> list[Reference]:
    """Return the lines that pass a removed property or omit a new one.

    With a rest parameter, no property counts as removed.
    """
    items = {f"{one.symbol.path}:{one.symbol.name}": one for one in symbols if _taken(one.before) and _taken(one.after)}
    rows = [row for row in references if row.symbol in items and row.sure and row.form != "import"]
    texts = {path: file_lines(raw) for path, raw in (await tree.read_many(sorted({row.path for row in rows}))).items()}
    now = await _texts(tree, {one.path for item in items.values() if (one := item.after)}, "head")
    before = await _texts(tree, {one.path for item in items.values() if (one := item.before)}, "base")
    found = []
    for row in rows:
        item = items[row.symbol]
        types = [_type_of(one, source) for one, source in ((item.before, before), (item.after, now))]
        lost = frozenset() if "..." in _taken(item.after) else _names(item.before) - _names(item.after)
        given, is_all = _given(texts.get(row.path, ()), row)
        compiled = filetype(row.path).broken_use != ""
        for name, line in given:
            if name in lost:
                said = _said(row, name, line, texts)
                is_proven = compiled and types[1] != "" and name not in _OF_ALL and not _declares(types[1], name)
                found.append(replace(said, tie="bound", fate="lost") if is_proven else replace(said, asks=True))
        was, asked = map(_required, types)
        names = {name for name, _ in given}
        is_whole = is_all and all(types) and not _is_wrapped(item, now)
        if compiled and is_whole and was <= names and not names & lost:
            wrong = MissingPart("omits it", "does not compile", "is now required")
            new = [_said(row, name, row.line, texts) for name in sorted(asked - names)]
            found += [replace(one, tie="bound", missing_part=wrong) for one in new]
    return list({(one.path, one.line, one.name): one for one in found}.values())


async def _texts(tree: Tree, paths: Collection[str], side: Side) -> Mapping[str, str]:
    return {path: raw.decode("utf-8", "replace") for path, raw in (await tree.read_many(sorted(paths), side)).items()}


def _said(row: Reference, name: str, line: int, texts: Mapping[str, Sequence[str]]) -> Reference:
    return mention(f"{row.symbol}.{name}", name, row.path, line, texts[row.path][line - 1].rstrip("\r"))


def _taken(one: Definition | None) -> str:
    """Return what a head destructures from its only object, as written."""
    found = _TAKES.search(one.head) if one is not None and one.called else None
    return found[1] if found is not None else ""


def _names(one: Definition | None) -> frozenset[str]:
    return frozenset(_NAME.findall(_taken(one)))


def _type_of(one: Definition | None, sources: Mapping[str, str]) -> str:
    """Return the type of the object if its file defines all of it, so that a compiler checks every property."""
    typed = _TYPED.search(one.head) if one is not None else None
    if one is None or typed is None or not filetype(one.path).broken_use:
        return ""
    source, name = sources.get(one.path, ""), re.escape(typed[1] or "")
    types = [typed[2]] if typed[2] else re.findall(_CLOSED.replace("NAME", name), source)
    declared = len(re.findall(rf"\b(?:interface|type|class)\s+{name}\b", source)) if name else 1
    written = _COMMENT.sub(" ", types[0]) if len(types) == declared == 1 else ""
    return written if not _ANY_KEY.search(written) else ""


def _required(written: str) -> frozenset[str]:
    """Return the properties that a type requires."""
    inner = written[1:-1]
    for _ in range(_DEPTH):
        inner = _INNER.sub(" ", inner)
    return frozenset(_REQUIRED.findall(inner)) - _OF_ALL


def _is_wrapped(item: ChangedSymbol, sources: Mapping[str, str]) -> bool:
    """Return whether defaults or a wrapper may provide omitted properties."""
    source, name = sources.get(item.symbol.path, ""), re.escape(item.symbol.short)
    return re.search(rf"\bdefaultProps\b|[(,]\s*+{name}\s*+[,)]", source) is not None


def _declares(written: str, name: str) -> bool:
    return re.search(rf"(?<![\w$]){re.escape(name)}[\"']?\s*+(?:\?\s*+)?[:(]", written) is not None


def _given(lines: Sequence[str], row: Reference) -> tuple[list[tuple[str, int]], bool]:
    """Return the properties that an element or call passes, with their lines.

    Also return whether these are all, without a spread or children.
    """
    text = "\n".join(lines[row.line - 1 : row.line + _LINES])
    begin = re.search(
        rf"<{re.escape(row.name)}(?![\w.-])|(?<![\w$]){re.escape(row.name)}\(\s*+\{{", text.partition("\n")[0]
    )
    if begin is None:
        return [], False
    is_element, depth, own = begin[0].startswith("<"), 0, list[str]()
    for at, letter in enumerate(text[begin.end() :], begin.end()):
        depth += letter in "{(["
        own.append(letter if not depth or letter == "\n" else " ")
        depth -= letter in "})]"
        if depth < 0 or (is_element and not depth and letter == ">" and text[at - 1] != "="):
            break
    given = [
        (match[2], row.line + text.count("\n", 0, begin.end() + match.start(2)))
        for match in _GIVEN.finditer("".join(own))
    ]
    whole = text[begin.end() : begin.end() + len(own)]
    return given, "..." not in whole and (not is_element or whole.rstrip(">").endswith("/"))
