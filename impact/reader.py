"""Facts of one file: parse it once, run the queries of its language, put their captures together."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from tree_sitter import Node

from impact.language import CallRules, Language
from impact.matching import BOUND, DEFINED, Captures, Rows, matches, uses_at
from impact.parsing import Lines, has_open_angles, root_of, too_deep
from impact.values import Arguments, Bound, Definition, Facts, Import, Parameter, Use

LONGEST = 1_500_000  # bytes of a file that is read
BUNDLE = 20_000  # bytes of a line that no person writes
HEAD = 2_000  # bytes of a head
KEPT = 400  # files whose facts are kept: both directions ask for those of a changed file
NAMELESS = "_"  # a parameter that has a type alone
OBJECT = "this"  # a parameter that may be passed before the dot
WRITTEN = 200  # bytes of a receiver: a longer one is a whole expression
DOTTED = re.compile(r"[\w$]+(?:(?:\.|::|\\|\?\.)[\w$]+)*")
BODIES = ("function_body", "class_body", "enum_class_body", "preproc_arg")  # where the grammar gives the body no name
WIDTHS = (
    "below",
    "file",
    "folder",
    "package",
    "unit",
    "anywhere",
)  # who can name a definition: the widest that is said
MODIFIERS = (
    "modifiers",
    "annotation",
    "modifier",
    "attribute_list",
)  # what stands before a definition and tells no caller how to call it
QUOTES = "\"'`<>"
NAMED = "\"'`"  # around a name
BLANK = re.compile(rb"[^\n]")
NOT_ASCII = re.compile(rb"[\x80-\xff]")
GLOBAL = ("global", "attribute")  # kinds that count although a function holds them


@dataclass(frozen=True, slots=True)
class Seen:
    """What some lines of a file use, and where its names are bound to something that no import tells."""

    uses: tuple[Use, ...]
    bindings: Mapping[str, tuple[tuple[int, int], ...]]  # name -> the lines in which each binding of it can count
    types: Mapping[str, tuple["Typed", ...]]  # a name -> what it is, where its file says it
    stores: frozenset[str]  # members that are assigned

    def typed(self, name: str, line: int) -> "Typed | None":
        """What a name is on a line."""
        return next((one for one in self.types.get(name, ()) if one.start <= line <= one.end), None)

    def binds(self, name: str, line: int) -> bool:
        """Whether a local binding may decide what a name means on a line."""
        return any(start <= line <= end for start, end in self.bindings.get(name, ()))


@dataclass(frozen=True, slots=True)
class Typed:
    """What class a name is of, in some lines."""

    name: str
    start: int
    end: int
    is_own: bool = False  # of the class itself or one below it, which may have more members


class Spans:
    """Ranges of bytes that may nest, to ask what encloses a position."""

    def __init__(self, rows: Sequence[tuple[int, int, str]]) -> None:
        self._rows = sorted(rows, key=lambda row: (row[0], -row[1]))
        self._starts = [row[0] for row in self._rows]
        self._outer: list[int] = []
        stack: list[int] = []
        for at, (start, _, _) in enumerate(self._rows):
            while stack and self._rows[stack[-1]][1] <= start:
                stack.pop()
            self._outer.append(stack[-1] if stack else -1)
            stack.append(at)

    def around(self, start: int, end: int, *, inclusive: bool = False) -> Iterator[tuple[int, int, str]]:
        """The ranges that hold one, the innermost first; itself only if `inclusive`."""
        at = bisect_right(self._starts, start) - 1
        while at >= 0:
            row = self._rows[at]
            if row[0] <= start and end <= row[1] and (inclusive or (row[0], row[1]) != (start, end)):
                yield row
            at = self._outer[at]


def is_readable(source: bytes) -> bool:
    """Whether a person may have written it: not too long, not nested without end, no line of a bundle."""
    if len(source) > LONGEST:
        return False
    if len(source) > BUNDLE and max(map(len, source.split(b"\n"))) > BUNDLE:
        return False
    return not too_deep(source) and not has_open_angles(source)


def parse(language: Language, source: bytes) -> Node | None:
    """The root of a file's syntax tree; None if a parser takes more than its share of time."""
    if not is_readable(source):
        return None
    code = source.replace(b"\0", b" ")
    if not code.isascii() and code.decode("utf-8", "ignore").encode() != code:
        code = NOT_ASCII.sub(b"_", code)  # another encoding: places are bytes, and queries read UTF-8 alone
    if language.code is not None:
        code = language.code(code)
    return root_of(language.grammar, _scripts(code) if language.scripts else code)


