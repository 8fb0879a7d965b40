"""Parse a file once, run its language's queries and combine their captures into facts about the file."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import cast

from tree_sitter import Node

from deeprepo.impact.halves import Captures
from deeprepo.impact.language import Language, language_of, load
from deeprepo.impact.parsing import DEEPEST, has_open_angles, root_of, too_deep
from deeprepo.impact.reading.arguments import parameters
from deeprepo.impact.reading.matching import DEFINED, ByteRanges, Rows, has, matches
from deeprepo.impact.reading.memo import memo
from deeprepo.impact.reading.nodes import (
    SYMBOLS,
    Spans,
    errors,
    first,
    first_line,
    head,
    kind_of,
    last_line,
    name_of,
    text,
)
from deeprepo.impact.reading.unreadable import TOO_DEEP, TOO_LONG, Unreadable
from deeprepo.impact.structs import replace
from deeprepo.impact.values import (
    Bound,
    Definition,
    DefinitionKind,
    Facts,
    Import,
    Parameter,
    QueryFacts,
    Signature,
    Unwritten,
    Visibility,
)

LARGEST_FILE = 1_500_000  # bytes; larger files are not parsed
BUNDLE = 20_000  # bytes; a longer line means that the file is generated or bundled
KEPT = 400  # files whose facts are cached, because both search directions ask for those of a changed file
LONGEST_REASON = 200  # characters of the code that makes a file dynamic
QUOTES = "\"'`<>"
NOT_ASCII = re.compile(rb"[\x80-\xff]")
# Who can name a definition, from the narrowest to the widest.
WIDTHS = ("self", "below", "file", "folder", "package", "unit", "anywhere")
GLOBAL = ("global", "attribute")  # kinds that stay visible even when defined inside a function


def is_readable(source: bytes) -> bool:
    """Return whether a file is worth parsing: not too long, not nested too deeply and not a bundle."""
    if len(source) > LARGEST_FILE:
        return False
    if len(source) > BUNDLE and max(map(len, source.split(b"\n"))) > BUNDLE:
        return False
    return not too_deep(source) and not has_open_angles(source)


def parse(language: Language, source: bytes) -> Node | None:
    """Return the root of a file's syntax tree; None if the file is unreadable or parsing takes too long."""
    if not is_readable(source):
        return None
    code = source.replace(b"\0", b" ")
    if not code.isascii() and code.decode("utf-8", "ignore").encode() != code:
        # Queries read UTF-8 only; offsets are in bytes, so each byte is replaced by one.
        code = NOT_ASCII.sub(b"_", code)
    return root_of(language.grammar, language.code(code))


@lru_cache(maxsize=KEPT)
@memo
def facts(language: Language, source: bytes) -> Facts | None:
    """Return what a file defines, imports and exports; None if it cannot be read."""
    root = parse(language, source)
    return Reader(language, root).facts() if root is not None else None


@memo
def has_errors(language: Language, source: bytes) -> bool | None:
    """Return whether a file has syntax errors; None if it cannot be read."""
    root = parse(language, source)
    return root.has_error if root is not None else None


def language_for(path: str, source: bytes) -> Language | None:
    """Return the language of a file.

    Two grammars may share a suffix: the second one is chosen if only it parses the file without an error, or
    if the language puts it first.
    """
    language = language_of(path)
    if language is None or not language.otherwise:
        return language
    is_first = language.may_be_other(source)
    if is_first is False:
        return language
    other = [one for one in load(language.folder) if one.name == language.otherwise][-1]
    if is_first:
        return other if _reads(other, source) or not _reads(language, source) else language
    return language if _reads(language, source) or not _reads(other, source) else other


def _reads(language: Language, source: bytes) -> bool:
    """Return whether a file parses without an error."""
    return has_errors(language, source) is False


def imports(language: Language, source: bytes) -> tuple[Import, ...]:
    """Return what a file's import statements import. Raises `Unreadable`."""
    return _or_raise(_imports(language, source))


def _is_directive(node: Node) -> bool:
    """Return whether a name was read from a directive: `class A` and then `#if X` make X the class's name."""
    before = node.prev_sibling
    return before is not None and before.is_error and b"#" in (before.text or b"")


def _or_raise(found: tuple[Import, ...] | None) -> tuple[Import, ...]:
    if found is None:
        raise Unreadable(TOO_LONG)
    return found


