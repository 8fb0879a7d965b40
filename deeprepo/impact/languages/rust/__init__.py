"""Resolve Rust paths to files by the layout of crates. Code that macros generate is unknown."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import ClassVar

from tree_sitter import Node

from deeprepo.impact.language import Language
from deeprepo.impact.languages.rust import manifest
from deeprepo.impact.languages.rust.crates import Crates, Place, Segments
from deeprepo.impact.languages.rust.texts import readable
from deeprepo.impact.packages import Packaging
from deeprepo.impact.paths import Paths, joined
from deeprepo.impact.reading import syntax
from deeprepo.impact.reading.marks import UNKNOWN
from deeprepo.impact.reading.nodes import first_line, text
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.structs import replace
from deeprepo.impact.values import Bound, Clues, Import, Link

DEEPEST = 40  # names in a path
STATEMENT = re.compile(rb"\b(?:use|mod)\s")


class Modules(Resolver):
    """The modules of one tree. A path may end in a name of a file."""

    imports_unnamed = True

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        self.paths = paths
        self.crates = Crates(paths, {path: source for path, source in configs.items() if path.endswith("Cargo.toml")})

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return the file of a module, or the possible roots of the crate.

        Return None if a path ends in an inline module or a type.
        """
        files, rest = self.reach(importer, item)
        is_root = bool(files) and not self.crates.place(files[0]).parts
        is_macro = is_root and name.islower()  # any file may export a macro there
        return files if files and not rest and not is_macro else None

    def inner(self, importer: str, item: Import, name: str) -> tuple[str, ...] | None:
        """Return the file of a submodule."""
        return self.files(importer, replace(item, spec=f"{item.spec}::{name}")) or ()

    def clues(self, path: str) -> Clues:
        """Return the name of a module, which every path to it contains.

        The exceptions are `super` in its children, and `crate` for a root.
        """
        place = self.crates.place(path)
        names = frozenset(place.parts[-1:]) or self.crates.names(path)
        below = posixpath.join(place.folder, *place.parts)
        is_above = self.paths.is_folder(below)
        near = (r"\bsuper\b" if place.parts else r"\b(super|crate)\b",) if is_above else ()
        words = names | ({"crate"} if not place.parts and is_above else frozenset())
        any_name = "|".join(re.escape(name) for name in sorted(names))
        far = rf"((^|::|[{{,])\s*|\buse\s+|\bmod\s+|\bcrate\s+)({any_name})\s*(::|[,;}}\"]|\s+as\s|$)|\b({any_name})::"
        return Clues(words, (far,) if names else (), near, below)

    def reach(self, importer: str, item: Import) -> tuple[tuple[str, ...], Segments]:
        """Return the file of the last module on a path, and the remaining names.

        There is no file if the path leaves the tree.
        """
        if item.spec.endswith(".rs"):  # an attribute says where the module is
            file = joined(posixpath.dirname(importer), "/".join((*item.inside, item.spec)))
            return ((file,) if file in self.paths.files else ()), ()
        own = self.crates.place(importer)
        place, parts = self._from_root(importer, own, item)
        for count in range(len(parts), -1, -1):
            is_own = place == own and parts[:count] == own.parts
            if files := (importer,) if is_own else self.crates.files(place, parts[:count]):
                return files, parts[count:]
        return (), parts

    def _from_root(self, importer: str, own: Place, item: Import) -> tuple[Place, Segments]:
        """Return the crate that a path leads into, and the path from its root."""
        parts, here = tuple(item.spec.split("::")), (*own.parts, *item.inside)
        if parts[0] == "crate":
            return own, parts[1:]
        if parts[0] in ("self", "super"):
            rest = tuple(part for part in parts if part not in ("self", "super"))
            return own, (*here[: max(0, len(here) - parts.count("super"))], *rest)
        if parts[0] and self.crates.files(own, (*here, parts[0])):
            return own, (*here, *parts)
        parts = parts[1:] if not parts[0] else parts
        # `use ::name` is a path from no crate
        if root := self.crates.visible(importer).get(parts[0] if parts else ""):
            return self.crates.place(root), parts[1:]
        is_statement = "." not in item.whole
        if is_statement and self.crates.is_of_2015(importer) and self.crates.files(own, parts[:1]):
            return own, parts
        return Place("", (), ()), ()

    def links(self, importer: str, item: Import, source: bytes) -> Iterator[Link]:
        """Yield what a path takes from its file: everything, or the next name of the path."""
        named = item.names[0] if item.names else None
        files, rest = self.reach(importer, replace(item, spec=f"{item.spec}::{named.there}") if named else item)
        here = named.here or "_" if named is not None else item.whole
        if rest and item.whole:  # a path in code: the name is called as written
            here = item.whole.removesuffix("".join(f".{one}" for one in rest[1:]))
        elif rest:
            here = named.here if named is not None and len(rest) == 1 else ""
        there = rest[0] if rest else "*"
        aliases = () if here == there or not (rest or here) else ((there, here),)
        for file in files[:1]:
            yield Link(file, frozenset({there}), item.line, aliases, item.public or (item.star and item.hands_on))


