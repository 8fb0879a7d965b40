"""Compare what a call returns before and after a change with how the code around the call uses it.

Only languages are compared whose results can be counted, or inferred from `return` statements. Elsewhere a
result is a declared type. It says to which class a member of the result belongs, but only a type checker
knows whether two types are compatible. Unknown results are not reported.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from tree_sitter import Node

from deeprepo.impact import reader
from deeprepo.impact.language import Language, ResultRules
from deeprepo.impact.marks import parts_around
from deeprepo.impact.matching import BOUND, DEFINED, Captures, Parts, matches
from deeprepo.impact.memo import memo
from deeprepo.impact.nodes import Spans, text
from deeprepo.impact.parsing import Lines
from deeprepo.impact.structs import Struct, field, replace

WORD = re.compile(rb"\w+")
# A declared result that is an object of one class, or a reference to one.
CLASS_NAME = re.compile(r"(?:\*|&\s*(?:'\w+\s+)?(?:mut\s+)?)?(\w+(?:(?:\.|::)\w+)*)\??")
PARTS = ("several", "indexed", "iterated", "spread")  # forms that unpack a result
IMPORTS = ("dotted_name", "aliased_import")
# Forms that read a dictionary without adding keys.
READS = ("several", "indexed", "iterated", "keyed", "asked", "searched", "compared", "tested")
FAILING = {  # form -> what the code does with None, which raises TypeError
    "several": "unpacks",
    "indexed": "indexes",
    "iterated": "takes the items of",
    "spread": "takes the items of",
    "operand": "computes with",
    "called": "calls",
    "awaited": "awaits",
    "entered": "enters",
}


class Held(Struct, frozen=True, eq=False):
    """The value under a key of a dictionary, as written, and the line of the pair."""

    value: str
    line: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)


class Result(Struct, frozen=True, eq=False):
    """What a call returns.

    `number` counts the results, or the items of a tuple; -1 if it is no tuple or unknown.
    """

    declared: str = ""  # as written, or ""
    number: int = -1
    # of the `return` statements: tuple, nothing (None), plain (number, boolean), other; "" if unknown
    kind: str = ""
    keys: Mapping[str, Held] = field(default_factory=dict)  # of a dictionary whose keys are all written out
    awaits: bool = False  # it must be awaited
    line: int = 0  # of the definition, or of its first `return` if the result is inferred from it
    body: str = ""  # of the definition, if the result is inferred from it
    is_promised: bool = False  # the kind comes from the declaration, not from `return`
    made: str = ""  # the only class of its objects, as the file writes it

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._given == other._given

    def __hash__(self) -> int:
        return hash((self.declared, self.number, self.kind))

    @property
    def _given(self) -> tuple[object, ...]:
        """Everything that makes two results differ for a caller."""
        return self.declared, self.number, self.kind, self.keys, self.awaits


class Way(Struct, frozen=True):
    """How the code around a call uses its result."""

    form: str  # tested, member, one, several, awaited, iterated, indexed, keyed, operand, called, entered, spread, asked, searched, compared, returned, dropped
    line: int
    word: str = ""  # the member or the key
    number: int = -1  # names on the left side of an assignment
    result: Result | None = None  # result of the function that returns it
    awaited: bool = False  # it was awaited first
    doubtful: bool = False  # the code around tests it or handles a failure


class Misuse(Struct, frozen=True):
    """What is wrong with a use, as the ends of two sentences.

    They begin with the file and with "This line". For a removed key, the first one begins with the
    dictionary's name.
    """

    says: str
    happens: str
    rule: str = "result"
    line: int = 0  # of the key, in the definition before the change
    at: int = 0  # line of the use, which may differ from the line of the call


class Results:
    """The results of one file's definitions, and how its calls use theirs."""

    def __init__(self, language: Language, root: Node, parts: Parts) -> None:
        self._language, self._returns = language, language.returns
        self._given: dict[int, list[tuple[str, Node]]] = defaultdict(list)  # function -> its `return` values
        self._calls: dict[tuple[str, int], list[Node]] = defaultdict(list)
        # Expression -> how it is used.
        self._ways: dict[int, list[tuple[str, Captures, Node]]] = defaultdict(list)
        self._functions: dict[int, tuple[Node, dict[str, Sequence[Node]]]] = {}
        # pairs of name and dictionary
        self._root, self._parts, self._constants = root, parts, list[tuple[Node, Node]]()
        rows = matches(language, ("results",), root, parts)["results"]
        for found in rows:
            if "of" in found:
                function = found["of"][0]
                self._functions.setdefault(function.id, (function, {}))[1].update(found)
        self._foreseen = Spans([(one.start_byte, one.end_byte, "") for one, _ in rows.of("foreseen")])
        for found in rows:
            self._take(found)

    # These run the same query set as every other file, since compiling part of it takes longer than running
    # it all.
    @cached_property
    def _bound(self) -> list[Node]:
        rows = matches(self._language, BOUND, self._root, self._parts)["bindings"]
        return [node for node, _ in rows.of("bound")]

    @cached_property
    def _guards(self) -> Spans:
        rows = matches(self._language, DEFINED, self._root, self._parts)["guards"]
        return Spans([(node.start_byte, node.end_byte, "") for node, _ in rows.of("guard")])

    def _take(self, found: Captures) -> None:
        for form in ("gives", "gives.nothing", "yields"):
            for node in found.get(form, ()):
                around = self._around(node)
                if around is not None:
                    self._given[around.id].append((form, node))
                if form == "gives":
                    self._ways[node.id].append(("returned", found, node))
        if "call" in found:
            name = found["callee"][0]
            self._calls[text(name), name.start_point[0] + 1].append(found["call"][0])
        if "holds" in found:
            self._constants.append((found["name"][0], found["holds"][0]))
        for key, nodes in found.items():
            is_foreseen = any(True for _ in self._foreseen.around(nodes[0].start_byte, nodes[0].end_byte))
            if key.startswith("is.") and not (key == "is.asked" and is_foreseen):
                self._ways[nodes[0].id].append((key[3:], found, nodes[0]))

    def _around(self, node: Node) -> Node | None:
        """Return the innermost function around a node."""
        rows = [one for one, _ in self._functions.values() if self._holds(one, node)]
        return max(rows, key=lambda one: one.start_byte, default=None)

    def _holds(self, function: Node, node: Node) -> bool:
        start, end = self._language.span(function)
        return start <= node.start_byte and node.end_byte <= end

    def result(self, name: str, first: int, last: int) -> Result | None:
        """Return the result of the only definition of a name between two lines; None if unknown."""
        rows = [
            (node, found)
            for node, found in self._functions.values()
            if "name" in found and text(found["name"][0]) == name and first <= node.start_point[0] + 1 <= last
        ]
        for one, value in self._constants:
            if text(one) == name and first <= one.start_point[0] + 1 <= last and not rows:
                return Result(keys=self._returns.keys(value), line=one.start_point[0] + 1)
        return self._result(*rows[0]) if len(rows) == 1 and "opaque" not in rows[0][1] else None

    def _result(self, node: Node, found: Captures) -> Result:
        rules = self._language.results
        declared = " ".join(text(found["result"][0]).split()) if "result" in found else ""
        awaits, line = "async" in found, found["name"][0].start_point[0] + 1
        of = CLASS_NAME.fullmatch(declared)
        made = of[1] if of is not None else ""
        if rules.counted:
            number = self._returns.count(found["result"][0]) if "result" in found else 0
            return Result(declared, number, line=line, made=made)
        if not rules.inferred:
            return Result(declared, awaits=awaits, line=line, made=made)
        given = self._given.get(node.id, [])
        if any(form == "yields" for form, _ in given):
            return Result(declared, awaits=awaits, line=line)
        line = given[0][1].start_point[0] + 1 if given and not declared else line
        body = found["body"][0] if "body" in found and "stub" not in found else None
        told: Result = self._returns.inferred(declared, given, body)
        return replace(told, awaits=awaits, line=line)

    def ways(self, name: str, line: int) -> tuple[Way, ...]:
        """Return how the results of a name's calls on a line are used."""
        calls = {node.id: node for node in self._calls.get((name, line), ())}
        if len({text(node.child_by_field_name("function")) for node in calls.values()}) > 1:
            return ()  # it is unknown which function is called
        return tuple(way for node in calls.values() for way in self._of(node, follow=True))

    def reads(self, name: str, within: Node | None = None) -> tuple[Way, ...] | None:
        """Return how the file, or part of it, reads a dictionary; None if its keys may be changed."""
        around, low = within or self._root, self._root.start_byte
        start, end = around.start_byte - low, around.end_byte - low
        ways, definitions = list[Way](), 0
        for word in re.compile(rb"(?<!\w)%s(?!\w)" % name.encode()).finditer(self._root.text or b"", start, end):
            node = self._root.descendant_for_byte_range(low + word.start(), low + word.end())
            above = node.parent if node is not None else None
            if node is None or above is None or node.type != "identifier" or above.type in IMPORTS:
                continue
            if above.type == "assignment" and above.child_by_field_name("left") == node:
                definitions += 1
                continue
            whole = above if above.child_by_field_name("attribute") == node else node
            mine = [*self._of(whole, follow=False)]
            if not mine or not all(self._is_read(way) for way in mine):
                return None
            ways += mine
        return tuple(ways) if definitions < 2 else None  # noqa: PLR2004 - the second one gives it another value

    def _is_read(self, way: Way) -> bool:
        """Return whether a use leaves the keys unchanged."""
        return way.form in READS or (way.form == "member" and way.word in self._language.results.of_keys)

    def _of(self, node: Node, *, follow: bool) -> Iterator[Way]:
        is_foreseen = any(True for _ in self._guards.around(node.start_byte, node.end_byte))
        yield from (replace(way, doubtful=is_foreseen or way.doubtful) for way in self._taken(node, follow=follow))

    def _taken(self, node: Node, *, follow: bool) -> Iterator[Way]:
        line = node.start_point[0] + 1
        for form, found, _ in self._ways.get(node.id, ()):
            if form == "bound":
                yield Way("one", line)
                yield from self._of_variable(found["var"][0], node) if follow else ()
            elif form == "several":
                left = found["left"][0]
                if not any("splat" in one.type for one in left.named_children):
                    yield Way(form, line, number=left.named_child_count)
            elif form == "returned":
                function = self._around(node)
                row = self._functions.get(function.id) if function is not None else None
                if row is not None and "name" in row[1]:
                    yield Way(form, line, result=self._result(*row))
            elif form == "awaited":
                yield Way(form, line)
                yield from (replace(way, awaited=True) for way in self._of(found["value"][0], follow=follow))
            elif "key" in found:
                yield Way(form, line, self._returns.written(found["key"][0]))
            else:
                yield Way(form, line, " ".join(text(found["member"][0]).split()) if "member" in found else "")

    def _of_variable(self, variable: Node, value: Node) -> Iterator[Way]:
        """Yield how a variable is used that is only bound to this result in its function."""
        function, name = self._around(value), text(variable)
        if function is None:
            return
        inside = [
            (form, found, node)
            for rows in self._ways.values()
            for form, found, node in rows
            if self._holds(function, node)
        ]
        around = range(*self._language.span(function))
        if sum(node.start_byte in around and text(node) == name for node in self._bound) > 1:
            return
        question = re.compile(rf"(?<![\w.]){re.escape(name)}\b(?!\s*[.\[(])")
        is_asked = any(
            form in ("tested", "compared", "matched") and question.search(text(node)) for form, _, node in inside
        )
        nodes = {node.id: node for form, _, node in inside if text(node) == name and form != "bound"}
        is_filled = self.reads(name, function) is None
        for node in sorted(nodes.values(), key=lambda one: one.start_byte):
            if node.start_byte > value.end_byte:
                for way in self._of(node, follow=False):
                    if way.form != "asked" or not is_filled:
                        yield replace(way, doubtful=way.doubtful or is_asked)


