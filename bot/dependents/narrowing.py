"""Names that a file hands on as before, and that fewer of its users get: what `import *` brings, what is there when the program runs.

A shorter `__all__` takes a name away from who takes everything, `export type { Mode }` from who calls it, and an import below `if TYPE_CHECKING:`
from everybody.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.dependents.exports import Exports
from bot.dependents.sites import Takers
from bot.dependents.symbols import ChangedSource
from bot.text.filetypes import filetype
from bot.text.paths import is_test
from bot.values import Import, Outline, Side, Symbol

MOST_KINDS = 500  # names that are looked up for what they mean


async def narrowed_names(exports: Exports, source: ChangedSource, former: Sequence[Import]) -> dict[str, Takers]:
    """The names on both sides of a file that some users get no longer, and who. `former`: what the file imported before."""
    if not source.before or not source.after or source.file.status in ("added", "deleted") or is_test(source.file.path):
        return {}
    names: dict[str, Takers] = {}
    names |= dict.fromkeys(await _unlisted(exports, source), "star")
    runs_types = filetype(source.file.path).parser != "javascript"
    for name in sorted(await _loosened(exports, source, former))[:MOST_KINDS]:
        if runs_types:
            names[name] = "all"
        elif not await _was_type(exports, source, name):
            names[name] = "value"
    return names


@dataclass(frozen=True, slots=True)
class _Listing:
    """What `import *` of a file brings."""

    names: frozenset[str] | None  # None: every public name

    @classmethod
    def of(cls, outline: Outline) -> "_Listing":
        return cls(outline.listing)

    def brings(self, name: str, other: "_Listing") -> bool:
        """Whether it brings a name for certain, or by a computed part that the other side has not."""
        if self.names is None:
            return name[:1] != "_"
        return name in self.names or any(part[:1] == "*" and part not in (other.names or ()) for part in self.names)

    def surely_brings(self, name: str) -> bool:
        """Whether it brings a name for certain."""
        return name in self.names if self.names is not None else name[:1] != "_"


async def _unlisted(exports: Exports, source: ChangedSource) -> frozenset[str]:
    """The names that the file has from elsewhere and that `import *` of it brings no more."""
    if source.old.listing == source.new.listing:
        return frozenset()
    was, now = _Listing.of(source.old), _Listing.of(source.new)
    own = {symbol.name for symbol in source.new.symbols}  # a condition of the definition itself
    names = (await _names(exports, source, "base")) & (await _names(exports, source, "head"))
    return frozenset(name for name in names - own if was.brings(name, now) and not now.surely_brings(name))


async def _names(exports: Exports, source: ChangedSource, side: Side) -> frozenset[str]:
    path = source.file.path if side == "head" else source.file.old_path or source.file.path
    outline = source.new if side == "head" else source.old
    return await exports.offer_names(side, path) if outline.stars else outline.names


async def _loosened(exports: Exports, source: ChangedSource, former: Sequence[Import]) -> set[str]:
    """The names that are handed on for types alone, or under a condition, and were there without one."""
    old, new = dict(source.old.exports), dict(source.new.exports)
    names = {
        name
        for name in old.keys() & new.keys()
        if source.old.loose.isdisjoint((name, old[name] or name))
        and not source.new.loose.isdisjoint((name, new[name] or name))
    }
    if not source.new.typed_stars:
        return names
    old_path = source.file.old_path or source.file.path
    lines = {"base": source.old.typed_stars, "head": source.new.typed_stars}
    imports = {"base": former, "head": await exports.imports(source.file.path)}
    type_targets, plain = (
        {
            side: {
                item.target
                for item in items
                if "*" in item.names and not item.aliases and (item.line in lines[side]) is is_typed
            }
            for side, items in imports.items()
        }
        for is_typed in (True, False)
    )
    for target in sorted((type_targets["head"] & plain["base"]) - plain["head"]):
        names |= await exports.offer_names("head", target)
    return {name for name in names if name in old or name in await exports.offer_names("base", old_path)}


async def _was_type(exports: Exports, source: ChangedSource, name: str) -> bool:
    """Whether a name meant a type before, which is there for types alone whatever is written."""
    old_path = source.file.old_path or source.file.path
    meaning = await exports.meaning(old_path, name, types=True, side="base")
    return isinstance(meaning, Symbol) and meaning.kind == "type"
