"""Who may require a file of Lua."""

import posixpath
import re

from impact.importers import KnownModules
from impact.languages.lua import Modules
from impact.values import Clues


class LuaModules(KnownModules[Modules]):
    """The modules of one tree. Satisfies `ports.Project`."""

    RESOLVER = Modules

    def clues(self, path: str) -> Clues:
        """A module is required by its stem in quotes, or by its folder's if it is that folder's `init`."""
        folder, name = posixpath.split(path)
        stem = posixpath.basename(folder) if name == "init.lua" else name.removesuffix(".lua")
        words = frozenset({stem, *({"init"} if name == "init.lua" else ())} - {""})
        return Clues(words, tuple(rf"['\"./]{re.escape(word)}['\"]" for word in sorted(words)))


project = LuaModules