def _scripts(page: bytes) -> bytes:
    """The code of a page where it stands, and white space in the place of all else."""
    low, pieces, at = page.lower(), list[bytes](), 0
    while (start := low.find(b"<script", at)) >= 0:
        body = low.find(b">", start) + 1
        end = low.find(b"</script", body) if body else -1
        if end < 0:
            break
        pieces += [BLANK.sub(b" ", page[at:body]), page[body:end]]
        at = end
    return b"".join([*pieces, BLANK.sub(b" ", page[at:])])


def text(node: Node | None) -> str:
    """Return the source of a node, or "" if there is no node."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text else ""


def first_line(node: Node) -> int:
    """The 1-based line on which a node begins."""
    return node.start_point[0] + 1


def last_line(node: Node) -> int:
    """The 1-based line on which a node ends; a node that ends with its line break ends on the line before."""
    row, column = node.end_point[0], node.end_point[1]
    return row if column == 0 and row > node.start_point[0] else row + 1


def head(node: Node) -> str:
    """How a definition is written behind its modifiers and up to its body, on one line."""
    inner = node.child_by_field_name("definition") or node
    body = inner.child_by_field_name("body") or next((one for one in inner.children if one.type in BODIES), None)
    parts = (one for one in node.children if one.type not in MODIFIERS)
    start = next((one.start_byte for one in parts if "comment" not in one.type), node.start_byte)
    params = inner.child_by_field_name("parameters")
    end = body.start_byte if body is not None else node.end_byte
    if params is not None:  # a comment behind them is one on the code
        rest = [one for one in inner.children if one.start_byte > params.start_byte]
        end = min([end, *(one.start_byte for one in rest if one.type == "comment")])
    code = (node.text or b"")[start - node.start_byte : end - node.start_byte]
    return " ".join(code[:HEAD].decode("utf-8", "replace").split()).rstrip(" :{;\\").removesuffix("=>").rstrip(" =")


@lru_cache(maxsize=KEPT)
def facts(language: Language, source: bytes) -> Facts | None:
    """What a file defines, imports and offers; None if it cannot be read."""
    root = parse(language, source)
    return _Reader(language, root).facts() if root is not None else None


def imports(language: Language, source: bytes) -> tuple[Import, ...]:
    """What a file imports, as its statements alone tell; nothing if it cannot be read."""
    root = parse(language, source)
    return _Reader(language, root, needs_definitions=False).imports(Spans(())) if root is not None else ()


def seen(language: Language, source: bytes, lines: Collection[int]) -> Seen | None:
    """The names that some lines use; None if the file cannot be read."""
    root = parse(language, source)
    return _Reader(language, root).seen(lines, Lines(source)) if root is not None else None


class _Reader:
    def __init__(self, language: Language, root: Node, *, needs_definitions: bool = True) -> None:
        self._language, self._root = language, root
        self._found = matches(language, DEFINED if needs_definitions else ("imports",), root)
        self._defs = [(kind_of(found), found) for found in self._found["defs"]] if needs_definitions else []
        bodies = [node for _, found in self._defs for node in found.get("local", ())]
        self._bodies = frozenset(node.id for node in bodies)
        self._locals = Spans([(node.start_byte, node.end_byte, "") for node in bodies])
        hiding = [node for node in bodies if not self._is_inline(node)] if language.inline else bodies
        self._hiding = Spans([(node.start_byte, node.end_byte, "") for node in hiding])
        word = language.reads_all.encode()
        self._wholesale = [one.start() for one in re.finditer(rb"\b" + word + rb"\b", root.text or b"")] if word else []
        holders = []
        for kind, found in self._defs:
            if kind in ("class", "holder", "type", "module"):
                node = _first(found, f"def.{kind}")
                holders.append((node.start_byte, node.end_byte, _called(found).strip("*&`")))
        self._holders = Spans(list(dict.fromkeys(holders)))

    def facts(self) -> Facts:
        definitions = self._definitions()
        opened, owners, made = "a component" if self._language.scripts else "", set[str](), set[str]()
        unsure = False
        hidden = {node.start_byte for _, found in self._defs for node in found.get("opaque", ())}
        held, is_unscoped = "", self._root.has_error or self._language.scripts
        for found in self._found["open"]:
            for node in found.get("open", ()):
                opened = opened or text(node).partition("\n")[0][:WRITTEN]
            unsure = unsure or "open.sought" in found
            for node in found.get("made", ()):
                made.update(re.findall(r"\w+", text(node)))
            for node in found.get("open.owner", ()):
                owners.add(self._owner(node))
            for node in found.get("held", ()):
                held = self._held(node)
            is_unscoped = is_unscoped or "unscoped" in found
        if self._root.has_error:
            opened = opened or next((f"a syntax error at line {line}" for line in errors(self._root)), "")
        answering = frozenset(owners)
        for kind, found in self._defs:
            if kind in ("class", "type") and _first(found, f"def.{kind}").start_byte in hidden:
                outer = self._owner(_first(found, f"def.{kind}"))
                owners.add(f"{outer}.{_called(found)}".lstrip("."))
        module = next((text(node) for _, found in self._defs for node in found.get("module", ())), "")
        opaque = {text(node) for _, found in self._defs for node in found.get("opaque.name", ())}
        return Facts(
            definitions=definitions,
            imports=self.imports(self._guards("imports", "guards")),
            unsure=unsure,
            stars=self._stars(),
            open=opened or (held and f"what {held} holds"),
            module_value=held,
            open_beside=bool(opened),
            unscoped=is_unscoped,
            types=frozenset(text(node) for found in self._found["imports"] for node in found.get("type", ())),
            made=frozenset(made),
            open_owners=frozenset(owners),
            answering=answering,
            opaque=frozenset(opaque),
            module=module,
        )

    def _held(self, node: Node) -> str:
        """The name of the value that a file exports as the module itself: as it is written, else `default`."""
        name = node if node.type in self._language.identifiers else node.child_by_field_name("name")
        return text(name) or "default"

    def _stars(self) -> int:
        """How often the file imports all that another offers, but for what it has itself."""
        rows = self._found["imports"]
        own = {node.start_byte for found in rows for node in found.get("stars.own", ())}
        return len({node.start_byte for found in rows for node in found.get("stars", ())} - own)

    def _owner(self, node: Node) -> str:
        """The class around a node, with the classes around that."""
        return ".".join(name for *_, name in reversed([*self._holders.around(node.start_byte, node.end_byte)]) if name)

    def _outer(self, node: Node) -> Node:
        """A definition with what stands around it as a part of it: decorators, `export`."""
        while node.parent is not None and node.parent.type in self._language.around:
            node = node.parent
        return node

    def _is_inline(self, body: Node) -> bool:
        """Whether a body runs where it stands: that of a function without a name which a statement calls, or hands to a call."""
        above = body.parent
        if above is None or above.child_by_field_name("name") is not None:
            return False
        while above.parent is not None and above.parent.type in self._language.inline:
            above = above.parent
        return above.parent is not None and above.parent.type == "expression_statement"

    def _is_local(self, node: Node) -> bool:
        return any(True for _ in self._hiding.around(node.start_byte, node.end_byte, inclusive=True))

    def _definitions(self) -> tuple[Definition, ...]:
        parameters = _parameters(found for _, found in self._defs)
        exported = [node for _, found in self._defs for node in found.get("exported", ())]
        withheld = {node.id for _, found in self._defs for node in found.get("withheld", ())}
        offered = Spans([(node.start_byte, node.end_byte, "") for node in exported if node.id not in withheld])
        needs_export = self._language.exports
        opaque = {self._language.whole(node).start_byte for _, found in self._defs for node in found.get("opaque", ())}
        static = {node.start_byte for _, found in self._defs for node in found.get("static", ())}
        marks, visible, placed = _marks(found for _, found in self._defs)
        spaces = Spans(_spaces(found for _, found in self._defs))
        kept = {node.start_byte for _, found in self._defs for node in found.get("kept", ())}
        values = {node.start_byte for _, found in self._defs for node in found.get("valued", ())}
        rows: dict[tuple[int, str, str], Definition] = {}
        bases: dict[int, list[str]] = defaultdict(list)
        for _, found in self._defs:
            for node in found.get("class.of", ()):
                bases[node.start_byte] += [re.split(r"[<\[]", text(base))[0] for base in found.get("base", ())]
                bases[node.start_byte] += [_marked(base, found["bearer"][0]) for base in found.get("base.mark", ())]
        for kind, found in self._defs:
            if not kind or kind == "holder":
                continue
            own = _first(found, f"def.{kind}")
            if kind not in GLOBAL and self._is_local(own):
                continue
            whole = self._language.whole(own)
            given = [text(node).lstrip("*&") for node in found.get("owner", ())]
            owner = given[0] if given else "" if kind == "global" else self._owner(whole)
            params = _first(found, "params", None)
            takes = None
            if params is not None:
                takes = tuple(parameters.get(params.id, ()))
                if owner and kind == "function" and self._language.receiver and whole.start_byte not in static:
                    takes = takes[1:] if takes and takes[0].kind in ("positional", "only") else None
            is_common = kind == "common" or "common" in found
            is_offered = (
                not needs_export
                or is_common
                or any(True for _ in offered.around(whole.start_byte, whole.end_byte, inclusive=True))
            )
            for node in found["name"] if "name" in found else found["default"]:
                name = text(node).strip(NAMED) if "name" in found else "default"
                private = not is_offered if needs_export else self._language.is_private(name)
                is_value = node.start_byte in values
                row = Definition(
                    name=name,
                    owner=owner,
                    kind="member" if is_value else "method" if kind == "function" and owner else kind,
                    line=node.start_point[0] + 1,
                    start=first_line(self._outer(whole)),
                    end=last_line(self._outer(whole)),
                    head=head(whole),
                    more="more" in found,
                    opaque=params is not None and (whole.start_byte in opaque or self._reads_all(whole, params)),
                    static=whole.start_byte in static,
                    visible=visible.get(whole.start_byte, "file" if node.start_byte in kept else ""),
                    marks=marks.get(whole.start_byte, ()) + _in_spaces(spaces, whole),
                    sought="sought" in found,
                    shown=placed.get(whole.start_byte) or next((key[3:] for key in found if key.startswith("as.")), ""),
                    parameters=takes if not is_value else None,
                    bases=tuple(bases.get(whole.start_byte, ())),
                    private=private or "private" in found,
                    means=self._meant(found),
                    common=is_common,
                )
                key = (whole if kind == "constructor" else node).start_byte, name, owner
                is_told = key in rows and (rows[key].parameters is not None or rows[key].kind == "class")
                if not is_told or (rows[key].parameters is None and row.parameters is not None):
                    rows[key] = row
        ordered = (row for _, row in sorted(rows.items(), key=lambda item: item[0][0]))
        return (*ordered, *self._members(parameters))

    def _members(self, parameters: Mapping[int, Sequence[Parameter]]) -> Iterator[Definition]:
        """The members of objects that have a name, and of what functions return, by the hook of the language."""
        tell = self._language.members
        for found in self._found["objects"] if tell is not None else ():
            value, owner = found["value"][0], found["owner"][0]
            if tell is None or self._is_local(value):
                continue
            for one in tell(
                text(owner) if owner.type in (*self._language.identifiers, "default") else "default", value
            ):
                params = one.function and (
                    one.function.child_by_field_name("parameters") or one.function.child_by_field_name("parameter")
                )
                yield Definition(
                    name=text(one.name),
                    owner=one.owner,
                    kind="method" if one.function else "member",
                    line=first_line(one.name),
                    start=first_line(one.whole),
                    end=last_line(one.whole),
                    head=head(one.function or one.whole),
                    opaque=one.opaque or bool(one.function and params and self._reads_all(one.function, params)),
                    parameters=tuple(parameters.get(params.id, ())) if params else None,
                    private=True,
                )

    def _meant(self, found: Captures) -> str:
        meant = _first(found, "means", None)
        return text(meant) if meant is not None and meant.type in self._language.identifiers else ""

    def _reads_all(self, whole: Node, params: Node) -> bool:
        """Whether nobody can tell what a function takes: its list has an error, or its code reads what is passed as a whole."""
        at = bisect_left(self._wholesale, whole.start_byte)
        return params.has_error or (at < len(self._wholesale) and self._wholesale[at] < whole.end_byte)

    def imports(self, guards: Spans) -> tuple[Import, ...]:
        whole: dict[int, Import] = {}
        names: dict[int, list[Bound]] = defaultdict(list)
        rows = self._found["imports"]
        maybe = Spans([(one.start_byte, one.end_byte, "") for one, _ in rows.of("maybe")])
        for found in rows:
            if "import" not in found:
                continue
            node, spec = found["import"][0], _first(found, "spec", None)
            here, there = text(_first(found, "here", None)), _first(found, "there", None)
            key = spec.start_byte if spec is not None else node.start_byte
            hands_on = self._language.hands_on and not self._is_local(node)
            if key not in whole:
                whole[key] = Import(
                    spec=text(spec).strip(QUOTES),
                    line=(spec or node).start_point[0] + 1,
                    hands_on=hands_on or ("hands_on" in found and not self._is_local(node)),
                    guarded=any(True for _ in guards.around(node.start_byte, node.end_byte, inclusive=True)),
                    maybe=any(True for _ in maybe.around(node.start_byte, node.end_byte)),
                )
            one = whole[key]
            if "hands_on" in found and not one.hands_on and not self._is_local(node):
                one = whole[key] = _with(one, hands_on=True)
            if "takes" in found or "takes_default" in found:
                taken = _first(found, "takes", None)
                names[key].append(Bound(text(taken) or "default", "", (taken or node).start_point[0] + 1))
            elif there is not None or "default" in found:
                given = text(there) if there is not None else "default"
                at = (there or found["default"][0]).start_point[0] + 1
                if "default" in found:
                    here = text(found["default"][0])
                names[key].append(Bound(given.strip(QUOTES), here.strip(QUOTES) or given.strip(QUOTES), at))
            elif "star" in found:
                whole[key] = _with(one, star=True)
            elif "nothing" not in found:
                whole[key] = _with(one, whole=here or one.whole or self._language.whole_name(one.spec))
        items = (
            _with(one, names=tuple(dict.fromkeys(names[key]))) if key in names else one for key, one in whole.items()
        )
        return tuple(self._split(item) if self._language.split else item for item in items)

    def _split(self, item: Import) -> Import:
        """An import that names a member with its module, as the module and a name of it."""
        spec, _, name = item.spec.rpartition(self._language.split)
        if item.star or item.names or not spec:
            return item
        return _with(item, spec=spec, whole="", names=(Bound(name, item.whole or name, item.line),))

    def _guards(self, *queries: str) -> Spans:
        return Spans(
            [
                (node.start_byte, node.end_byte, "")
                for query in queries
                for found in self._found[query]
                for node in found.get("guard", ())
            ]
        )

    def seen(self, lines: Collection[int], code: Lines) -> Seen:
        guards, wanted = self._guards("guards"), frozenset(lines)
        found_uses: dict[tuple[int, str], Use] = {}
        bindings: dict[str, dict[int, tuple[int, int]]] = defaultdict(dict)
        last = self._root.end_point[0] + 1
        told = matches(self._language, BOUND, self._root)
        rows = told["bindings"]
        for node, _ in rows.of("bound"):
            around = [*self._locals.around(node.start_byte, node.end_byte)]
            outer = (code.at(around[-1][0]), code.at(around[-1][1])) if around else (1, last)
            bindings[text(node)][node.start_byte] = min(outer[0], node.start_point[0] + 1), outer[1]
        uses = uses_at(self._language, self._root, [code.span(line) for line in sorted(wanted)])
        skipped = {node.start_byte for read in (rows, uses) for node, _ in read.of("unread", "store")}
        stores = {text(node) for node, _ in rows.of("store")}
        for found in uses:
            name = _first(found, "name", None)
            if name is None or name.start_point[0] + 1 not in wanted:
                continue
            before = _first(found, "receiver", None)
            receiver = text(before) if before is not None and before.end_byte - before.start_byte <= WRITTEN else ""
            if before is not None and not DOTTED.fullmatch(receiver):
                receiver = "()"  # the value of an expression
            args = _first(found, "args", None)
            use = Use(
                name=text(name),
                line=name.start_point[0] + 1,
                receiver=receiver.replace("?.", "."),
                arguments=arguments(self._language.calls, args) if args is not None else None,
                guarded=any(True for _ in guards.around(name.start_byte, name.end_byte)),
            )
            key = name.start_byte, use.name
            if key not in found_uses or use.arguments is not None or (use.receiver and not found_uses[key].receiver):
                found_uses[key] = use
        kept = tuple(use for (start, _), use in sorted(found_uses.items()) if start not in skipped)
        ranges = {name: tuple(sorted(rows.values())) for name, rows in bindings.items()}
        return Seen(kept, ranges, self._types(told["types"], bindings, last), frozenset(stores))

    def _types(
        self, rows: Rows, bindings: Mapping[str, Collection[int]], last: int
    ) -> Mapping[str, tuple[Typed, ...]]:
        """The names whose class is written: the object that a method belongs to, and a name that is bound once, to a new object.

        `bindings`: name -> the bytes at which it is bound.
        """
        types: dict[str, list[Typed]] = defaultdict(list)
        starts = {name: sorted(rows) for name, rows in bindings.items()}
        for found in rows:
            scope, var = _first(found, "scope", None), _first(found, "var", None)
            whole = scope or self._function(var or self._root)
            name = text(var) or "this"
            bound = starts.get(name, ())
            times = bisect_left(bound, whole.end_byte) - bisect_left(bound, whole.start_byte)
            if "type" in found and times == (name != "this"):
                start = (whole if scope is not None or whole == self._root else var or whole).start_point[0] + 1
                end = min(whole.end_point[0] + 1, last)
                types[name].append(Typed(text(found["type"][0]), start, end, is_own="own" in found))
        return {name: tuple(rows) for name, rows in types.items()}

    def _function(self, node: Node) -> Node:
        """The innermost function around a node with its parameters, or the file."""
        inner: Node | None = node
        while inner is not None and inner.id not in self._bodies:
            inner = inner.parent
        return (inner.parent if inner is not None else None) or self._root


def arguments(rules: CallRules, node: Node) -> Arguments | None:
    """What a call passes; None if its arguments are not written one by one, or with an error."""
    if node.type in (*rules.alone, *rules.nothing):
        return Arguments(int(node.type in rules.alone))
    if node.type not in rules.argument_lists or node.has_error:
        return None
    positional, keywords, spread = 0, list[str](), False
    for child in node.named_children:
        if "comment" in child.type or (child.type in rules.setters and any(one.type == "=" for one in child.children)):
            continue
        is_wrapped = child.type in ("argument", "value_argument") and child.named_children
        inner = child.named_children[-1] if is_wrapped else child
        named = _keyword(child) if child.type in rules.keyword else None
        if named is None and any(one.type == "=" for one in child.children if is_wrapped):
            named = child.named_children[0]
        if inner.type in rules.spread:
            spread = True
        elif named is not None:
            keywords.append(text(named).strip("`"))
        else:
            positional += 1
            is_alone = rules.lone_call and node.named_child_count == 1
            is_several = is_alone or (rules.last_call and child == node.named_children[-1])
            spread = spread or (is_several and "call" in inner.type)
    return Arguments(positional, tuple(keywords), spread)


def _called(found: Captures) -> str:
    """What a definition is called: `default` where it has no name and is what its file exports."""
    return text(_first(found, "name", None)) or "default"


def _keyword(node: Node) -> Node | None:
    """The name by which an argument is passed."""
    return node.child_by_field_name("name") or node.child_by_field_name("left")


def kind_of(found: Captures) -> str:
    """What a match defines; "" for nothing."""
    for key in found:
        if key[:4] == "def.":
            return key[4:]
    return ""


def _marks(rows: Iterable[Captures]) -> tuple[Mapping[int, tuple[str, ...]], Mapping[int, str], Mapping[int, str]]:
    """Where a definition begins -> what else it is, who can name it, and what kind its place makes it."""
    marks: dict[int, tuple[str, ...]] = {}
    visible: dict[int, str] = {}
    placed: dict[int, str] = {}
    for found in rows:
        marks |= {node.start_byte: ("object",) for node in found.get("singleton", ())}
        for node in found.get("extends", ()):
            marks[node.start_byte] = (f"extension {text(_first(found, 'extended'))}",)
        for key in found:
            if key.startswith("visible."):
                said = key.removeprefix("visible.")
                wider = WIDTHS[WIDTHS.index(said) :]
                visible |= {one.start_byte: said for one in found[key] if visible.get(one.start_byte) not in wider}
            if key.startswith("as.") and not kind_of(found):
                placed |= {one.start_byte: key.removeprefix("as.") for one in found[key]}
    return marks, visible, placed


def _spaces(rows: Iterable[Captures]) -> list[tuple[int, int, str]]:
    """The namespaces of a file, each by the last part of its name; "" for one without a name."""
    named = [(node, text(_first(found, "called", None))) for found in rows for node in found.get("space", ())]
    return [(node.start_byte, node.end_byte, name.rpartition("::")[2]) for node, name in named]


def _in_spaces(spaces: Spans, node: Node) -> tuple[str, ...]:
    """The marks of what stands in namespaces, the outermost first."""
    around = spaces.around(node.start_byte, node.end_byte)
    return tuple(f"namespace {name}" for *_, name in reversed([*around]))


def _marked(mark: Node, bearer: Node) -> str:
    """What marks a part of a class from which a generator may make members of it, with what bears the mark."""
    return " ".join(f"{text(mark)} {re.split('[={]', head(bearer))[0]}".split())


def _first(found: Captures, key: str, default: object = ...) -> Node:
    nodes = found.get(key)
    if nodes:
        return nodes[0]
    if default is ...:
        raise KeyError(key)
    return None  # type: ignore[return-value]


def _with(item: Import, **values: object) -> Import:
    return replace(item, **values)  # type: ignore[arg-type]


def errors(root: Node) -> Iterator[int]:
    """The lines of syntax errors, those that a file can be read with left out."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_error or node.is_missing:
            yield node.start_point[0] + 1
        elif node.has_error:
            stack += node.children


