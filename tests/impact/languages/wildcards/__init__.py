"""A language with classes, functions outside of them and extensions, in which each import takes a whole file.

It has Kotlin's grammar. `interface Cart` adds members to a class `Cart` of another file.
"""

import posixpath
import re
from collections.abc import Collection, Mapping

from deeprepo.impact.language import Language
from deeprepo.impact.paths import Paths
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.values import Clues, Import


class Modules(Resolver):
    """The files of one tree: `import shop.cart.*` takes all names of shop/cart.wild; `lib` is a library.

    `import again.shop.cart.*` also re-exports them.
    """

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        self._paths = paths

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return the file of an import."""
        path = item.spec.removeprefix("again.").replace(".", "/") + ".wild"
        return None if item.spec.startswith("lib.") else (path,) if path in self._paths.files else ()

    def clues(self, path: str) -> Clues:
        """Return the words by which imports of a file are found."""
        name = posixpath.basename(path).removesuffix(".wild")
        return Clues(frozenset({name}), (re.escape(name),))


class Wildcards(Language, frozen=True):
    """A language in which each import takes a whole file."""

    modules = Modules
    complete_scope = True
    lexical_scope = True
    declared_members = True

    def library_names(self, spec: str) -> Collection[str]:
        """Return the names of the only library that is known."""
        return ("given",) if spec == "lib.known" else ()

    def is_private(self, name: str) -> bool:
        """Return whether a name begins with an underscore."""
        return name.startswith("_")