@memo
def _imports(language: Language, source: bytes) -> tuple[Import, ...] | None:
    code = language.import_lines(source)
    root = parse(language, code)
    if root is not None and root.has_error and code != source:  # it may be cut in the wrong place
        root = parse(language, source)
    return naming(language, root).imports(Spans(())) if root is not None else None


@lru_cache(maxsize=64)
def written_paths(language: Language, source: bytes) -> tuple[Import, ...]:
    """Return the paths that code uses outside import statements to name things in other files.

    Raises `Unreadable`.
    """
    return _or_raise(_paths(language, source))


@memo
def _paths(language: Language, source: bytes) -> tuple[Import, ...] | None:
    root = parse(language, source)
    return Reader(language, root, needs_definitions=False).paths() if root is not None else None


def root(language: Language, source: bytes) -> Node:
    """Return the root of a file's syntax tree. Raises `Unreadable`."""
    found = parse(language, source)
    if found is None:
        raise Unreadable(TOO_LONG)
    return found


def naming(language: Language, root: Node) -> "Reader":
    """Return how a file names others, for the search: by the query `names`, or by `imports` without one."""
    found = Reader(language, root, needs_definitions=False)
    found.import_query = _naming(language)
    return found


def may_name(language: Language, source: bytes, *captures: str) -> bool:
    """Return whether the query for names may have one of these captures in a file, before it is parsed."""
    texts = [text for word, text in language.texts(_naming(language)).items() if has(source, word)]
    return any(f"@{capture}" in text for capture in captures for text in texts)


def _naming(language: Language) -> str:
    return "names" if language.texts("names") else "imports"


