"""Find the references in some lines of a file, and the bindings of its names."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Mapping

from deeprepo.impact.language import Language
from deeprepo.impact.parsing import Lines
from deeprepo.impact.reading.arguments import arguments
from deeprepo.impact.reading.matching import BOUND, Rows, matches, matches_at
from deeprepo.impact.reading.memo import memo
from deeprepo.impact.reading.nodes import first, first_line, text
from deeprepo.impact.reading.reader import Reader, parse
from deeprepo.impact.structs import Struct
from deeprepo.impact.values import Use

WRITTEN = 200  # bytes; a longer receiver is an expression
DOTTED = re.compile(r"[\w$]+(?:(?:\.|::|\\|\?\.)[\w$]+)*")


class Seen(Struct, frozen=True):
    """The references in some lines of a file, and names that are bound other than by imports."""

    uses: tuple[Use, ...]
    bindings: Mapping[str, tuple[tuple[int, int], ...]]  # name -> line ranges in which a binding applies
    types: Mapping[str, tuple["Typed", ...]]  # name -> its known classes
    stores: frozenset[str]  # assigned members
    defined: frozenset[str]  # names whose only binding is a definition outside all functions

    def typed(self, name: str, line: int) -> "Typed | None":
        """Return the class of a name on a line, or None."""
        return next((one for one in self.types.get(name, ()) if one.start <= line <= one.end), None)

    def binds(self, name: str, line: int) -> bool:
        """Return whether a local binding may apply to a name on a line."""
        return any(start <= line <= end for start, end in self.bindings.get(name, ()))


class Typed(Struct, frozen=True):
    """The class of a name in some lines."""

    name: str
    start: int
    end: int
    is_own: bool = False  # the method's own object, whose class may be a subclass with more members


@memo
def seen(language: Language, source: bytes, lines: Collection[int]) -> Seen | None:
    """Return the references in some lines; None if the file cannot be read."""
    root = parse(language, source)
    if root is None:
        return None
    file, code = Reader(language, root), Lines(source)
    captures = matches(language, BOUND, root)
    bindings = _bindings(file, captures["bindings"], code)
    uses = matches_at(language, "uses", root, [code.span(line) for line in sorted(lines)])
    skipped = {node.start_byte for rows in (captures["bindings"], uses) for node, _ in rows.of("unread", "store")}
    found = _uses(file, uses, frozenset(lines))
    return Seen(
        uses=tuple(use for start, use in sorted(found.items()) if start not in skipped),
        bindings={name: tuple(sorted(rows.values())) for name, rows in bindings.items()},
        types=_types(file, captures["types"], bindings),
        stores=frozenset(text(node) for node, _ in captures["bindings"].of("store")),
        defined=frozenset(name for name, rows in bindings.items() if len(rows) == 1 and rows.keys() <= file.outer),
    )


def _bindings(file: Reader, rows: Rows, code: Lines) -> Mapping[str, Mapping[int, tuple[int, int]]]:
    """Return name -> start byte of each binding -> lines in which it applies."""
    bindings: dict[str, dict[int, tuple[int, int]]] = defaultdict(dict)
    for node, _ in rows.of("bound"):
        around = [*file.locals.around(node.start_byte, node.end_byte)]
        start, end = around[-1][:2] if around else file.language.span(file.function(node))
        bindings[text(node)][node.start_byte] = min(code.at(start), first_line(node)), code.at(end)
    return bindings


def _uses(file: Reader, rows: Rows, wanted: Collection[int]) -> Mapping[int, Use]:
    """Return start byte -> reference; the most informative match wins."""
    guards = file.guards("guards")
    uses: dict[int, Use] = {}
    for name, found in rows.of("name"):
        if first_line(name) not in wanted:
            continue
        before, args = first(found, "receiver", None), first(found, "args", None)
        receiver = text(before) if before is not None and before.end_byte - before.start_byte <= WRITTEN else ""
        if before is not None and not DOTTED.fullmatch(receiver):
            receiver = "()"  # the value of an expression
        use = Use(
            name=text(name),
            line=first_line(name),
            receiver=receiver.replace("?.", "."),
            arguments=arguments(file.language, args) if args is not None else None,
            is_guarded=guards.hold(name, inclusive=False),
        )
        last = uses.get(name.start_byte)
        if last is None or use.arguments is not None or (use.receiver and not last.receiver):
            uses[name.start_byte] = use
    return uses


def _types(file: Reader, rows: Rows, bindings: Mapping[str, Collection[int]]) -> Mapping[str, tuple[Typed, ...]]:
    """Return the classes of names: a method's own object, and names bound once to a new object.

    `bindings`: name -> start bytes of its bindings.
    """
    types: dict[str, list[Typed]] = defaultdict(list)
    starts = {name: sorted(places) for name, places in bindings.items()}
    for found in rows:
        scope, var = first(found, "scope", None), first(found, "var", None)
        whole = scope or file.function(var or file.root)
        name = text(var) or "this"
        bound = starts.get(name, ())
        span = file.language.span(whole)
        times = bisect_left(bound, span[1]) - bisect_left(bound, span[0])
        if "type" in found and times == (name != "this"):
            start = first_line(whole if scope is not None or whole == file.root else var or whole)
            end = min(file.language.last_of(whole).end_point[0] + 1, file.last)
            types[name].append(Typed(text(found["type"][0]), start, end, is_own="own" in found))
    return {name: tuple(rows) for name, rows in types.items()}
