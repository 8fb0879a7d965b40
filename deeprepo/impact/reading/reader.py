"""Combine the captures of a language's queries into facts about a file."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import cast

from tree_sitter import Node

from deeprepo.impact.halves import Captures
from deeprepo.impact.language import Language
from deeprepo.impact.reading.arguments import parameters
from deeprepo.impact.reading.matching import DEFINED, matches
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
from deeprepo.impact.reading.statements import Statements
from deeprepo.impact.reading.syntax import parse
from deeprepo.impact.structs import replace
from deeprepo.impact.values import (
    Definition,
    DefinitionKind,
    Facts,
    Parameter,
    QueryFacts,
    Signature,
    Unwritten,
    Visibility,
)

KEPT = 400  # files whose facts are cached, because both search directions ask for those of a changed file
LONGEST_REASON = 200  # characters of the code that makes a file dynamic
# Who can name a definition, from the narrowest to the widest.
WIDTHS = ("self", "below", "file", "folder", "package", "unit", "anywhere")
GLOBAL = ("global", "attribute")  # kinds that stay visible even when defined inside a function


@lru_cache(maxsize=KEPT)
@memo
def facts(language: Language, source: bytes) -> Facts | None:
    """Return what a file defines, imports and exports; None if it cannot be read."""
    root = parse(language, source)
    return Reader(language, root).facts() if root is not None else None


class Reader:
    """The facts of one file, from the results of its language's queries."""

    def __init__(self, language: Language, root: Node) -> None:
        self.language, self.root = language, root
        self._captures = matches(language, DEFINED, root)
        self._rows = self._captures["defs"]
        self._start_bytes: dict[str, frozenset[int]] = {}  # by capture

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
        rows, is_page = self._captures["open"], self.language.is_page
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
        statements = Statements(self.language, self.root, self._captures["imports"], self._hiding)
        guards = (found for query in ("imports", "guards") for found in self._captures[query])
        exported = next((self._held(node) for node, _ in reversed([*rows.of("held")])), "")
        return Facts(
            definitions=self._definitions(),
            imports=statements.imports(guards),
            spaces=statements.spaces(),
            unwritten=unwritten,
            stars=statements.stars(),
            open=opened or (exported and f"the value of {exported}"),
            module_value=exported,
            open_beside=bool(opened),
            types=frozenset(text(node) for node, _ in self._captures["imports"].of("type")),
            open_owners=answering | self._opaque_classes(),
            answering=answering,
            module=next((text(node) for node, _ in self._rows.of("module")), ""),
        )

    def _opaque_classes(self) -> frozenset[str]:
        hidden = self._starts("opaque")
        rows = [(first(found, f"def.{kind}"), found) for kind, found in self._defs if kind in ("class", "type")]
        return frozenset(
            f"{self.owner(node)}.{_called(found)}".lstrip(".") for node, found in rows if node.start_byte in hidden
        )

    def _held(self, node: Node) -> str:
        """Return the name of the value that a file exports as the module itself, or `default`."""
        name = node if node.type in self.language.nodes.identifiers else node.child_by_field_name("name")
        return text(name) or "default"

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
                end=last_line(around),
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
            more="more" in found, shown=cast("DefinitionKind", shown), means=self._value_name(found), common=is_common
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
        withheld = {node.id for node, _ in self._rows.of("withheld")}
        return Spans.of(node for node, _ in self._rows.of("exported") if node.id not in withheld)

    @cached_property
    def _extended(self) -> Mapping[int, str]:
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
        named = [(node, text(first(found, "called", None))) for node, found in self._rows.of("space")]
        return Spans([(node.start_byte, node.end_byte, name.rpartition("::")[2]) for node, name in named])

    @cached_property
    def _bases(self) -> Mapping[int, tuple[str, ...]]:
        bases: dict[int, tuple[str, ...]] = defaultdict(tuple)
        for node, found in self._rows.of("class.of"):
            bases[node.start_byte] += tuple(
                text(base).partition("<")[0].partition("[")[0] for base in found.get("base", ())
            )
            bases[node.start_byte] += tuple(_marked(base, found["bearer"][0]) for base in found.get("base.mark", ()))
        return bases

    def _starts(self, capture: str) -> frozenset[int]:
        if capture not in self._start_bytes:
            self._start_bytes[capture] = frozenset(node.start_byte for node, _ in self._rows.of(capture))
        return self._start_bytes[capture]

    def _members(self) -> Iterator[Definition]:
        for found in self._captures["objects"]:
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
            at < len(self._wholesale) and self._wholesale[at] < whole.end_byte
        )


def _is_at(start: int, nodes: Sequence[Node]) -> bool:
    """Return whether a definition is the file's own module, which contains the file's definitions."""
    return any(one.start_byte == start for one in nodes)


def _called(found: Captures) -> str:
    return name_of(found["name"][0]) if "name" in found else "default"


def _marked(mark: Node, bearer: Node) -> str:
    """Return an annotation that may generate members, with the declaration that carries it."""
    return " ".join(f"{text(mark)} {head(bearer).partition('=')[0].partition('{')[0]}".split())


def _is_directive(node: Node) -> bool:
    """Return whether a name was read from a directive: `class A` and then `#if X` make X the class's name."""
    before = node.prev_sibling
    return before is not None and before.is_error and b"#" in (before.text or b"")
