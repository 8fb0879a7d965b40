"""Compare both sides of files to find changed definitions, and attributes that classes no longer set."""

import difflib
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from deeprepo.impact.changes import ChangedFile, ChangedSymbol
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.ports import Family
from deeprepo.impact.structs import Struct, replace
from deeprepo.impact.text.lines import defines, file_lines, is_comment, says
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.contract import is_contested, without_formatting
from deeprepo.impact.values import COMPONENT, SINGLETON, Definition, Facts, Side

VALUES = frozenset({"variable", COMPONENT})  # kinds without a body
HOLDERS = frozenset({"class", "type"})  # kinds with members
SHORT = 12  # lines of a definition in which one edited line matters
_TOKEN = re.compile(r"\w+|[^\w\s]")
ALIKE = 0.6  # minimum similarity of two bodies to count as a rename
MAX_BODY = 4_000  # characters compared
MOST_FITTING = 100  # new definitions that each removed one is compared with
OWN = re.compile(r"(?:\b(?:self|this|cls)(?:\.|->)|@)([A-Za-z_]\w*)")
SET = re.compile(rf"{OWN.pattern}\s*(?::[^=\n]{{1,80}})?=(?![=>~])")
ASSIGNS = re.compile(r"(?<![=!<>])=(?![=>~])")
FIELD = (
    r"^\s*+(?:public|private|protected|internal|static|readonly|final|var|val|let|const|declare|override|attr_accessor|attr_reader)\s"
    r"[\w$<>\[\]?|:, ]{0,120}?[#:$]?\bNAME\b|\bsetattr\(\s*+self\s*+,\s*+[\"']NAME[\"']|\b(?:as|for)\s++self\.NAME\b"
)


class ChangedSource(Struct, frozen=True):
    """A changed file on both sides, with its facts."""

    file: ChangedFile
    language: Family
    before: bytes
    after: bytes
    old: Facts
    new: Facts

    def lines(self, symbol: Definition) -> str:
        """Return the text of a definition."""
        text = _split(self.before if symbol.side == "base" else self.after)
        return "\n".join(text[symbol.start - 1 : symbol.end])


_split = lru_cache(maxsize=4)(file_lines)


def read(file: ChangedFile, language: Family, before: bytes | None, after: bytes | None) -> ChangedSource:
    """Read the facts of both sides of a file; a missing side is empty."""
    old, new = (
        _outline(language, file.old_path or file.path, before, "base"),
        _outline(language, file.path, after, "head"),
    )
    if why := new.unread or old.unread:  # an unreadable side must not count as empty
        old = new = Facts(complete=False, unread=why)
    return ChangedSource(file, language, before or b"", after or b"", old, new)


def _outline(language: Family, path: str, source: bytes | None, side: Side) -> Facts:
    return language.outline(path, source, side) if source is not None else Facts()


class _Edits:
    """The changed lines of one side, and the definitions that they belong to."""

    def __init__(self, outline: Facts, lines: Iterable[int]) -> None:
        self._lines = sorted(lines)
        self._symbols = sorted(outline.definitions, key=lambda symbol: symbol.start)
        self._starts = [symbol.start for symbol in self._symbols]

    def touch(self, symbol: Definition) -> bool:
        """Return whether a changed line belongs to this definition and to none inside it."""
        own = set(self._lines[bisect_left(self._lines, symbol.start) : bisect_right(self._lines, symbol.end)])
        if not own:
            return False
        for other in self._symbols[bisect_left(self._starts, symbol.start) : bisect_right(self._starts, symbol.end)]:
            if other.name.startswith(f"{symbol.name}.") or _holds(symbol, other):
                own.difference_update(range(other.start, min(other.end, symbol.end) + 1))
                if not own:
                    return False
        return True


def changed_symbols(source: ChangedSource) -> tuple[ChangedSymbol, ...]:
    """Return the definitions that the change adds, removes, renames or edits, in file order."""
    base, head = _Edits(source.old, source.file.removed_lines), _Edits(source.new, source.file.added_lines)
    companions = _companions(source.old) | _companions(source.new)
    old = _by_name(source.old.definitions, companions=companions)
    new = _by_name(source.new.definitions, old, companions)
    symbols_found = [_pair(base, head, before, new[key]) for key, before in old.items() if key in new]
    left_names = {symbol.name for symbol in source.new.definitions} & companions
    gone = [symbol for key, symbol in old.items() if key not in new]
    removed_symbols = _outermost([symbol for symbol in gone if not _is_misread(source, symbol)], left_names)
    added_symbols = [symbol for key, symbol in new.items() if key not in old and head.touch(symbol)]
    renames = _renames(source, removed_symbols, added_symbols)
    symbols_found += renames
    gone_symbols = {symbol.before for symbol in renames}
    come = {symbol.after for symbol in renames}
    symbols_found += [_removal(symbol, source.new) for symbol in removed_symbols if symbol not in gone_symbols]
    symbols_found += [ChangedSymbol(None, symbol, "added") for symbol in added_symbols if symbol not in come]
    return tuple(sorted((item for item in symbols_found if item is not None), key=lambda item: item.symbol.start))


