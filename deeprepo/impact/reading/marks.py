"""Evaluate a language's queries on one file: the role of names, enclosing scopes and the classes of names."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from tree_sitter import Node

from deeprepo.impact.halves import Captures
from deeprepo.impact.language import Language
from deeprepo.impact.reading.matching import BOUND, DEFINED, ByteRanges, Rows, Several, matches, matches_at
from deeprepo.impact.reading.nodes import Spans, kind_of, name_of, text
from deeprepo.impact.structs import Struct, field, replace
from deeprepo.impact.text.lines import without_arguments
from deeprepo.impact.values import Form

UNKNOWN = ("?",)  # the class of a receiver that cannot be determined
MEMBERS = ("member", "method", "attribute", "component", "constructor")  # kinds that bind no bare name
CLASSES = ("class", "type", "module", "holder")
CASTS = ("parenthesized_expression", "non_null_expression", "as_expression", "satisfies_expression")
# "statement" may sit inside a class, where new lines are not checked.
IMPORTS = ("import", "import.member", "statement")
WRAPS = (*CASTS, "unary_expression", "await_expression")
CLASS = re.compile(r"\\?[\w$]+(?:(?:\.|::|\\)[\w$]+)*")
LAST = re.compile(r"\W+")
QUOTED = re.compile(r"[\"':\\](\w+)")
WORD = re.compile(r"[\w$]+")
LONGEST_NAME = 200  # bytes; a longer callee is an expression that has no name
SHORT = 1_500  # bytes; shorter code is always included
MOST_READ = 0.7  # share of a file; above it, the whole file is read
# These nodes may contain many definitions, so their irrelevant children are skipped.
HOLDS = re.compile(
    r"class|interface|enum|struct|trait|impl|object|record|module|namespace|export|decorated|declaration_list|_body$|^block$"
)
ELEMENTS = "[]"  # suffix of a name for the class of its elements
ARROW = "->"  # suffix of a name for the class that it points to


class Mark(Struct, frozen=True):
    """What the queries say about the name at one position."""

    form: Form
    receiver: Node | None = None
    args: Node | None = None
    more: bool = False  # the call also passes a block after its arguments
    owner: str = ""  # the class that a key belongs to, if its literal names it
    is_assigned: bool = False  # a member that gets a value


class Scope(Struct, frozen=True):
    """A definition that encloses other code."""

    name: str
    node: Node
    at: int  # the byte where its name begins
    is_class: bool = False


class Class(Struct, frozen=True):
    """A class that encloses other code."""

    start: int
    end: int
    name: str
    bases: tuple[str, ...]


class Construction(Struct, frozen=True):
    """A call that constructs an object without naming its class: `super(1)`, `this(1)`."""

    name: str
    place: Node
    args: Node | None


class Values(Struct):
    """What is known about the classes of values."""

    # a name -> the spans of code in which it has a class
    types: dict[str, list[tuple[int, int, str]]] = field(default_factory=lambda: defaultdict(list))
    # code in which `this` differs from that of the enclosing method
    objects: list[Class] = field(default_factory=list)
    made: dict[tuple[int, int], str] = field(default_factory=dict)  # an expression -> the class of its object
    fields: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))


class Marks(Struct):
    """Everything that the queries say about one file."""

    root: Node
    language: Language
    at: dict[int, Mark] = field(default_factory=dict)
    receivers: set[tuple[int, int]] = field(default_factory=set)
    scopes: dict[int, Scope] = field(default_factory=dict)  # node -> definition
    # nodes with a body, including anonymous functions
    functions: dict[int, Node] = field(default_factory=dict)
    # number of scopes and functions when indexed, the nodes, and their spans
    bodies: tuple[int, list[Node], Spans] = field(default_factory=lambda: (0, [], Spans(())))
    classes: list[Class] = field(default_factory=list)
    # the classes and their spans, with and without `objects`
    nest: dict[bool, tuple[list[Class], Spans]] = field(
        default_factory=lambda: {True: ([], Spans(())), False: ([], Spans(()))}
    )
    named: set[int] = field(default_factory=set)  # where the names of classes are written
    subclasses: set[str] = field(default_factory=set)  # classes in the file that declare a base
    # member -> classes that define it
    members: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    constructions: list[Construction] = field(default_factory=list)
    imports: Spans = field(default_factory=lambda: Spans(()))
    imported: set[str] = field(default_factory=set)  # names bound by imports
    # code whose names are not references, such as the package declaration
    silent: Spans = field(default_factory=lambda: Spans(()))
    # code that handles a failure, by "use" and "import"
    handled: dict[str, Spans] = field(default_factory=dict)
    # code inside a test that names something in quotes
    name_tests: Spans = field(default_factory=lambda: Spans(()))
    questions: str = ""  # the file's tests for whether a name exists: an import of such a name is expected to fail
    value_tests: Spans = field(default_factory=lambda: Spans(()))  # code inside a test of a value
    values: Values = field(default_factory=Values)


@lru_cache(maxsize=6)
def marks_of(language: Language, root: Node, places: tuple[tuple[int, int], ...]) -> Marks:
    """Return what a language's queries say about names in a file.

    Queries run only on the parts around these places.
    """
    parts = parts_around(root, [start for start, _ in places])
    marks = Marks(root, language)
    defined, bound = matches(language, DEFINED, root, parts), matches(language, BOUND, root, parts)
    _definitions(language, marks, defined["defs"])
    users = bound["receivers"]
    if language.nodes.statements:
        marks.imports = Spans.of([one for one in root.named_children if one.type in language.nodes.statements])
    else:
        marks.imports = Spans.of([one for one, _ in defined["imports"].of(*IMPORTS)])
        marks.imported = {_imported(found) for found in defined["imports"]}
    _handled(language, marks, places)
    marks.questions = "".join(text(node) for node, _ in defined["guards"].of("asked.anywhere"))
    uses = Several(matches_at(language, "uses", root, places), bound["bindings"], users)
    _uses(language, marks, uses)
    _constructions(language, marks, uses)
    _typed(marks, Several(bound["types"], users), uses)
    return marks


def parts_around(root: Node, places: Sequence[int]) -> ByteRanges:
    """Return the parts of a file needed to resolve some places: the code around them and all short nodes.

    () means the whole file.
    """
    found: list[tuple[int, int]] = []
    _split(root, places, found)
    joined: list[tuple[int, int]] = []
    for start, end in found:
        if joined and start - joined[-1][1] <= SHORT:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    read = sum(end - start for start, end in joined)
    return tuple(joined) if read < MOST_READ * (root.end_byte - root.start_byte) else ()


def _split(node: Node, places: Sequence[int], found: list[tuple[int, int]]) -> None:
    for child in node.children:
        is_around = bisect_left(places, child.start_byte) < bisect_left(places, child.end_byte)
        if child.end_byte - child.start_byte <= SHORT or (is_around and not HOLDS.search(child.type)):
            found.append((child.start_byte, child.end_byte))
        elif is_around:
            _split(child, places, found)


def _handled(language: Language, marks: Marks, places: Sequence[tuple[int, int]]) -> None:
    """Record the code that handles failures around some places, and the conditions of the enclosing tests."""
    rows = matches_at(language, "handled", marks.root, places)
    for form, key in (("use", "handled"), ("import", "handled.import")):
        marks.handled[form] = Spans.of([one for one, _ in rows.of(key)])
    marks.name_tests = _tests(rows, "handled.named")
    tests = sorted(
        (node.start_byte, node.end_byte) for _, found in rows.of("handled.asked") for node in found["tested"]
    )
    asked = matches_at(language, "handled", marks.root, tests) if tests else rows
    marks.value_tests = _value_tests(rows, asked)


def _tests(rows: Rows, key: str) -> Spans:
    tests = [(node, text(found["tested"][0])) for node, found in rows.of(key)]
    return Spans([(node.start_byte, node.end_byte, test) for node, test in tests])


def _value_tests(rows: Rows, within: Rows) -> Spans:
    """Return the spans of code inside tests, with the tested names.

    Example: `load` for `if (store.load)`. `within`: the query results inside the tests.
    """
    asked = sorted((node.start_byte, name) for node, _ in within.of("asked") for name in WORD.findall(text(node))[-1:])
    spans: list[tuple[int, int, str]] = []
    for node, found in rows.of("handled.asked"):
        test = found["tested"][0]
        inside = asked[bisect_left(asked, (test.start_byte,)) : bisect_left(asked, (test.end_byte,))]
        spans.append((node.start_byte, node.end_byte, " ".join(name for _, name in inside)))
    return Spans(spans)


def _imported(found: Captures) -> str:
    written = next((text(one) for key in ("here", "there", "spec") for one in found.get(key, ())), "")
    return "" if "star" in found else LAST.split(written)[-1]


def _definitions(language: Language, marks: Marks, rows: Rows) -> None:
    bases: dict[int, list[str]] = defaultdict(list)
    above = (node.parent for node, _ in rows.of("local"))
    marks.functions = {node.id: node for node in (language.whole(one) for one in above if one is not None)}
    for node, found in rows.of("class.of"):
        bases[node.start_byte] += [plain(text(one)) for one in found.get("base", ())]
    definitions = [(kind, found) for found in rows if (kind := kind_of(found))]
    for kind, found in definitions:
        _definition(language, marks, kind, found, bases)
    marks.classes += [Class(node.start_byte, node.end_byte, UNKNOWN[0], ()) for node, _ in rows.of("class.nameless")]
    for kind, found in definitions if marks.classes else ():
        for name in found.get("name", ()) if kind in ("function", "variable", *MEMBERS) else ():
            holder = next(classes_around(marks, name), None)
            if holder is None:
                continue
            whole = language.whole(found[f"def.{kind}"][0])
            around = _around(marks, whole) if kind in ("function", "variable") else None
            if around is None or (around.start_byte, around.end_byte) == (holder.start, holder.end):
                marks.members[name_of(name)].add(holder.name)


def _definition(
    language: Language, marks: Marks, kind: str, found: Captures, bases: Mapping[int, Sequence[str]]
) -> None:
    for name in [one for one in found.get("name", ()) if one.is_named]:
        owner = "".join(text(one).lstrip("*&") for one in found.get("owner", ())[:1])
        is_member = (bool(owner) or kind in MEMBERS) and language.receivers.member_form == "key"
        marks.at[name.start_byte] = Mark("key" if is_member else "definition")
        whole = found[f"def.{kind}"][0]
        has_body = True
        if kind in language.scopes:
            whole = language.whole(whole)
            has_body = not language.is_declaration(whole)
        is_head = kind == "constructor" and whole in found.get("params", ())  # the parameters in the head of a class
        if kind in language.scopes and has_body and not is_head:
            called = f"{owner}.{name_of(name)}".strip(".`")
            marks.scopes[whole.id] = Scope(called, whole, name.start_byte, kind in ("class", "type"))
        if kind in CLASSES:
            marks.named.add(name.start_byte)
            above = tuple(dict.fromkeys(one for one in bases.get(whole.start_byte, ()) if one))
            marks.classes.append(Class(whole.start_byte, whole.end_byte, text(name).strip("`"), above))
            marks.subclasses.update([text(name).strip("`")] if above else ())


def is_handled(marks: Marks, node: Node, form: Form) -> bool:
    """Return whether the code around a name handles its absence, for example by a test of its value."""
    name, place = text(node), (node.start_byte, node.end_byte)
    return (
        marks.handled["import" if form == "import" else "use"].hold(node)
        or (form == "import" and name in _quoted(marks.questions))
        or any(name in _quoted(test) for *_, test in marks.name_tests.around(*place, inclusive=True))
        or any(name in test.split() for *_, test in marks.value_tests.around(*place, inclusive=True))
    )


@lru_cache
def _quoted(test: str) -> frozenset[str]:
    """Return the names that a test has in quotes, or after a colon or backslash."""
    return frozenset(QUOTED.findall(test))


def plain(name: str) -> str:
    """Return the name of a class without type arguments and pointers; "" for other text."""
    name = "".join(without_arguments(name).split()).lstrip("*&\\:")
    return name if CLASS.fullmatch(name) else ""


def _uses(language: Language, marks: Marks, rows: Several) -> None:
    """Record the role of each name from the uses query. A binding takes precedence over a definition."""
    marks.silent = Spans.of([node for node, _ in rows.of("silent")])
    for node, _ in rows.of("bound", "defines"):
        marks.at.setdefault(node.start_byte, Mark("definition"))
    for node, found in rows.of("key"):
        last = marks.at.get(node.start_byte)
        owner = plain(text(found["of"][0])) if "of" in found else last.owner if last is not None else ""
        marks.at[node.start_byte] = Mark("key", owner=owner)
    for node, _ in rows.of("label"):
        marks.at.setdefault(node.start_byte, Mark("key"))
    _beside(marks, rows)
    for name, found in rows.of("name", "sought"):
        _use(marks, name, found)
    _overrule(language, marks, rows)


def _overrule(language: Language, marks: Marks, rows: Several) -> None:
    """Apply the captures that override others: extra block arguments, plain values, imports and assigned members."""
    for node, _ in rows.of("more"):
        if node.start_byte in marks.at:
            marks.at[node.start_byte] = replace(marks.at[node.start_byte], more=True)
    for node, _ in rows.of("plain"):
        marks.at[node.start_byte] = Mark("name")
    for node, _ in rows.of("taken"):
        marks.at[node.start_byte] = replace(marks.at.get(node.start_byte, Mark("import")), form="import")
    form: Form = "definition" if language.receivers.store_form == "definition" else "member"
    for node, found in rows.of("store"):
        if node.start_byte in marks.at and "asked" not in found:
            marks.at[node.start_byte] = Mark(form, marks.at[node.start_byte].receiver, is_assigned=True)


def _constructions(language: Language, marks: Marks, rows: Several) -> None:
    """Record calls that construct without naming the class.

    They are captured as `@constructs.own` and `@constructs.base`. `@constructs.default` with `@place` constructs the base without
    arguments, unless the class or its constructor calls the base explicitly.
    """
    known_constructions: dict[Class, list[Node]] = defaultdict(list)  # class -> its known constructions
    for place, found in rows.of("constructs.own", "constructs.base"):
        holder = next(classes_around(marks, place), None)
        names = (holder.name,) if holder and "constructs.own" in found else holder.bases if holder else ()
        if language.metaclasses.intersection(holder.bases if holder else ()):
            continue  # it constructs classes
        args = found["args"][-1] if "args" in found else None
        marks.constructions += [Construction(name, place, args) for name in names[:1]]
        if holder is not None:
            known_constructions[holder].append(place)
    defaults = [(one, found["place"][0]) for one, found in rows.of("constructs.default")]
    for node, place in sorted(defaults, key=lambda row: row[0].end_byte - row[0].start_byte):
        holder = next(classes_around(marks, place), None)
        known = Spans.of([node])
        if holder is None or node.has_error or any(map(known.hold, known_constructions[holder])):
            continue
        known_constructions[holder].append(node)
        marks.constructions += [Construction(name, place, None) for name in holder.bases[:1]]


def _beside(marks: Marks, rows: Several) -> None:
    """Record enclosing calls and receivers of the captured nodes."""
    for node, found in rows.of("around"):
        called = found["called"][0]
        marks.scopes[node.id] = Scope(text(called), node, called.start_byte)
    marks.receivers.update((node.start_byte, node.end_byte) for node, _ in rows.of("receiver"))


def _use(marks: Marks, name: Node, found: Captures) -> None:
    last = marks.at.get(name.start_byte)
    args = found["args"][-1] if "args" in found else last.args if last is not None else None
    if "receiver" in found:
        is_defined = last is not None and last.form == "definition" and args is None
        before = found["receiver"][0]
        form: Form = "definition" if is_defined else "member"
        owner = last.owner if last is not None and not before.is_named else ""
        marks.at[name.start_byte] = Mark(form, before if before.is_named else None, args, owner=owner)
    elif last is None or last.form == "name":
        marks.at[name.start_byte] = Mark("name", args=args)
    elif last.form == "member":
        marks.at[name.start_byte] = replace(last, args=args)


def _typed(marks: Marks, rows: Several, uses: Several) -> None:
    """Record the classes of names.

    `@var` with `@type` in its scope, `@field` with `@type` in its class. A name that is also bound in another
    way has an unknown class there.
    """
    for node, found in rows.of("made"):
        marks.values.made[node.start_byte, node.end_byte] = _class_in(found)
    variables = {node.start_byte for node, found in rows.of("var") if "element" not in found}
    for node, found in rows.of("var"):
        suffix = ELEMENTS if "element" in found else ARROW if "pointee" in found else ""
        _bind(marks, node, _class_of(marks, found), found.get("scope", ()), suffix)
    for node, found in rows.of("field"):
        marks.values.fields[_owner_of(marks, found, node), text(node)].add(_class_of(marks, found))
    for node, found in rows.of("this"):
        marks.values.objects.append(Class(node.start_byte, node.end_byte, _class_in(found), ()))
    _bind_others(marks, rows, uses, variables)


def _bind_others(marks: Marks, rows: Several, uses: Several, variables: Collection[int]) -> None:
    """Record the classes of loop variables over known elements; all other bound names are unknown."""
    items = [(node, found["of"][0]) for node, found in rows.of("item")]
    others = {*variables, *marks.named, *(node.start_byte for node, _ in items)}
    for node, _ in uses.of("bound", "defines"):
        if node.start_byte not in others:
            _bind(marks, node, UNKNOWN[0])
    for node, of in items:
        _bind(marks, node, (bound_class(marks, of, text(of) + ELEMENTS) or UNKNOWN)[0])


def _class_in(found: Captures) -> str:
    return (
        next((plain(text(one)) for key in ("type", "element", "pointee") for one in found.get(key, ())), "")
        or UNKNOWN[0]
    )


def _class_of(marks: Marks, found: Captures) -> str:
    if "is" not in found:
        return _class_in(found)
    value = bare(found["is"][0])
    made = marks.values.made.get((value.start_byte, value.end_byte))
    return made or (bound_class(marks, value, text(value)) or UNKNOWN)[0]


def _bind(marks: Marks, node: Node, of: str, scopes: Sequence[Node] = (), suffix: str = "") -> None:
    scope = next(iter(scopes), None) or _around(marks, node)
    marks.values.types[text(node) + suffix].append((scope.start_byte, scope.end_byte, of))


def _around(marks: Marks, node: Node) -> Node:
    """Return the closest enclosing definition; otherwise the file."""
    return next(bodies_around(marks, node), marks.root)


def bodies_around(marks: Marks, node: Node) -> Iterator[Node]:
    """Yield the definitions and other bodies around a node, innermost first."""
    count, nodes, nest = marks.bodies
    if count != len(marks.scopes) + len(marks.functions):  # rebuild the index after additions
        nodes = [*({key: one.node for key, one in marks.scopes.items()} | marks.functions).values()]
        nest = Spans([(one.start_byte, one.end_byte, str(at)) for at, one in enumerate(nodes)])
        marks.bodies = len(marks.scopes) + len(marks.functions), nodes, nest
    for *_, at in nest.around(node.start_byte, node.end_byte):
        yield nodes[int(at)]


def _owner_of(marks: Marks, found: Captures, node: Node) -> str:
    owner = next((plain(text(one)) for one in found.get("owner", ())), "")
    return owner or next((one.name for one in classes_around(marks, node)), "")


def bare(node: Node, wraps: Collection[str] = WRAPS, but: Collection[tuple[int, int]] = ()) -> Node:
    """Return a value without parentheses and casts.

    `but`: places of expressions with a known class, which are left as they are.
    """
    while node.type in wraps and node.named_children and (node.start_byte, node.end_byte) not in but:
        node = node.named_children[0]
    return node


def bound_class(marks: Marks, receiver: Node, name: str) -> tuple[str, ...]:
    """Return the class that a name has in the innermost scope that binds it; unknown if there are several."""
    start, end = receiver.start_byte, receiver.end_byte
    rows = [row for row in marks.values.types.get(name, ()) if row[0] <= start and end <= row[1]]
    inner = min((end - start for start, end, _ in rows), default=0)
    found = {of for start, end, of in rows if end - start == inner}
    return () if not found else (found.pop(),) if len(found) == 1 else UNKNOWN


def classes_around(marks: Marks, node: Node, *, with_objects: bool = False) -> Iterator[Class]:
    """Yield the classes around a node, innermost first.

    `with_objects` adds code in which `this` is another object.
    """
    rows, nest = marks.nest[with_objects]
    if len(rows) != len(marks.classes) + with_objects * len(marks.values.objects):  # rebuild the index after additions
        rows = [*marks.classes, *(marks.values.objects if with_objects else ())]
        rows.sort(key=lambda one: one.name in UNKNOWN)
        nest = Spans([(one.start, one.end, str(at)) for at, one in enumerate(rows)])
        marks.nest[with_objects] = rows, nest
    for *_, at in nest.around(node.start_byte, node.end_byte, inclusive=True):
        yield rows[int(at)]
