"""Properties that a component, or a function of one object, takes no more, and the elements and calls that still give them.

`function Row({ heading })` has become `function Row({ title })`: `<Row heading="x" />` and `Row({ heading: "x" })` still give the old one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from impact.changes import ChangedSymbol, Reference
from impact.filetypes import filetype
from impact.ports import Tree
from impact.text.lines import file_lines
from impact.uses.sites import mention

_TAKES = re.compile(r"\(\s*+\{([^{}()]*+(?:\{[^{}]*+\}[^{}()]*+)*+)\}")  # the object that a head takes apart
_NAME = re.compile(r"(?:^|,)\s*+([A-Za-z_$][\w$]*+)")
_GIVEN = re.compile(r"(?:^|[\s,{])(:|v-bind:)?([A-Za-z_$][\w$-]*+)(?=\s*+[=:,}]|\s|$)")
_LINES = 60  # of an element or a call
_OF_ALL = frozenset({"key", "ref", "children"})  # what each element may be given
_TYPED = re.compile(r"\}\s*+:\s*+(?:(\w+)|(\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+\}))\s*+[,)]")  # the type of that object
_CLOSED = r"\b(?:interface\s++NAME|type\s++NAME\s*+=)\s*+(\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+\})(?!\s*+[&|])"
_ANY_KEY = re.compile(r"\[\s*+\w++\s*+(?::|in\b)")


async def lost_properties(
    tree: Tree, symbols: Iterable[ChangedSymbol], references: Iterable[Reference]
) -> list[Reference]:
    """The lines that give a property which is gone. Where the head takes the rest of them, nothing is."""
    lost = {f"{item.symbol.path}:{item.symbol.name}": names for item in symbols if (names := _lost(item))}
    rows = [row for row in references if row.symbol in lost and row.sure and row.form != "import"]
    texts = {path: file_lines(raw) for path, raw in (await tree.read_many(sorted({row.path for row in rows}))).items()}
    homes = sorted({item.symbol.path for item in symbols if f"{item.symbol.path}:{item.symbol.name}" in lost})
    sources = {path: raw.decode("utf-8", "replace") for path, raw in (await tree.read_many(homes)).items()}
    refused = {
        (f"{item.symbol.path}:{item.symbol.name}", name)
        for item in symbols
        for name in lost.get(f"{item.symbol.path}:{item.symbol.name}", ())
        if _refuses(item, sources.get(item.symbol.path, ""), name)
    }
    found = []
    for row in rows:
        for name, line in _given(texts.get(row.path, ()), row):
            if name not in lost[row.symbol]:
                continue
            text = texts[row.path][line - 1].rstrip("\r")
            said = mention(f"{row.symbol}.{name}", name, row.path, line, text)
            is_proven = (row.symbol, name) in refused and filetype(row.path).broken_use != ""
            found.append(replace(said, tie="bound", fate="gone") if is_proven else replace(said, asks=True))
    return list({(one.path, one.line, one.name): one for one in found}.values())


def _lost(item: ChangedSymbol) -> frozenset[str]:
    """The names that the old head takes out of its one object and the new head does not."""
    heads = [side.head if side and side.called else "" for side in (item.before, item.after)]
    before, after = (_TAKES.search(head) for head in heads)
    if before is None or after is None or "..." in after[1]:
        return frozenset()
    return frozenset(_NAME.findall(before[1])) - frozenset(_NAME.findall(after[1]))


def _refuses(item: ChangedSymbol, source: str, name: str) -> bool:
    """Whether the type of the object, as its file writes it, has no such property: a compiler refuses one that is given."""
    head = item.after.head if item.after is not None else ""
    typed = _TYPED.search(head)
    if typed is None or name in _OF_ALL or not filetype(item.symbol.path).broken_use:
        return False
    types = [typed[2]] if typed[2] else re.findall(_CLOSED.replace("NAME", re.escape(typed[1])), source)
    declared = len(re.findall(rf"\b(?:interface|type|class)\s+{re.escape(typed[1])}\b", source)) if typed[1] else 1
    if len(types) != 1 or declared != 1:
        return False
    return not re.search(rf"(?<![\w$]){re.escape(name)}[\"']?\s*+(?:\?\s*+)?[:(]", types[0]) and not _ANY_KEY.search(
        types[0]
    )


def _given(lines: Sequence[str], row: Reference) -> Iterator[tuple[str, int]]:
    """Each property that an element or a call gives, with its line."""
    text = "\n".join(lines[row.line - 1 : row.line + _LINES])
    begin = re.search(
        rf"<{re.escape(row.name)}(?![\w.-])|(?<![\w$]){re.escape(row.name)}\(\s*+\{{", text.partition("\n")[0]
    )
    if begin is None:
        return
    is_element, depth, own = begin[0].startswith("<"), 0, list[str]()
    for at, letter in enumerate(text[begin.end() :], begin.end()):
        depth += letter in "{(["
        own.append(letter if not depth or letter == "\n" else " ")
        depth -= letter in "})]"
        if depth < 0 or (is_element and not depth and letter == ">" and text[at - 1] != "="):
            break
    for match in _GIVEN.finditer("".join(own)):
        yield match[2], row.line + text.count("\n", 0, begin.end() + match.start(2))
