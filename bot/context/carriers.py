"""How a caller hands on what it gets from a changed definition: by a function, a property, a field or a variable of its own. Pure.

The name under which others ask for it is a carrier. The defect then shows one step further, where nobody names what changed.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from bot.context import identifiers, meaning, result_flow
from bot.text import blocks
from bot.text.filetypes import filetype
from bot.text.lines import special
from bot.values import Reference

MAX_FIELDS = 3  # of one caller
FIELD_WIDTH = 80  # characters between a constructor, the name of its argument and the value
SHORTEST = 2  # letters of a carrier: a short one counts only where its owner is named
_PATH_NAME = re.compile(r"^(?:index|mod|__init__)$")
_SIGNED = re.compile(r"[@#]\d+$")
_TYPE = re.compile(r"(?<![\w$])[A-Z][\w$]*[a-z][\w$]*")
_VARIABLE = re.compile(
    r"(?:export\s+)?(?:(?:public|private|internal|static|final|readonly|pub)\s++){0,6}(?:(?:const|let|var|val)\s+)?"
    + result_flow.VARIABLE
)
# A function that is given to a name: `exports.list = function (`, `const list = async (x) => {`, `list: (x) => {`.
_ASSIGNED = re.compile(
    r"\s*(?:export\s+)?(?:const\s+|let\s+|var\s+)?(?:[\w$]+\.)*([\w$]+)\s*(?::[^=]{0,80})?[=:]\s*(?:async\b\s*)?"
    r"(?:function\b|\([^()]*\)\s*(?::[^=]{1,80})?=>|[\w$]+\s*=>)"
)
_PROPERTY_ABOVE = re.compile(r"\s*@(?:[\w.]+\.)?(?:\w*property|computed)\b")
_PROPERTY = re.compile(
    r"\s*+(?:(?:public|private|protected|internal|static|override|virtual)\s++)*+(?:get\s+[\w$]+\s*\(|[^()=\s][^()=]*+(?<=\s)=>)"
)
_ARGUMENT = re.compile(r"\b(\w{2,40})\s?[=:](?!=)")
_CONSTRUCTOR = re.compile(r"(?<![\w$])[A-Z]\w{0,40}+\(")


@dataclass(frozen=True, slots=True)
class Carrier:
    """A name under which others get what a changed definition gives."""

    name: str
    home: str  # the path of the file that defines it
    of: str  # what it carries
    is_call: bool  # others call it; else they read it
    owners: frozenset[str] = frozenset()  # names of the class, the type or the function to which it belongs

    @property
    def everyday(self) -> bool:
        """Whether another thing may well have this name: then it counts only beside its owner's name, or its file's."""
        return not self.is_call or identifiers.single(self.name) or not identifiers.telling(self.name)

    @property
    def stem(self) -> str:
        """How an import names its file."""
        stem = posixpath.splitext(posixpath.basename(self.home))[0]
        return posixpath.basename(posixpath.dirname(self.home)) if _PATH_NAME.match(stem) else stem

    @property
    def reason(self) -> str:
        """Why a line that uses it is shown."""
        form = "calls {}, which passes on to {}" if self.is_call else "reads {}, which holds what {} gives"
        return form.format(self.name, self.of)

    def used_in(self, line: str) -> bool:
        """Whether a line asks for it: by a call, or as a member, a key or a part that it takes out of the whole."""
        return self.name in line and bool(_use(self.name, self.is_call, not self.owners).search(line))


@lru_cache(maxsize=512)
def _use(name: str, is_call: bool, alone: bool) -> re.Pattern[str]:
    word = re.escape(name)
    if is_call:
        return re.compile(rf"(?<![\w$]){word}(?:<[^<>()]*>)?\s*\(|(?:\.|->){word}(?![\w$?!])")
    if alone:
        return re.compile(rf"(?<![\w$]){word}(?![\w$])")
    member = rf"(?:\.|->|::){word}(?![\w$])(?!\s*=(?![=>~]))"
    key = rf"[\[(]\s*[\"':]{word}[\"']?\s*[\]),]"
    part = rf"[{{,]\s*{word}\b(?:\s*:\s*\w+)?(?:\s*=[^,{{}}]*)?\s*(?:,[^{{}}]*)?\}}\s*(?::[^=]{{0,80}})?(?:=(?![=>])|\)\s*=>|,|\)\s*\{{)"
    return re.compile(f"{member}|{key}|{part}")


def carriers(row: Reference, rows: Sequence[str], *, result: bool) -> list[Carrier]:
    """Under which names others get what a use gets. `result`: the change alters what its callers get."""
    if row.line > len(rows) or meaning.is_type(rows[row.line - 1]):  # who extends a type hands nothing on
        return []
    start, name, row = _function(row, rows)
    owner = [part for part in _SIGNED.sub("", row.function).split(".")[-2:-1] if not part.startswith("<")]
    owners = frozenset(_telling((*owner, *_types(rows, start))))
    found = []
    if name and name not in filetype(row.path).constructors and _passes(row, rows, result=result):
        found.append(Carrier(name, row.path, row.name, is_call=not _is_property(rows, start), owners=owners))
    if not name and (kept := _VARIABLE.match(rows[row.line - 1])) and identifiers.telling(kept[1]):
        found.append(Carrier(kept[1], row.path, row.name, is_call=False))
    if name and result:
        holders = owners | frozenset(_telling((name, *_built(row, rows, start))))
        fields = list(dict.fromkeys(_fields(row, rows)))[:MAX_FIELDS] if holders else []
        found += [Carrier(field, row.path, row.name, is_call=False, owners=holders) for field in fields]
    return [
        one
        for one in dict.fromkeys(found)
        if len(one.name) >= SHORTEST and not one.name.startswith("__") and not special(one.name)
    ]


def _built(row: Reference, rows: Sequence[str], start: int) -> list[str]:
    """The types that the lines around a use name, down from the head of its function: what is built there. Not the one that is called."""
    texts = [rows[number - 1] for number in blocks.openings(rows, row.line, start)]
    called = re.compile(rf"(?<![\w$])[\w$]+(?:\.|::|->)(?={re.escape(row.name)}(?![\w$]))")
    return [word for text in texts for word in _TYPE.findall(called.sub("", text))]


def _function(row: Reference, rows: Sequence[str]) -> tuple[int, str, Reference]:
    """Where the function around a use begins, what it is called, and the use with its lines: also one that is given to a name."""
    if row.span is not None:
        return row.span[0], _SIGNED.sub("", row.function).rpartition(".")[2], row
    for number in blocks.openings(rows, row.line, 1):
        given = _ASSIGNED.match(rows[number - 1])
        if given and (number != row.line or "=>" in rows[number - 1].partition(row.name)[0]):
            return number, given[1], replace(row, span=(number, blocks.statement(rows, number).end))
    return row.line, "", row


def _passes(row: Reference, rows: Sequence[str], *, result: bool) -> bool:
    """Whether a function does nothing but pass on what it gets, or returns it whatever else it does."""
    start, end = row.span or (row.line, row.line)
    short = end - start < blocks.MAX_WRAPPER and row.name in blocks.passes_on(row.path, rows, start, end)
    return short or (result and result_flow.returns(row.path, rows, row))


def _types(rows: Sequence[str], start: int) -> list[str]:
    """The types that the head of a class around a function names: itself, and what it extends or implements."""
    heads = [
        n
        for n in blocks.openings(rows, start, 1)
        if n != start and re.search(r"\b(?:class|impl|struct|trait|interface|object|module)\b", rows[n - 1])
    ]
    return [word for number in heads for word in _TYPE.findall(rows[number - 1])]


def _telling(names: Iterable[str]) -> list[str]:
    """Names that say which thing is meant: of more than one word, or a type's."""
    return [name for name in names if identifiers.telling(name) and not identifiers.plain(name)]


