"""Lua's modules: `require "shop.cart"` is shop/cart.lua or shop/cart/init.lua below a folder of the load path."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Mapping

from deeprepo.impact.language import Standalone
from deeprepo.impact.paths import Paths, shared_folders
from deeprepo.impact.values import Clues, Import

ENDINGS = (".lua", "/init.lua")


class Modules(Standalone):
    """The modules of one tree. What the load path of a program is, nobody knows: only a guess goes by the folders."""

    guesses = False

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        del configs  # `package.path` is a program's
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._found: dict[tuple[str, str], tuple[str, ...]] = {}
        for path in paths.files:
            if path.endswith(".lua"):
                self._by_name[_stem(path)].append(path)

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return the file of a module: the nearest to who requires it, if several folders have one."""
        del name
        key = posixpath.dirname(importer), item.spec
        if key not in self._found:
            self._found[key] = self._nearest(importer, item.spec.replace("/", ".").strip("."))
        return self._found[key] if self.guesses else None

    def clues(self, path: str) -> Clues:
        """Return the stem by which a module is required in quotes, or its folder's if it is that folder's `init`."""
        folder, name = posixpath.split(path)
        stem = posixpath.basename(folder) if name == "init.lua" else name.removesuffix(".lua")
        words = frozenset({stem, *({"init"} if name == "init.lua" else ())} - {""})
        return Clues(words, tuple(rf"['\"./]{re.escape(word)}['\"]" for word in sorted(words)))

    def _nearest(self, importer: str, name: str) -> tuple[str, ...]:
        inner = name.replace(".", "/")
        named = self._by_name.get(name.rpartition(".")[2], ())
        files = [path for path in named if any(f"/{path}".endswith(f"/{inner}{end}") for end in ENDINGS)]
        return tuple(sorted(files, key=lambda path: (-shared_folders(path, importer), path.count("/"), path))[:1])


def _stem(path: str) -> str:
    folder, name = posixpath.split(path)
    return posixpath.basename(folder) if name == "init.lua" and folder else name.removesuffix(".lua")
