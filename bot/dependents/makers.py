"""What a change adds that may give a name again to what it takes it from: when the program runs, or when it is built.

`Object.assign(Cart.prototype, more)`, `setattr(Cart, name, function)`, `DEFINE_GETTER(total)` and a mark that a generator reads write the
names nowhere that they give. Beside a new one of these, nothing that went is proven to be gone.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from bot.dependents.budget import SearchLimits
from bot.dependents.sites import UseTarget
from bot.dependents.targets import former_names
from bot.languages.code import STATEMENT, code_parts
from bot.ports import Language, NamedImports, Tree
from bot.text.paths import is_test

# What a pattern has for the class that lost a member, and for a part of the name that went.
CLASS, PART = "CLASS", "PART"
MODULES = frozenset({"*", "default"})  # what an import binds that has functions and keeps nothing
WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
SHORTEST = 3  # letters of a part that tells something


@dataclass(slots=True)
class Makers:
    """The question about one language's files of a change."""

    tree: Tree
    language: Language
    budget: SearchLimits
    fresh: Mapping[str, Collection[int]]  # file of the change -> the lines that it adds
    _sources: dict[str, bytes] | None = None
    _modules: dict[str, frozenset[str]] = field(default_factory=dict)  # file -> the names of modules that it imports
    _answers: dict[tuple[frozenset[str], str, frozenset[str]], bool] = field(default_factory=dict)

    async def may_make(self, target: UseTarget) -> bool:
        """Whether the change adds what may make the name that this one lost."""
        key = (former_names(target), target.owner, target.homes)
        if key not in self._answers:
            traits = self.language.TRAITS
            is_read = traits.unwritten_names and not target.owner  # its outline knows what may give a module any name
            self._answers[key] = bool(traits.makers) and not is_read and await self._is_made(target)
        return self._answers[key]

    async def _is_made(self, target: UseTarget) -> bool:
        if self._sources is None:
            paths = sorted(
                path for path, lines in self.fresh.items() if lines and path.endswith(self.language.SUFFIXES)
            )
            sources = await self.tree.read_many(paths[: self.budget.parsed_files])
            self._sources = {path: source for path, source in sources.items() if len(source) <= self.budget.bytes}
        parts = {part for name in former_names(target) for part in _parts(name)}
        is_of_tests = any(map(is_test, target.homes))  # a test gives no class of the product a member
        for path, source in self._sources.items():
            if is_test(path) <= is_of_tests and self._holds(path, source, target, parts):
                return True
        return False

    def _holds(self, path: str, source: bytes, target: UseTarget, parts: Collection[str]) -> bool:
        """Whether the lines that the change adds to a file hold what may make a name."""
        for pattern, part in self.language.TRAITS.makers.items():
            words = {target.owner} - {""} if CLASS in pattern else parts if PART in pattern else {""}
            near = [word for word in words if (word or path in target.homes) and word.encode() in source]
            if not near:
                continue
            code = code_parts(path, source).get(part)
            if code is None or any(self._adds(path, code, _pattern(pattern, word)) for word in near):
                return True
        return False

    def _adds(self, path: str, code: str, pattern: re.Pattern[str]) -> bool:
        """Whether a line that the change adds to a file holds what a pattern describes."""
        first, at = 1, 0
        for match in pattern.finditer(code):
            first, at = first + code.count("\n", at, match.start()), match.start()
            lines = range(first, first + match[0].rstrip().count("\n") + 1)
            if any(line in self.fresh[path] for line in lines) and self._may_give(path, match):
                return True
        return False

    def _may_give(self, path: str, match: re.Match[str]) -> bool:
        """Whether what a class is handed to may be a function that gives it something: the language's own do not, methods keep it."""
        callee = match.groupdict().get("callee")
        if callee is None:
            return True
        first, _, rest = callee.replace(":", ".").partition(".")
        if first in self.language.AMBIENT or not rest or not isinstance(self.language, NamedImports):
            return first not in self.language.AMBIENT
        if path not in self._modules and self._sources is not None:
            bindings = self.language.import_bindings(self._sources[path])
            self._modules[path] = frozenset(
                here for here, offers in bindings.items() if MODULES & {name for _, name in offers}
            )
        return first in self._modules.get(path, ())


def _parts(name: str) -> set[str]:
    """The beginnings and the ends of a name of several words: `total` and `get` of `get_total`."""
    places = [match.span() for match in WORDS.finditer(name)]
    parts = {name[: places[at][1]] for at in range(len(places) - 1)} | {
        name[places[at][0] :] for at in range(1, len(places))
    }
    return {one for part in parts for one in (part, part[:1].lower() + part[1:]) if len(part) >= SHORTEST}


@lru_cache(maxsize=256)
def _pattern(pattern: str, word: str) -> re.Pattern[str]:
    words = pattern.replace(CLASS, re.escape(word)).replace(PART, re.escape(word)).replace("STATEMENT", STATEMENT)
    return re.compile(words, re.MULTILINE)