Span = tuple[str, int, int]  # the name of a definition, with its first and last line


@memo
def results_of(language: Language, source: bytes, wanted: tuple[Span, ...]) -> tuple[Result | None, ...] | None:
    """Return the results of these definitions, in order, as in `Results.result`.

    Return None if the file cannot be read or its language has no results query.
    """
    file = results(language, source, {line for _, *ends in wanted for line in ends})
    return tuple(file.result(*one) for one in wanted) if file is not None else None


@memo
def ways_of(
    language: Language, source: bytes, calls: tuple[tuple[str, int], ...]
) -> tuple[tuple[Way, ...], ...] | None:
    """Return how each name's calls on a line are used, in order, as in `Results.ways`.

    Return None in the same cases as `results_of`.
    """
    file = results(language, source, {line for _, line in calls})
    return tuple(file.ways(*one) for one in calls) if file is not None else None


def results(language: Language, source: bytes, wanted: Collection[int]) -> Results | None:
    """Return the results of a file, limited to the code around some lines.

    Return None if the file cannot be parsed or its language has no results query.
    """
    root = reader.parse(language, source) if any(language.texts("results").values()) else None
    if root is None or root.has_error:
        return None
    spans = map(Lines(source).span, sorted(wanted))
    places = [word.start() for start, end in spans for word in WORD.finditer(source, start, end)]
    return Results(language, root, parts_around(root, places, short=0)) if places else None


