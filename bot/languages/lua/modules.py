"""Which file a Lua module is in: `require "shop.cart"` is shop/cart.lua or shop/cart/init.lua below a folder of the load path."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from pathlib import PurePosixPath

from bot.languages.lexical import MOST_IMPORTS, line_until, mention
from bot.values import Clues, Import
from impact.parsing import Lines

ENDINGS = (".lua", "/init.lua")
# `local cart = require("shop.cart")`, and `.total` behind it.
REQUIRE = re.compile(
    rb"(?:\blocal[ \t]++(?P<here>\w++)[ \t]*+(?:<\w{1,9}>[ \t]*+)?=[ \t]*+)?(?<![\w.:])require[ \t]*+\(?[ \t]*+"
    rb"(?P<mark>['\"])(?P<name>[\w./-]++)(?P=mark)[ \t]*+\)?(?:[ \t]*+\.[ \t]*+(?P<part>\w++)(?P<more>[ \t]*+[.(:\[])?)?"
)
FORESEEN = re.compile(rb"\bpcall[ \t]*\([ \t]*require\b")


class LuaModules:
    """The modules of one tree. Satisfies `ports.Project`."""

    def __init__(self, paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        del configs  # `package.path` is a program's; the folders tell what a name means
        self._paths = frozenset(path for path in paths if path.endswith(".lua"))
        self._by_name: dict[str, list[str]] | None = None
        self._files: dict[tuple[str, str], str | None] = {}

    def clues(self, path: str) -> Clues:
        """A module is required by its stem in quotes, or by its folder's if it is that folder's `init`."""
        folder, name = posixpath.split(path)
        stem = posixpath.basename(folder) if name == "init.lua" else name.removesuffix(".lua")
        words = frozenset({stem, *({"init"} if name == "init.lua" else ())} - {""})
        return Clues(words, tuple(rf"['\"./]{re.escape(word)}['\"]" for word in sorted(words)))

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Import, ...]:
        """The modules that a file requires."""
        mentions, imports, lines = mention(words), list[Import](), Lines(source)
        for match in islice(REQUIRE.finditer(source), MOST_IMPORTS):
            if b"--" in line_until(source, match.start("name")) or not mentions.search(match["name"]):
                continue
            imports += self._import(match, path, lines.at(match.start("name")))
        return tuple(item for item in dict.fromkeys(imports) if item.target != path)

    def _import(self, match: re.Match[bytes], path: str, line: int) -> Iterator[Import]:
        target = self.file_of(match["name"].decode("utf-8", "replace"), path)
        if target is None:
            return
        here = (match["here"] or b"").decode()
        part = (match["part"] or b"").decode()
        if part:
            bound = here if here and not match["more"] else ""
            yield Import(target, frozenset({part}), line, ((part, bound),) if bound != part else ())
        elif here:
            yield Import(target, frozenset({"*"}), line, (("*", here),))
        else:
            yield Import(target, frozenset(), line)

    def file_of(self, name: str, here: str) -> str | None:
        """The file of a module: the nearest to who requires it, if several folders have one."""
        key = name, posixpath.dirname(here)
        if key not in self._files:
            self._files[key] = self._search(name.replace("/", ".").strip("."), here)
        return self._files[key]

    def _search(self, name: str, here: str) -> str | None:
        if self._by_name is None:
            self._by_name = defaultdict(list)
            for path in self._paths:
                self._by_name[_stem(path)].append(path)
        parts = name.split(".")
        inner = "/".join(parts)
        files = [
            path
            for path in self._by_name.get(parts[-1], ())
            if any(f"/{path}".endswith(f"/{inner}{end}") for end in ENDINGS)
        ]
        return min(files, key=lambda path: (-_common(path, here), path.count("/"), path), default=None)


def _stem(path: str) -> str:
    folder, name = posixpath.split(path)
    return posixpath.basename(folder) if name == "init.lua" and folder else name.removesuffix(".lua")


def _common(path: str, other: str) -> int:
    """How many folders from the root two files have in common."""
    return len(PurePosixPath(posixpath.commonpath([f"/{posixpath.dirname(one)}" for one in (path, other)])).parts)