def _is_property(rows: Sequence[str], start: int) -> bool:
    above = rows[max(0, start - 3) : start]
    return bool(_PROPERTY.match(rows[start - 1])) or any(map(_PROPERTY_ABOVE.match, above))


def _fields(row: Reference, rows: Sequence[str]) -> Iterator[str]:
    """The fields and keys in which a function keeps what it gets, at once or by a variable."""
    text = rows[row.line - 1]
    yield from _kept(text, row.name)
    given = _VARIABLE.match(text.strip())
    if not given or row.span is None:
        return
    for later in rows[row.line : row.span[1]]:
        if given[1] not in identifiers.words(later):
            continue
        yield from _kept(later, given[1])
        if filetype(row.path).literal_keys and re.search(rf"[{{,]\s*{given[1]}\s*[,}}]|^\s*{given[1]},?\s*$", later):
            yield given[1]


def _kept(text: str, of: str) -> Iterator[str]:
    yield from sorted(identifiers.stored_keys(text, of))
    word = rf"(?<![\w$]){re.escape(of)}(?![\w$])"
    for use in re.finditer(word, text):
        yield from _constructor_field(text, use.start())
    if found := re.match(rf"\s+(_\w+|[A-Z]\w+)\s*=(?!=)[^=]{{0,80}}{word}", text):
        yield found[1]  # a member that is written without its object


def _constructor_field(text: str, use: int) -> Iterator[str]:
    """Yield the name of the constructor's argument whose value a use belongs to: an argument often has the name of its field."""
    piece = text.rfind(",", max(0, use - FIELD_WIDTH), use) + 1 or max(0, use - FIELD_WIDTH)
    for key in _ARGUMENT.finditer(text, piece, use):
        if _CONSTRUCTOR.search(text, max(0, key.start() - FIELD_WIDTH), key.start()):
            yield key[1]
            return