class Reader:
    """The facts of one file, from the results of its language's queries."""

    def __init__(
        self, language: Language, root: Node, *, needs_definitions: bool = True, parts: ByteRanges = ()
    ) -> None:
        """Limit the queries to `parts`; () means the whole file."""
        self.language, self.root, self.last = language, root, root.end_point[0] + 1  # `last`: the last line
        self._needs_definitions, self._parts = needs_definitions, parts
        self.import_query = "imports"
        self._start_bytes: dict[str, frozenset[int]] = {}  # by capture

    @cached_property
    def captures(self) -> Mapping[str, Rows]:
        """Return what the queries find, by query."""
        queries = DEFINED if self._needs_definitions else (self.import_query,)
        return matches(self.language, queries, self.root, self._parts)

    @property
    def import_rows(self) -> Rows:
        """What the query for imports finds."""
        return self.captures[self.import_query]

    @cached_property
    def _rows(self) -> Rows:
        return self.captures.get("defs", Rows())

    @cached_property
    def _defs(self) -> list[tuple[DefinitionKind, Captures]]:
        """Return the definitions with their kinds, except the file's declaration of its own module."""
        own = min((node.start_byte for node, _ in self._rows.of("module")), default=-1)
        rows = [(kind, found) for found in self._rows if (kind := kind_of(found))]
        return [(kind, found) for kind, found in rows if not _is_at(own, found.get("name", ()))]

    @cached_property
    def _bodies(self) -> list[Node]:
        return [node for node, _ in self._rows.of("local")]

    @cached_property
    def bodies(self) -> frozenset[int]:
        """Return the ids of nodes whose definitions are local."""
        return frozenset(node.id for node in self._bodies)

    @cached_property
    def _heads(self) -> frozenset[int]:
        """Return the ids of the nodes directly around these."""
        return frozenset(node.parent.id for node in self._bodies if node.parent is not None)

    @cached_property
    def locals(self) -> Spans:
        """Return the spans of these nodes."""
        return Spans.of(self._bodies)

    @cached_property
    def _hiding(self) -> Spans:
        return Spans.of(node for node in self._bodies if not (self.language.inline and self._is_inline(node)))

    @cached_property
    def _wholesale(self) -> list[int]:
        """Return where the file uses the word that reads all arguments of a function."""
        word = self.language.reads_all.encode()
        words = re.finditer(rb"\b" + word + rb"\b", self.root.text or b"") if word else ()
        return [self.root.start_byte + one.start() for one in words]

    @cached_property
    def outer(self) -> frozenset[int]:
        """Return where the names of the definitions outside all functions start."""
        rows = [found for kind, found in self._defs if not self._is_local(first(found, f"def.{kind}"))]
        return frozenset(name.start_byte for found in rows for name in found.get("name", ()))

    @cached_property
    def _holders(self) -> Spans:
        """Return the spans of classes, types and modules that can contain definitions, with their names."""
        holders = []
        for kind, found in self._defs:
            if kind in ("class", "holder", "type", "module"):
                node = first(found, f"def.{kind}")
                holders.append((node.start_byte, node.end_byte, _called(found).strip("*&`")))
        return Spans(list(dict.fromkeys(holders)))

    def facts(self) -> Facts:
        """Return what the file defines, imports and exports."""
        rows, is_page = self.captures["open"], self.language.is_page
        opened = "a component" if is_page else ""
        opened = opened or next((text(node).partition("\n")[0][:LONGEST_REASON] for node, _ in rows.of("open")), "")
        if self.root.has_error and not opened:
            opened = next((f"a syntax error at line {line}" for line in errors(self.root)), "")
        unwritten = Unwritten(
            for_search=rows.has("open.sought"),
            for_new_lines=rows.has("open.new"),
            words=frozenset(word for node, _ in rows.of("made") for word in re.findall(r"\w+", text(node))),
            lines=frozenset(first_line(node) for node, _ in rows.of("dynamic")),
        )
        answering = frozenset(self.owner(node) for node, _ in rows.of("open.owner"))
        exported = next((self._held(node) for node, _ in reversed([*rows.of("held")])), "")
        return Facts(
            definitions=self._definitions(),
            imports=self.imports(self.guards("imports", "guards")),
            spaces=self.spaces(),
            unwritten=unwritten,
            stars=self._stars(),
            open=opened or (exported and f"the value of {exported}"),
            module_value=exported,
            open_beside=bool(opened),
            types=frozenset(text(node) for found in self.import_rows for node in found.get("type", ())),
            open_owners=answering | self._opaque_classes(),
            answering=answering,
            opaque=frozenset(text(node) for node, _ in self._rows.of("opaque.name")),
            module=next((text(node) for node, _ in self._rows.of("module")), ""),
        )

    def _opaque_classes(self) -> frozenset[str]:
        """Return the classes whose members a decorator or macro may change."""
        hidden = self._starts("opaque")
        rows = [(first(found, f"def.{kind}"), found) for kind, found in self._defs if kind in ("class", "type")]
        return frozenset(
            f"{self.owner(node)}.{_called(found)}".lstrip(".") for node, found in rows if node.start_byte in hidden
        )

    def _held(self, node: Node) -> str:
        """Return the name of the value that a file exports as the module itself, or `default`."""
        name = node if node.type in self.language.nodes.identifiers else node.child_by_field_name("name")
        return text(name) or "default"

    def _stars(self) -> int:
        """Return how many wildcard imports the file has, except those from itself."""
        rows = self.import_rows
        own = {node.start_byte for found in rows for node in found.get("stars.own", ())}
        return len({node.start_byte for found in rows for node in found.get("stars", ())} - own)

    def owner(self, node: Node) -> str:
        """Return the qualified name of the class around a node, or its plain name in a flat language."""
        names = (name for *_, name in self._holders.around(node.start_byte, node.end_byte) if name)
        return next(names, "") if self.language.types.unqualified else ".".join(reversed([*names]))

    def _outer(self, node: Node) -> Node:
        """Return a definition with the nodes around it that belong to it: decorators, `export`."""
        while self.language.nodes.around and node.parent is not None and node.parent.type in self.language.nodes.around:
            node = node.parent
        return node

    def _is_inline(self, body: Node) -> bool:
        """Return whether a body runs in place: a statement calls the anonymous function or passes it to a call."""
        if self.locals.hold(body, inclusive=False):
            return False
        above = body.parent
        if above is None or above.child_by_field_name("name") is not None:
            return False
        while above.parent is not None and above.parent.type in self.language.inline:
            above = above.parent
        return above.parent is not None and above.parent.type == "expression_statement"

    def _is_local(self, node: Node) -> bool:
        return self._hiding.hold(node)

    def _definitions(self) -> tuple[Definition, ...]:
        """Return the definitions in file order, and behind them the members of objects."""
        definitions: dict[tuple[int, str, str], Definition] = {}
        for kind, found in self._defs:
            own = first(found, f"def.{kind}")
            is_local = kind not in GLOBAL and self._is_local(own)
            if is_local or (kind == "holder" and "class.of" not in found):
                continue
            for place, row in self._named(kind, found, self.language.whole(own)):
                earlier = definitions.get(place)
                # several queries may find it, not all of them with its parameters
                if earlier is None or (earlier.signature is None and (earlier.kind != "class" or row.signature)):
                    definitions[place] = row
        ordered = (row for _, row in sorted(definitions.items(), key=lambda item: item[0][0]))
        return (*ordered, *self._members())

    def _named(
        self, kind: DefinitionKind, found: Captures, whole: Node
    ) -> Iterator[tuple[tuple[int, str, str], Definition]]:
        """Yield a definition for each name of a match, with what identifies it: its start, name and owner."""
        language, around, at = self.language, self._outer(whole), whole.start_byte
        # A generated definition has no written name: its capture contains it.
        generated = next((key for key in found if key.startswith("named.")), "")
        owner = self._owner_of(kind, found, whole)
        is_common = kind == "common" or "common" in found
        is_exported = is_common or self._exported.hold(whole)
        for node in found["name"] if "name" in found else found[generated or "default"]:
            if _is_directive(node):
                continue
            name = name_of(node) if "name" in found else generated[6:] or "default"
            is_value = node.start_byte in self._starts("valued")
            row = Definition(
                name=f"{owner}.{name}" if owner else name,
                owner=owner,
                kind="member" if is_value else "method" if kind == "function" and owner else kind,
                line=first_line(node),
                start=first_line(around),
                end=last_line(language.last_of(around)),
                head=head(whole),
                signature=self._signature(kind, found, whole, owner) if not is_value else None,
                bases=self._bases.get(at, ()),
                private="private" in found
                or (not is_exported if language.scope.exports else language.is_private(name)),
                static=at in self._starts("static") | self._starts("on_class"),
                visible=cast("Visibility", self._visibility(node, name, whole)),
                extends=self._extended.get(at, ""),
                namespaces=tuple(reversed([name for *_, name in self._namespaces.around(at, whole.end_byte)])),
                is_object=at in self._starts("singleton"),
                by_query=self._by_query(found, at, is_common=is_common),
            )
            yield ((whole if kind == "constructor" else node).start_byte, name, owner), row

    def _by_query(self, found: Captures, at: int, *, is_common: bool) -> QueryFacts:
        shown = self._shown.get(at) or next((key[3:] for key in found if key[:3] == "as."), "")
        return QueryFacts(
            more="more" in found,
            shown=cast("DefinitionKind", shown),
            means=self._value_name(found),
            common=is_common,
        )

    def _owner_of(self, kind: str, found: Captures, whole: Node) -> str:
        """Return the class of a definition: the one written in its head, or the one around it."""
        if "owner" in found:
            return name_of(found["owner"][0]).lstrip("*&")
        is_free = kind == "global" or (kind == "class" and self.language.types.unqualified)
        return "" if is_free else self.owner(whole)

    def _signature(self, kind: str, found: Captures, whole: Node, owner: str) -> Signature | None:
        """Return what calls of a definition must match; None if it has no parameters, not even empty ones."""
        params = first(found, "params", None)
        if params is None:
            return None
        taken = tuple(self._parameters.get(params.id, ()))
        is_opaque = whole.start_byte in self._opaque or self._reads_all(whole, params)
        if any(key.startswith("named.") for key in found):  # in generated code, each of them may be optional
            taken = tuple(replace(one, is_required=False) for one in taken)
        is_instance = bool(owner) and kind == "function" and whole.start_byte not in self._starts("static")
        if is_instance and self.language.has_self_parameter:
            has_object = bool(taken) and taken[0].kind in ("positional", "only")
            # `*args` receives the object together with the arguments
            is_opaque = is_opaque or not (has_object or (taken and taken[0].kind == "rest"))
            taken = taken[1:] if has_object else taken
        return Signature(taken, opaque=is_opaque)

    @cached_property
    def _parameters(self) -> Mapping[int, Sequence[Parameter]]:
        return parameters(self._rows)

    @cached_property
    def _opaque(self) -> frozenset[int]:
        """Return where definitions start whose parameters may differ from those written."""
        return frozenset(self.language.whole(node).start_byte for node, _ in self._rows.of("opaque"))

    @cached_property
    def _exported(self) -> Spans:
        """Return the spans of exported code."""
        withheld = {node.id for node, _ in self._rows.of("withheld")}
        return Spans.of(node for node, _ in self._rows.of("exported") if node.id not in withheld)

    @cached_property
    def _extended(self) -> Mapping[int, str]:
        """Return the types that extensions extend, by the start of the extension."""
        return {node.start_byte: text(first(found, "extended")) for node, found in self._rows.of("extends")}

    @cached_property
    def _shown(self) -> Mapping[int, str]:
        """Return the kinds that queries give to a place in addition to its definition; the last one counts."""
        alone = (found for found in self._rows if not kind_of(found))
        return {one.start_byte: key[3:] for found in alone for key in found if key[:3] == "as." for one in found[key]}

    def _visibility(self, node: Node, name: str, whole: Node) -> str:
        """Return who can name a definition, as it or a keyword above it declares; "" if nothing does."""
        declared = self._visible.get(whole.start_byte) or self._visible.get(name)
        if declared or node.start_byte in self._starts("kept"):
            return declared or "file"
        keywords = self._sections.get(whole.parent.id, []) if self._sections and whole.parent is not None else []
        at = bisect_left(keywords, (whole.start_byte, ""))
        return keywords[at - 1][1] if at else ""

    @cached_property
    def _visible(self) -> Mapping[int | str, str]:
        """Return the widest declared visibility by start; by name if the query captures a symbol."""
        visible: dict[int | str, str] = {}
        for said, node, _ in self._rows.under("visible."):
            key = name_of(node) if node.type in SYMBOLS else node.start_byte
            if visible.get(key) not in WIDTHS[WIDTHS.index(said) :]:
                visible[key] = said
        return visible

    @cached_property
    def _sections(self) -> Mapping[int, list[tuple[int, str]]]:
        """Return, by class body, the keywords that apply to all that follows them, such as `public:`."""
        sections: dict[int, set[tuple[int, str]]] = defaultdict(set)
        for said, node, _ in self._rows.under("behind."):
            sections[node.parent.id if node.parent is not None else 0].add((node.start_byte, said))
        return {body: sorted(words) for body, words in sections.items()}

    @cached_property
    def _namespaces(self) -> Spans:
        """Return the spans of namespaces with the last part of their names; "" for an unnamed one."""
        named = [(node, text(first(found, "called", None))) for node, found in self._rows.of("space")]
        return Spans([(node.start_byte, node.end_byte, name.rpartition("::")[2]) for node, name in named])

    @cached_property
    def _bases(self) -> Mapping[int, tuple[str, ...]]:
        """Return the bases of the classes, with annotations that may generate members, by their start."""
        bases: dict[int, tuple[str, ...]] = defaultdict(tuple)
        for node, found in self._rows.of("class.of"):
            bases[node.start_byte] += tuple(re.split(r"[<\[]", text(base))[0] for base in found.get("base", ()))
            bases[node.start_byte] += tuple(_marked(base, found["bearer"][0]) for base in found.get("base.mark", ()))
        return bases

    def _starts(self, capture: str) -> frozenset[int]:
        """Return where the nodes of a capture start."""
        if capture not in self._start_bytes:
            self._start_bytes[capture] = frozenset(node.start_byte for node, _ in self._rows.of(capture))
        return self._start_bytes[capture]

    def _members(self) -> Iterator[Definition]:
        """Yield the members of named objects."""
        for found in self.captures["objects"]:
            value, owner = found["value"][0], text(found["owner"][0])
            for one in self.language.members(value) if not self._is_local(value) else ():
                params = one.function and (
                    one.function.child_by_field_name("parameters") or one.function.child_by_field_name("parameter")
                )
                taken = tuple(self._parameters.get(params.id, ())) if params else ()
                yield Definition(
                    name=f"{owner}.{text(one.name)}",
                    owner=owner,
                    kind="method" if one.function else "member",
                    line=first_line(one.name),
                    start=first_line(one.whole),
                    end=last_line(one.whole),
                    head=head(one.function or one.whole),
                    signature=Signature(taken, opaque=self._reads_all(one.function, params))
                    if one.function and params
                    else None,
                    private=True,
                )

    def _value_name(self, found: Captures) -> str:
        value = first(found, "means", None)
        return text(value) if value is not None and value.type in self.language.nodes.identifiers else ""

    def _reads_all(self, whole: Node, params: Node) -> bool:
        """Return whether a function's parameters are unknown: a syntax error, or code reads all arguments."""
        at, body = bisect_left(self._wholesale, whole.start_byte), params.child_by_field_name("body")
        # in some definitions the definition itself is the list
        parts = params.children if body is not None else [params]
        return any(one.has_error for one in parts if one != body) or (
            at < len(self._wholesale) and self._wholesale[at] < self.language.span(whole)[1]
        )

    def spaces(self) -> tuple[str, ...]:
        """Return the file's namespaces, outermost first; one without a body covers the rest of the file.

        Raises `Unreadable` if they are nested too deeply.
        """
        rows = [
            (node, text(first(found, "called")), "body" in found or node.child_by_field_name("body") is not None)
            for node, found in self.import_rows.of("inside")
        ]
        spans = Spans(
            [(node.start_byte, (node if has_body else self.root).end_byte, name) for node, name, has_body in rows]
        )
        found = []
        for node, *_ in sorted(rows, key=lambda row: row[0].start_byte):
            names = [name for *_, name in spans.around(node.start_byte, node.end_byte, inclusive=True)]
            found.append(self.language.scope.separator.join(reversed(names)).replace("`", ""))
            if found[-1].count(self.language.scope.separator) > DEEPEST:
                raise Unreadable(TOO_DEEP)
        return tuple(dict.fromkeys(found))

    def imports(self, guards: Spans) -> tuple[Import, ...]:
        """Return what the file imports. `guards`: code that handles a failed import."""
        listed = {node.start_byte: [*self._listed(node)] for node, _ in self.import_rows.of("listed")}
        statements: dict[int, list[tuple[Node, Captures]]] = defaultdict(list)
        for found in self.import_rows:
            node = first(found, "import", None) or first(found, "import.member", None)
            if node is not None and node.start_byte not in listed:
                statements[(_spec(node, found) or node).start_byte].append((node, found))
        maybe = Spans.of(node for node, _ in self.import_rows.of("maybe"))
        items = (self._statement(matches, guards, maybe) for matches in statements.values())
        split = (self._split(item) if self.language.scope.member_separator else item for item in items)
        return (*(item for items in listed.values() for item in items), *split)

    def _statement(self, matches: Sequence[tuple[Node, Captures]], guards: Spans, maybe: Spans) -> Import:
        """Return what a statement imports, from all its matches."""
        names: dict[Bound, None] = {}
        whole, has_star = "", False
        (node, match), *_ = matches
        module = _spec(node, match)
        spec = text(module).strip(QUOTES).replace("`", "")
        for one, found in matches:
            bounds = dict.fromkeys(_bounds(one, found))
            if bounds:
                names |= bounds
            elif "star" in found:
                has_star = True
            elif "nothing" not in found and "taken" not in found:
                whole = text(first(found, "here", None)) or whole or self.language.whole_name(spec)
        is_handed_on = self.language.reexports or any("hands_on" in found for _, found in matches)
        return Import(
            spec,
            first_line(module or node),
            names=tuple(names),
            whole=whole,
            star=has_star,
            hands_on=is_handed_on and not self._is_local(node),
            guarded=guards.hold(node),
            maybe=maybe.hold(node, inclusive=False),
            of_type="import.member" in match,
            inside=self._inside(node),
        )

    def _listed(self, node: Node) -> Iterator[Import]:
        """Yield what a `@listed` statement imports.

        Macro tokens are marked as guarded, because they may not be imports.
        """
        inside, is_token = self._inside(node), node.type == self.language.tokens
        is_local = bool(inside) or self._is_local(node)
        for item in self.language.listed(node):
            yield replace(item, hands_on=item.hands_on and not is_local, inside=inside, guarded=is_token)

    @cached_property
    def _modules(self) -> Spans:
        rows = self.import_rows.of("inside")
        return Spans([(node.start_byte, node.end_byte, text(first(found, "called"))) for node, found in rows])

    def _inside(self, node: Node) -> tuple[str, ...]:
        """Return the names of the modules around a node, outermost first."""
        modules = self._modules.around(node.start_byte, node.end_byte) if self.language.inline_modules else ()
        return tuple(reversed([name for *_, name in modules]))

    def paths(self) -> tuple[Import, ...]:
        """Return each path that code outside import statements uses, once.

        The path, with dots, is also the local name.
        """
        written = re.compile(rb"\w+(?:%b\w+)+" % self.language.scope.separator.encode())
        rows = matches(self.language, ("paths",), self.root)["paths"]
        silent = Spans.of(node for node, _ in rows.of("silent"))
        statements = [node for node, _ in self.import_rows.of("listed", "import")]
        nodes = [(node, True) for node, _ in rows.of("path")]
        nodes += [(node, False) for node in statements if node.type != self.language.tokens]
        found: dict[tuple[str, tuple[str, ...]], Import] = {}
        end = 0
        for node, is_code in sorted(nodes, key=lambda row: (row[0].start_byte, -row[0].end_byte)):
            if node.start_byte < end:  # inside the previous path
                continue
            end, code = node.end_byte, (node.text or b"") if is_code else b""
            inside = self._inside(node) if code else ()
            for match in written.finditer(code):
                at = node.start_byte + match.start()
                if not any(True for _ in silent.around(at, at)):
                    spec, line = (
                        match[0].decode("utf-8", "replace"),
                        first_line(node) + code.count(b"\n", 0, match.start()),
                    )
                    whole = spec.replace(self.language.scope.separator, ".")
                    found.setdefault((whole, inside), Import(spec, line, whole=whole, inside=inside))
        return tuple(found.values())

    def _split(self, item: Import) -> Import:
        """Split an import that names a member and its module into the module and a bound name."""
        spec, _, name = item.spec.rpartition(self.language.scope.member_separator)
        if item.star or item.names or not spec:
            return item
        return replace(item, spec=spec, whole="", names=(Bound(name, item.whole or name, item.line),))

    def function(self, node: Node) -> Node:
        """Return the innermost function around a node with its parameters, or the file."""
        inner: Node | None = node
        while inner is not None and inner.id not in self.bodies:
            if self.language.last_of(inner) is not inner or inner.id in self._heads:  # its body follows, or is in it
                return inner
            inner = self.language.around_of(inner)
        return (self.language.around_of(inner) if inner is not None else None) or self.root

    def guards(self, *queries: str) -> Spans:
        """Return the code that handles a failure inside it, as found by these queries."""
        rows = (found for query in queries for found in self.captures[query])
        return Spans.of(node for found in rows for node in found.get("guard", ()))


