"""Read what a file imports, and the namespaces that it declares."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from tree_sitter import Node

from deeprepo.impact.halves import Captures
from deeprepo.impact.language import Language
from deeprepo.impact.parsing import DEEPEST
from deeprepo.impact.reading.matching import Rows, has, matches
from deeprepo.impact.reading.memo import memo
from deeprepo.impact.reading.nodes import Spans, first, first_line, text
from deeprepo.impact.reading.syntax import root
from deeprepo.impact.reading.unreadable import TOO_DEEP, TOO_LONG, Unreadable
from deeprepo.impact.structs import replace
from deeprepo.impact.values import Bound, Import

QUOTES = "\"'`<>"


def imports(language: Language, source: bytes) -> tuple[Import, ...]:
    """Return what a file's import statements import. Raises `Unreadable`."""
    if (found := _imports(language, source)) is None:
        raise Unreadable(TOO_LONG)
    return found


@memo
def _imports(language: Language, source: bytes) -> tuple[Import, ...] | None:
    code = language.import_lines(source)
    tree = root(language, code)
    if tree.has_error and code != source:  # it may be cut in the wrong place
        tree = root(language, source)
    return _of(language, tree).imports()


@lru_cache(maxsize=64)
def written_paths(language: Language, source: bytes) -> tuple[Import, ...]:
    """Return the paths that code uses outside import statements to name things in other files.

    Raises `Unreadable`.
    """
    if (found := _paths(language, source)) is None:
        raise Unreadable(TOO_LONG)
    return found


@memo
def _paths(language: Language, source: bytes) -> tuple[Import, ...] | None:
    return naming(language, source).paths()


def naming(language: Language, source: bytes) -> "Statements":
    """Return how a file names others, for the search: by the query `names`, or by `imports` without one.

    Raises `Unreadable`.
    """
    return _of(language, root(language, source))


def _of(language: Language, tree: Node) -> "Statements":
    query = _query(language)
    return Statements(language, tree, matches(language, (query,), tree)[query])


def may_name(language: Language, source: bytes, *captures: str) -> bool:
    """Return whether the query for names may have one of these captures in a file, before it is parsed."""
    texts = [text for word, text in language.texts(_query(language)).items() if has(source, word)]
    return any(f"@{capture}" in text for capture in captures for text in texts)


def _query(language: Language) -> str:
    return "names" if language.texts("names") else "imports"


class Statements:
    """The statements of one file that import, and those that declare a namespace."""

    def __init__(self, language: Language, root: Node, rows: Rows, hiding: Spans | None = None) -> None:
        """Take the results of the query. `hiding`: code whose imports are not handed on."""
        self.language, self.root, self.rows, self._hiding = language, root, rows, hiding or Spans(())

    def stars(self) -> int:
        """Return how many wildcard imports the file has, except those from itself."""
        own = {node.start_byte for node, _ in self.rows.of("stars.own")}
        return len({node.start_byte for node, _ in self.rows.of("stars")} - own)

    def spaces(self) -> tuple[str, ...]:
        """Return the file's namespaces, outermost first; one without a body covers the rest of the file.

        Raises `Unreadable` if they are nested too deeply.
        """
        rows = [
            (node, text(first(found, "called")), "body" in found or node.child_by_field_name("body") is not None)
            for node, found in self.rows.of("inside")
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

    def imports(self, guarding: Iterable[Captures] = ()) -> tuple[Import, ...]:
        """Return what the file imports. `guarding`: results of queries for code that handles a failed import."""
        guards = Spans.of(node for found in guarding for node in found.get("guard", ()))
        listed = {node.start_byte: [*self._listed(node)] for node, _ in self.rows.of("listed")}
        statements: dict[int, list[tuple[Node, Captures]]] = defaultdict(list)
        for found in self.rows:
            node = first(found, "import", None) or first(found, "import.member", None)
            if node is not None and node.start_byte not in listed:
                statements[(_spec(node, found) or node).start_byte].append((node, found))
        maybe = Spans.of(node for node, _ in self.rows.of("maybe"))
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
            hands_on=is_handed_on and not self._hiding.hold(node),
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
        is_local = bool(inside) or self._hiding.hold(node)
        for item in self.language.listed(node):
            yield replace(item, hands_on=item.hands_on and not is_local, inside=inside, guarded=is_token)

    @cached_property
    def _modules(self) -> Spans:
        rows = self.rows.of("inside")
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
        statements = [node for node, _ in self.rows.of("listed", "import")]
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
