"""Resolve Lua modules: `require "shop.cart"` is shop/cart.lua or shop/cart/init.lua below a folder of the load path."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Mapping

from tree_sitter import Node

from deeprepo.impact.language import Language
from deeprepo.impact.paths import Paths, shared_folders
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.values import Clues, Import

ENDINGS = (".lua", "/init.lua")
ROOTS = {"", "lua", "src", "lib", "spec", "test", "tests"}  # folders that `package.path` usually names


class Modules(Resolver):
    """The modules of one tree. The load path of a program is unknown, so files are only guessed from folders."""

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        # each program sets `package.path`
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._found: dict[tuple[str, str], tuple[str, ...]] = {}
        for path in paths.files:
            if path.endswith(".lua"):
                self._by_name[_stem(path)].append(path)

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return the file of a module; of several, the nearest to the importer."""
        key = posixpath.dirname(importer), item.spec
        if key not in self._found:
            self._found[key] = self._nearest(importer, item.spec.replace("/", ".").strip("."))
        return self._found[key]

    def clues(self, path: str) -> Clues:
        """Return the quoted stem that requires a module; for an `init` file, that of its folder."""
        folder, name = posixpath.split(path)
        stem = posixpath.basename(folder) if name == "init.lua" else name.removesuffix(".lua")
        words = frozenset({stem, *({"init"} if name == "init.lua" else ())} - {""})
        return Clues(words, tuple(rf"['\"./]{re.escape(word)}['\"]" for word in sorted(words)))

    def _nearest(self, importer: str, name: str) -> tuple[str, ...]:
        inner = name.replace(".", "/")
        named = self._by_name.get(name.rpartition(".")[2], ())
        files = [path for path in named if any(f"/{path}".endswith(f"/{inner}{end}") for end in ENDINGS)]
        if "/" not in inner:  # `socket` may be a library, unlike `shop.net.socket`
            files = [path for path in files if _is_near_root(path, importer)]
        return tuple(sorted(files, key=lambda path: (-shared_folders(path, importer), path.count("/"), path))[:1])


def _is_near_root(path: str, importer: str) -> bool:
    """Return whether a module is directly in a folder that `package.path` may name, or above its importer."""
    folder, name = posixpath.split(path)
    root = posixpath.dirname(folder) if name == "init.lua" else folder
    return posixpath.basename(root) in ROOTS or f"{importer}/".startswith(f"{root}/")


def _stem(path: str) -> str:
    folder, name = posixpath.split(path)
    return posixpath.basename(folder) if name == "init.lua" and folder else name.removesuffix(".lua")


class Lua(Language, frozen=True):
    """Lua."""

    modules = Modules
    loose_methods = r"\A[^(:]*+:|\(\s*+self\b"  # `function Cart:total()`, `function Cart.total(self)`
    tables_for_classes = True
    sees_own_members = False

    def passes_several(self, arguments: Node, last: Node) -> bool:
        """Return whether a call is the last argument."""
        return last == arguments.named_children[-1]