def _is_misread(source: ChangedSource, symbol: Definition) -> bool:
    """Return whether a line still defines something that the grammar missed."""
    if source.new.complete:
        return False
    owner, _, short = symbol.name.rpartition(".")
    # the head of the class may define it
    is_constructor = owner and short in filetype(source.file.path).inheritance.constructors
    word = owner.rpartition(".")[2] if is_constructor else symbol.short
    return any(defines(line, word, source.file.path) for line in _split(source.after))


def _companions(outline: Facts) -> frozenset[str]:
    """Return the names that a class and an object share."""
    is_object = {(symbol.name, SINGLETON in symbol.marks) for symbol in outline.definitions if symbol.kind in HOLDERS}
    return frozenset(name for name, is_one in is_object if is_one and (name, False) in is_object)


def _by_name(
    symbols: Iterable[Definition],
    others: Mapping[tuple[str, int], Definition] = MappingProxyType({}),
    companions: Collection[str] = (),
) -> dict[tuple[str, int], Definition]:
    """Return definitions by name and order. Overloads are matched by their heads."""
    symbols_by_key: dict[tuple[str, int], Definition] = {}
    keys_by_head = {(symbol.name, _head(symbol)): key for key, symbol in reversed(list(others.items()))}
    later = []
    for symbol in symbols:
        key = keys_by_head.get((symbol.name, _head(symbol)))
        if key is not None and key not in symbols_by_key and (_is_overloaded(others[key]) or _is_one_of_many(symbol)):
            symbols_by_key[key] = symbol
        else:
            later.append(symbol)
    next_of: dict[str, int] = defaultdict(int)
    for symbol in later:
        is_companion = symbol.name in companions and SINGLETON in symbol.marks
        name = f"{SINGLETON} {symbol.name}" if is_companion else symbol.name
        while (name, next_of[name]) in symbols_by_key:
            next_of[name] += 1
        symbols_by_key[name, next_of[name]] = symbol
    return symbols_by_key


def _head(symbol: Definition) -> str:
    return symbol.head if symbol.called else ""


def _is_overloaded(symbol: Definition) -> bool:
    return bool(symbol.also)


def _is_one_of_many(symbol: Definition) -> bool:
    """Return whether it is one of several overloads that are all in effect."""
    return _is_overloaded(symbol) and not symbol.ambiguous


def _pair(base: _Edits, head: _Edits, before: Definition, after: Definition) -> ChangedSymbol | None:
    if before.called and after.called:
        same_parameters = before.parameters == after.parameters
        same_head = without_formatting(before.head) == without_formatting(after.head)
        if not same_parameters or not same_head or is_contested(before, after):
            return ChangedSymbol(before, after, "signature")
    if base.touch(before) or head.touch(after):
        return ChangedSymbol(before, after, "body")
    return None


def _removal(symbol: Definition, now: Facts) -> ChangedSymbol:
    """Return the change for a removed definition.

    For a removed overload, the signature changes, since others remain.
    """
    left = [other for other in now.definitions if other.name == symbol.name and other.called]
    if left and _is_overloaded(symbol):
        return ChangedSymbol(symbol, left[0], "signature")
    return ChangedSymbol(symbol, None, "removed")


def _holds(outer: Definition, inner: Definition) -> bool:
    """Return whether one definition is inside another, whatever their names."""
    return (
        outer.start <= inner.start and inner.end <= outer.end and (outer.start, outer.end) != (inner.start, inner.end)
    )


def _outermost(symbols: Sequence[Definition], left_names: Collection[str]) -> list[Definition]:
    """Return the definitions without members of removed classes, unless an object of that name remains."""
    names = {symbol.name for symbol in symbols} - {*left_names}
    return [symbol for symbol in symbols if not names & set(_outer(symbol.name))]


def _outer(name: str) -> Iterator[str]:
    """Yield the qualified names around a name: `a.b` and `a` for `a.b.c`."""
    while name := name.rpartition(".")[0]:
        yield name.removesuffix("()")


def _renames(
    source: ChangedSource, removed_symbols: Sequence[Definition], added_symbols: Sequence[Definition]
) -> list[ChangedSymbol]:
    """Return renamed definitions: the same kind and place, and similar bodies."""
    pairs = []
    left: dict[tuple[str, str], list[Definition]] = defaultdict(list)
    for after in added_symbols:
        left[_place(after)].append(after)
    for before in removed_symbols:
        fits = [one for one in left[_place(before)] if _is_special(one) == _is_special(before)]
        if before.kind in VALUES or len(fits) > MOST_FITTING:
            continue
        candidates = [(_alike(source, before, after), after) for after in fits]
        best = max(candidates, key=lambda item: item[0], default=None)
        if best is not None and best[0] >= ALIKE:
            left[_place(before)].remove(best[1])
            pairs.append(ChangedSymbol(before, best[1], "renamed"))
    return pairs


