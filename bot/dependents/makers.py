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
from bot.ports import Language, Tree

CLASS, PART = (
    "CLASS",
    "PART",
)  # what a pattern has for the class that lost a member, and for a part of the name that went
WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
SHORTEST = 3  # letters of a part that tells something


@dataclass(slots=True)
class Makers:
    """The question about one language's files of a change."""

    tree: Tree
    language: Language
    budget: SearchLimits
    fresh: Mapping[str, Collection[int]]  # file of the change -> the lines that it adds
    _texts: dict[str, str] | None = None
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
        if self._texts is None:
            paths = sorted(
                path for path, lines in self.fresh.items() if lines and path.endswith(self.language.SUFFIXES)
            )
            sources = await self.tree.read_many(paths[: self.budget.parsed_files])
            self._texts = {
                path: source.decode("utf-8", "replace")
                for path, source in sources.items()
                if len(source) <= self.budget.bytes
            }
        parts = {part for name in former_names(target) for part in _parts(name)}
        for pattern in self.language.TRAITS.makers:
            words = {target.owner} - {""} if CLASS in pattern else parts if PART in pattern else {""}
            for path, code in self._texts.items():
                is_near = words != {""} or path in target.homes
                if is_near and any(word in code and self._adds(path, code, pattern, word) for word in words):
                    return True
        return False

    def _adds(self, path: str, code: str, pattern: str, word: str) -> bool:
        """Whether a line that the change adds to a file holds what a pattern describes."""
        for match in _pattern(pattern, word).finditer(code):
            first = code.count("\n", 0, match.start()) + 1
            lines = range(first, first + match[0].rstrip().count("\n") + 1)
            if any(line in self.fresh[path] for line in lines):
                return True
        return False


def _parts(name: str) -> set[str]:
    """The beginnings and the ends of a name of several words: `total` and `get` of `get_total`."""
    places = [match.span() for match in WORDS.finditer(name)]
    parts = {name[: places[at][1]] for at in range(len(places) - 1)} | {
        name[places[at][0] :] for at in range(1, len(places))
    }
    return {one for part in parts for one in (part, part[:1].lower() + part[1:]) if len(part) >= SHORTEST}


@lru_cache(maxsize=256)
def _pattern(pattern: str, word: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(CLASS, re.escape(word)).replace(PART, re.escape(word)), re.MULTILINE)