def _is_at(start: int, nodes: Sequence[Node]) -> bool:
    """Return whether a definition is the file's own module, which contains the file's definitions."""
    return any(one.start_byte == start for one in nodes)


def _spec(node: Node, found: Captures) -> Node | None:
    """Return the node of the imported module."""
    return first(found, "spec", None) or node.child_by_field_name("source")


def _bounds(node: Node, found: Captures) -> Iterator[Bound]:
    """Yield the names that a match imports from a module; none if it imports the whole module."""
    if "takes" in found or "takes_default" in found:
        taken = first(found, "takes", None)
        yield Bound(text(taken) or "default", "", (taken or node).start_point[0] + 1)
    elif "taken" in found:
        yield from _taken(found["taken"][0])
    elif "default" in found:
        name = first(found, "default")
        yield Bound("default", text(name).strip(QUOTES), first_line(name))
    elif "there" in found:
        there, here = first(found, "there"), text(first(found, "here", None)).strip(QUOTES)
        given = text(there).strip(QUOTES)
        yield Bound(given, here or given, there.start_point[0] + 1)


def _taken(pattern: Node) -> Iterator[Bound]:
    """Yield the names at the first level of a destructuring pattern such as `{ a, b: c }`."""
    for one in pattern.named_children:
        there, here = one.child_by_field_name("key") or one, one.child_by_field_name("value") or one
        if not there.named_child_count and not here.named_child_count and "comment" not in one.type:
            yield Bound(text(there).strip(QUOTES), text(here), there.start_point[0] + 1)


def _called(found: Captures) -> str:
    """Return the name of a definition; `default` for an unnamed default export."""
    return name_of(found["name"][0]) if "name" in found else "default"


def _marked(mark: Node, bearer: Node) -> str:
    """Return an annotation that may generate members, with the declaration that carries it."""
    return " ".join(f"{text(mark)} {re.split('[={]', head(bearer))[0]}".split())