def _is_special(symbol: Definition) -> bool:
    """Return whether the language calls a function by a fixed name.

    Examples are `__getattr__`, `__call` and `method_missing`.
    """
    return symbol.short.startswith("__") or symbol.short.rstrip("?").endswith("_missing")


def _place(symbol: Definition) -> tuple[str, str]:
    return symbol.kind, symbol.name.rpartition(".")[0]


def _alike(source: ChangedSource, before: Definition, after: Definition) -> float:
    """Return how similar two bodies are without their own names, from 0 to 1; 0 for variables."""
    if before.kind in VALUES:
        return 0.0
    old = re.sub(rf"\b{re.escape(before.short)}\b", "_", source.lines(before))[:MAX_BODY]
    new = re.sub(rf"\b{re.escape(after.short)}\b", "_", source.lines(after))[:MAX_BODY]
    return max(_likeness(old, new), token_likeness(old, new))


def token_likeness(old: str, new: str) -> float:
    """Return how similar the tokens of two short texts are, from 0 to 1.

    Return 0 if each has a word that the other lacks.
    """
    if min(old.count("\n"), new.count("\n")) > SHORT:
        return 0.0
    one, two = (_TOKEN.findall(text) for text in (old, new))
    words = [{token for token in side if token[0].isalpha() or token[0] == "_"} for side in (one, two)]
    if words[0] - words[1] and words[1] - words[0]:
        return 0.0
    return difflib.SequenceMatcher(None, one, two, autojunk=False).ratio()


def with_moves(
    sources: Sequence[ChangedSource], symbols: Mapping[str, tuple[ChangedSymbol, ...]]
) -> dict[str, tuple[ChangedSymbol, ...]]:
    """Return the symbols, with removed definitions that were added elsewhere marked as moved."""
    by_path = {source.file.path: source for source in sources}
    came: dict[tuple[str, str], tuple[ChangedSource, Definition]] = {}
    for path, items in symbols.items():
        for item in items:
            if item.change == "added" and item.after is not None and "." not in item.after.name:
                came[item.after.name, item.after.kind] = by_path[path], item.after
    symbols_by_file: dict[str, tuple[ChangedSymbol, ...]] = {}
    arrivals: set[Definition] = set()
    for path, items in symbols.items():
        rows = []
        for item in items:
            there = came.get((item.before.name, item.before.kind)) if item.change == "removed" and item.before else None
            if there is not None and item.before is not None and _same(by_path[path], item.before, *there):
                arrivals.add(there[1])
                rows.append(replace(item, after=there[1], change="renamed"))
            else:
                rows.append(item)
        symbols_by_file[path] = tuple(rows)
    return {
        path: tuple(i for i in items if i.before or i.after not in arrivals) for path, items in symbols_by_file.items()
    }


def _same(old: ChangedSource, before: Definition, new: ChangedSource, after: Definition) -> bool:
    return _likeness(old.lines(before)[:MAX_BODY], new.lines(after)[:MAX_BODY]) >= ALIKE


def _likeness(one: str, two: str) -> float:
    """Return how similar the lines of two texts are, from 0 to 1."""
    old, new = ([line.strip() for line in text.split("\n")] for text in (one, two))
    shorter, longer = sorted((len(old), len(new)))
    if shorter * 3 < longer:
        return 0.0
    return difflib.SequenceMatcher(None, old, new, autojunk=False).ratio()


def lost_attributes(sources: Sequence[ChangedSource]) -> Iterator[tuple[str, str, str]]:
    """Yield (path, class, attribute) for attributes that no new version of the class sets.

    Attributes of removed classes are not included.
    """
    for source in sources:
        path = source.file.path
        lines = ["" if is_comment(line, path) else line for line in file_lines(source.before)]
        left = {symbol.name for symbol in source.new.definitions}
        classes = [one for one in source.old.definitions if one.kind == "class" and not is_test(path)]
        seen_names = set[str]()
        for owner in sorted(classes, key=lambda one: one.end - one.start):  # innermost first
            names = {name for line in lines[owner.start - 1 : owner.end] for name in SET.findall(line)}
            if owner.name in left and names - seen_names:
                holders = [other for other in sources if other is source or _has_class(other, owner.short)]
                for name in sorted(names - seen_names):
                    if not any(_sets(other, name) for other in holders):
                        yield path, owner.name, name
            seen_names |= names


def _has_class(source: ChangedSource, name: str) -> bool:
    return any(symbol.short == name and symbol.kind == "class" for symbol in source.new.definitions)


def _sets(source: ChangedSource, name: str) -> bool:
    """Return whether a file defines the name, assigns it to its own object, or declares it as a field."""
    if any(symbol.short == name for symbol in source.new.definitions):
        return True
    lines = (line for line in file_lines(source.after) if name in line and not is_comment(line, source.file.path))
    return any(name in _assigned(line) or says(FIELD, name, line) for line in lines)


def _assigned(line: str) -> set[str]:
    """Return the attributes that a line assigns, including tuple and chained targets."""
    targets, *values = ASSIGNS.split(line, maxsplit=1)
    return {*SET.findall(line), *(OWN.findall(targets) if values else ())}