def parts_of(inner: str) -> list[str]:
    """Return the type arguments between two brackets."""
    depth, parts, at = 0, list[str](), 0
    for index, letter in enumerate(inner):
        depth += (letter in "[<(") - (letter in "]>)")
        if letter == "," and depth == 0:
            parts.append(inner[at:index].strip())
            at = index + 1
    return [one for one in (*parts, inner[at:].strip()) if one]


def misuse(language: Language, before: Result, after: Result, ways: Sequence[Way]) -> Misuse | None:
    """Return the first use that accepted the result before the change and no longer does."""
    wrongs = (replace(one, at=way.line) for way in ways for one in _wrongs(language.results, before, after, way, ways))
    return next(wrongs, None)


def _wrongs(rules: ResultRules, before: Result, after: Result, way: Way, ways: Sequence[Way]) -> Iterator[Misuse]:
    is_awaited = any(one.form == "awaited" for one in ways)
    if before.awaits and not after.awaits:
        if way.form == "awaited" and after.kind in ("plain", "tuple", "nothing"):
            yield Misuse("awaits something that is no longer a coroutine", "raises TypeError when it runs")
    elif after.awaits and not before.awaits:
        if not is_awaited:
            yield from _unawaited(rules, way)
    elif before != after and way.awaited == after.awaits:
        yield from (_counted if rules.counted else _dynamic)(before, after, way)
        yield from _unkept(before, after, way, ways)