def _statements(root: Node) -> Iterator[Node]:
    """Yield the `use` statements and `mod x;` declarations inside a node, in order."""
    left = [root]
    while left:
        node = left.pop()
        is_module = node.type == "mod_item" and node.child_by_field_name("body") is None
        if is_module or node.type == "use_declaration":
            yield node
        else:
            left += reversed(node.named_children)


def _leaves(tree: Node, prefix: Segments, *, is_public: bool, above: int) -> Iterator[Import]:
    """Yield the imports of a `use` tree: `a::{b as c, d::*}` imports b from a as c, and everything from a::d.

    `above`: the lines before the text that was parsed.
    """
    path = tree.child_by_field_name("path")
    if tree.type in ("use_list", "scoped_use_list"):
        inner = tree.child_by_field_name("list") or tree
        prefix = (*prefix, *_names(path)) if inner is not tree else prefix
        for one in inner.named_children:
            yield from _leaves(one, prefix, is_public=is_public, above=above)
    elif "comment" not in tree.type:
        has_alias, is_star = tree.type == "use_as_clause", tree.type == "use_wildcard"
        named = path if has_alias else next(iter(tree.named_children), None) if is_star else tree
        parts = (*prefix, *_names(named))[:DEEPEST]
        given = text(tree.child_by_field_name("alias")).removeprefix("r#") if has_alias else ""
        line = (tree if is_star else named or tree).end_point[0] + 1 + above
        yield _leaf((*parts, "*") if is_star else parts, (given,) if given else (), line, is_public=is_public)


def _names(path: Node | None) -> Segments:
    """Return the names of a path; the first one is "" if it begins with a crate."""
    return tuple(part.strip().removeprefix("r#") for part in text(path).split("::")) if path is not None else ()


def _leaf(parts: Segments, given: Segments, line: int, *, is_public: bool) -> Import:
    if parts[-1] == "*":
        return Import("::".join(parts[:-1]), line, star=True, hands_on=True, public=is_public, private=not is_public)
    parts = parts[:-1] if len(parts) > 1 and parts[-1] == "self" else parts
    here = given[0] if given else parts[-1]
    if len(parts) == 1:
        return Import(parts[0], line, whole=here, hands_on=True, public=is_public, private=not is_public)
    names = (Bound(parts[-1], "" if here == "_" else here, line),)
    return Import("::".join(parts[:-1]), line, names, hands_on=True, public=is_public, private=not is_public)


class Rust(Language, frozen=True):
    """Rust."""

    modules = Modules
    packaging: ClassVar[Packaging | None] = manifest
    raising_words = r"(?:panic|unreachable|todo|unimplemented)(?=!)"
    granting_words = r"\bconst(?=\s(?:unsafe\s)?fn\b)\s"
    sees_own_members = False
    tokens = "token_tree"
    inline_modules = True

    def code(self, source: bytes) -> bytes:
        """Return what the grammar can read."""
        return readable(source)

    def listed(self, statement: Node) -> Iterator[Import]:
        """Yield the imports of `use` statements and `mod x;` declarations in code, or in the tokens of a macro."""
        root, above = statement, 0
        if statement.type == self.tokens:
            inner = (statement.text or b"")[1:-1]
            parsed = syntax.parse(self, inner) if STATEMENT.search(inner) else None
            if parsed is None:
                return
            root, above = parsed, statement.start_point[0]
        for node in _statements(root):
            tree, line = node.child_by_field_name("argument"), first_line(node) + above
            if node.type == "mod_item":
                name = text(node.child_by_field_name("name"))
                yield Import(name, line, whole=name)
            elif tree is not None and "$" not in text(tree):
                is_public = any(one.type == "visibility_modifier" for one in node.children)
                yield from _leaves(tree, (), is_public=is_public, above=above)

    def written(self, receiver: str, types: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """Return a path with dots, without type arguments, and with its class for `Self`."""
        if receiver == "Self" and types and types != UNKNOWN:
            receiver = types[0]
        before, _, rest = receiver.partition("<")
        if "::" in receiver and ">" in rest:
            receiver = before.removesuffix("::") + rest.rpartition(">")[2]
        return receiver.replace("::", "."), tuple(row.replace("::", ".") for row in types)
