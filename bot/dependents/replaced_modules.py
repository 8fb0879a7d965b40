"""A module that is gone and whose place a package takes: one of the same name, or one that the same change begins to ask for."""

import re
from collections.abc import Sequence

from bot.dependents.confirm import Reach
from bot.text.filetypes import module_path
from bot.values import Import

APART = re.compile(r"[^a-z0-9]+")
LEAST = 4  # letters of a module's name with which the name of a package may end
# A statement that means a file of the tree, whatever packages there are.
RELATIVE = re.compile(
    r"['\"][./]|\brequire_relative\b|\bfrom\s++\.|\b(?:crate|self|super)::|^\s*+(?:pub(?:\([^()]*\))?\s++)?mod\b|__DIR__"
)
# Where a statement begins to name what it imports: behind its keyword, or in quotes.
NAMED = (
    r"^\s*+(?:pub(?:\([^()]*\))?\s++)?(?:from|import|use|extern\s++crate|require)\b[\s(]*+(?:::)?(['\"]?)NAME(?![\w-])"
)
QUOTED = r"['\"]NAME(?:/[^'\"]*)?['\"]"


class PackagesInPlace:
    """The packages that the manifests of the two trees ask for; read when the first module is asked about."""

    def __init__(self, head: Reach, base: Reach) -> None:
        self._head, self._base = head, base
        self._asked: tuple[frozenset[str], frozenset[str]] | None = None

    async def doubt(self, item: Import, line: str) -> str:
        """Name the package that an import of a removed file may mean now; "" if there is none."""
        if RELATIVE.search(line):
            return ""
        if self._asked is None:
            from bot.dependents.consumers.packages import asked_packages  # here: few changes remove a module

            packages_now = await asked_packages(self._head.tree, self._head.language)
            before = (
                await asked_packages(self._base.tree, self._base.language, "base") if packages_now else packages_now
            )
            self._asked = packages_now, packages_now - before
        packages, new_packages = self._asked
        parts = _parts(item.target)
        names = [name for name in sorted(new_packages) if any(_holds(name, part) for part in parts)]
        if parts and _begins_with(line, parts[-1]):
            names += [name for name in sorted(packages) if _squashed(name) == _squashed(parts[-1])]
        return f"the package `{names[0]}`" if names else ""


def _parts(path: str) -> Sequence[str]:
    """The folders of a module and its own name."""
    return [part for part in module_path(path).split("/") if part]


def _squashed(name: str) -> str:
    return APART.sub("", name.lower())


def _begins_with(line: str, name: str) -> bool:
    """Whether what a statement imports begins with a name; below another name it is a part of the tree."""
    word = re.sub(r"[-_]", "[-_]", re.escape(name).replace(r"\-", "-"))
    return any(re.search(pattern.replace("NAME", word), line) for pattern in (NAMED, QUOTED))


def _holds(package: str, part: str) -> bool:
    """Whether a package is called like a module, whatever is written before that: an owner, a group, the language."""
    name, word = package.lower(), _squashed(part)
    names = [_squashed(name), *(_squashed(piece) for piece in re.split(r"[/:]", name))]
    return bool(word) and (word in names or (len(word) >= LEAST and names[0].endswith(word)))