def _unawaited(rules: ResultRules, way: Way) -> Iterator[Misuse]:
    """Yield what goes wrong when a result that must now be awaited is not."""
    if way.form == "dropped":
        yield Misuse("calls it without `await`", "does nothing, because a coroutine only runs when awaited")
    if way.form == "tested":
        yield Misuse("tests it without `await`", "always takes the same branch, because a coroutine is always true")
    if (way.form == "member" and way.word not in rules.of_awaitable) or way.form in ("several", "iterated", "indexed"):
        yield Misuse("uses it without `await`", rules.unawaited)
    if way.form == "compared":
        yield Misuse("compares it without `await`", "finds them different each time")


def _counted(before: Result, after: Result, way: Way) -> Iterator[Misuse]:
    """Judge a use in a language in which a call returns several results, and the caller must receive each."""
    now = f"{after.number} results" if after.number > 1 else "1 result" if after.number else "no result"
    if before.number == after.number:
        return
    if way.form == "several" and way.number == before.number:
        yield Misuse(f"assigns {now} to {way.number} {'name' if way.number == 1 else 'names'}", "does not compile")
    if way.form in ("one", "member") and before.number == 1:
        yield Misuse(f"uses {now} as one value", "does not compile")
    if way.form == "returned" and way.result is not None and way.result.number == before.number:
        yield Misuse(f"returns {now} from a function that returns {before.number}", "does not compile")


def _dynamic(before: Result, after: Result, way: Way) -> Iterator[Misuse]:
    """Judge a use in a language whose results are inferred."""
    took = before.number if before.kind == "tuple" else -1
    now = {"tuple": "a tuple", "nothing": "None"}.get(after.kind, "") if before.kind not in ("", after.kind) else ""
    if (before.body == after.body != "") or (after.is_promised and not before.declared):
        return  # maybe only the annotation changed
    if now == "a tuple" and way.form == "tested":
        yield Misuse("tests it, and a tuple is always true", "always takes the same branch")
    if now == "a tuple" and way.form == "compared":
        yield Misuse("compares a tuple with a single value", "finds them different each time")
    if way.form == "several" and way.number == took and after.kind == "tuple" and -1 < after.number != took:
        yield Misuse(f"unpacks {after.number} values into {took} names", "raises ValueError when it runs")
    if before.kind == "tuple" and after.kind == "plain" and after.declared != "str" and way.form in PARTS:
        yield Misuse("unpacks something that is no longer a tuple", "raises TypeError when it runs")
    if now and not way.doubtful:
        if way.form == "member" and not re.fullmatch("count|index|__.*", way.word):
            yield Misuse(f"asks {now} for `.{way.word}`", "raises AttributeError when it runs")
        if way.form == "keyed":
            yield Misuse(f"asks {now} for `[{way.word}]`", "raises TypeError when it runs")
        if way.form in FAILING and (after.kind == "nothing" or way.form not in PARTS):
            yield Misuse(f"{FAILING[way.form]} {now}", "raises TypeError when it runs")


def _unkept(before: Result, after: Result, way: Way, ways: Sequence[Way]) -> Iterator[Misuse]:
    """Yield a removed key that is read without a check that it exists."""
    says = _lost_key(before.keys, after.keys, way.word) if way.form == "asked" else ""
    if says and not any(one.form == "searched" and one.word == way.word for one in ways):
        yield Misuse(says, "raises KeyError when it runs", "removed-key", before.keys[way.word].line)


def _lost_key(before: Mapping[str, Held], after: Mapping[str, Held], key: str) -> str:
    """Return the end of a sentence about a removed key and its replacement with the same value.

    Return "" if the key still exists or the keys are unknown.
    """
    if not after or key not in before.keys() - after.keys():
        return ""
    gone, come = [
        [(place, held.value) for place, (one, held) in enumerate(side.items()) if one not in other]
        for side, other in ((before, after), (after, before))
    ]
    is_renamed = gone == come and len(gone) == 1
    return f"no key '{key}' any more" + (f" (now '{[*after][come[0][0]]}')" if is_renamed else "")
