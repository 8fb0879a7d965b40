"""Find the imports of Rust files, and where their paths lead."""

import re
from collections.abc import Collection, Iterator, Mapping

from deeprepo.impact.language import language_of
from deeprepo.impact.languages.rust import Modules
from deeprepo.impact.reading.reader import written_paths
from deeprepo.impact.reading.unreadable import finds
from deeprepo.impact.resolving.importers import KnownModules, statements
from deeprepo.impact.resolving.offers import uses as read_uses
from deeprepo.impact.structs import replace
from deeprepo.impact.values import Import, Link, Use


class RustModules(KnownModules[Modules]):
    """The modules of one tree. Satisfies `ports.Project`."""

    def __init__(self, paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        super().__init__(Modules, paths, configs)
        # file -> hash of its source, and its imports
        self._known: dict[str, tuple[int, tuple[Link, ...]]] = {}

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Link, ...]:
        """Return the imports of a file that resolve to the tree, including qualified names, once each.

        The result is cached.
        """
        # a statement may refer to a file that it does not name
        key = hash(source)
        if path not in self._known or self._known[path][0] != key:
            self._known[path] = key, tuple(self._read(path, source))
        return self._known[path][1]

    def _read(self, path: str, source: bytes) -> Iterator[Link]:
        language = language_of(path)
        found: dict[tuple[str, frozenset[str], tuple[tuple[str, str], ...]], Link] = {}
        for item in (*statements(language, source), *written_paths(language, source)) if language is not None else ():
            for one in self._of_statement(path, item):
                found.setdefault((one.target, one.names, one.aliases), one)
        yield from sorted((one for one in found.values() if one.target != path), key=lambda one: one.line)

    def _of_statement(self, path: str, item: Import) -> Iterator[Link]:
        """Yield what a path takes from its file: everything, or the next name of the path."""
        named = item.names[0] if item.names else None
        whole = replace(item, spec=f"{item.spec}::{named.there}") if named is not None else item
        files, rest = self.modules.reach(path, whole)
        here = named.here or "_" if named is not None else item.whole
        if rest and item.whole:  # a path in code: the name is called as written
            here = item.whole.removesuffix("".join(f".{one}" for one in rest[1:]))
        elif rest:
            here = named.here if named is not None and len(rest) == 1 else ""
        there = rest[0] if rest else "*"
        for file in files[:1]:
            is_plain = here == there or not (rest or here)
            aliases = () if is_plain else ((there, here),)
            yield Link(file, frozenset({there}), item.line, aliases, item.public or (item.star and item.hands_on))


project = RustModules


CODECS = frozenset({"serialize", "deserialize"})
WITH = re.compile(rb"(?<=[(,\s])with\s{0,4}=\s{1,4}\"([A-Za-z_]\w*+(?:::\w++)*+)\"[,)\s]")


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """Return the identifiers of a file that match one of the names; the path before a name is written with dots."""
    found = read_uses(path, source, names)
    codecs = CODECS.intersection(names) if b"with" in source else frozenset[str]()
    return type(found)((*found, *_pair_uses(source, codecs)))


def _pair_uses(code: bytes, names: Collection[str]) -> Iterator[Use]:
    """Yield references to the two functions of a module in `#[serde(with = "order_date")]`.

    No other line names them.
    """
    for match in WITH.finditer(code) if names else ():
        line = code.count(b"\n", 0, match.start(1)) + 1
        for name in sorted(names):
            yield Use(name, line, "member", match[1].decode().replace("::", "."), is_guarded=True)