def _parameters(rows: Iterator[Captures]) -> Mapping[int, list[Parameter]]:
    """The node of a parameter list -> its parameters in order."""
    found_in: dict[int, dict[int, Parameter | str]] = defaultdict(dict)
    for found in rows:
        key = next((key for key in found if key.startswith("param.")), "")
        if not key:
            continue
        node, kind = found[key][0], key[6:]
        parent = found["params"][0] if "params" in found else node.parent
        if parent is None:
            continue
        if kind in ("only_before", "keyword_after"):
            found_in[parent.id][node.start_byte] = kind
            continue
        for name in found.get("name", [node]):
            optional = "optional" in found or kind in ("rest", "named_rest")
            called = OBJECT if "receiver" in found else text(name).strip("`") if "name" in found else NAMELESS
            row = Parameter(called, kind, not optional)  # type: ignore[arg-type]
            if (
                "optional" in found
                or "receiver" in found
                or kind == "rest"
                or name.start_byte not in found_in[parent.id]
            ):
                found_in[parent.id][name.start_byte] = row
    return {parent: _ordered(rows) for parent, rows in found_in.items()}


def _ordered(rows: Mapping[int, Parameter | str]) -> list[Parameter]:
    ordered: list[Parameter] = []
    by_keyword = False
    for _, row in sorted(rows.items()):
        if row == "only_before":
            ordered = [Parameter(one.name, "only", one.required) for one in ordered]
        elif row == "keyword_after":
            by_keyword = True
        elif isinstance(row, Parameter):
            kind = "keyword" if by_keyword and row.kind == "positional" else row.kind
            ordered.append(Parameter(row.name, kind, row.required))
            by_keyword = by_keyword or kind == "rest"
    return ordered
