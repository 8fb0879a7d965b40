"""Members are reached through objects whose class is seldom known: then only the name can speak, if nothing else bears it."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bot.concurrency import together
from bot.dependents.budget import SearchLimits, minified
from bot.dependents.propose import globs
from bot.dependents.sites import telling
from bot.ports import Language, Tree
from bot.text.paths import is_output, is_page, is_prose, is_style
from bot.values import Side, Use

MAX_LINES = 20_000
MAX_PATHS = 2_000  # on one command line
EVERYWHERE: tuple[str, ...] = ()
NOTHING: Mapping[str, Collection[int]] = {}
ALL_LINES = range(1, 1 << 30)  # of a file of the change whose lines could not be read
Spans = Mapping[str, Collection[tuple[int, int]]]  # file -> lines of definitions


@dataclass(slots=True)
class Named:
    """Where some names occur on one side."""

    files: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # name -> files of the language
    foreign: dict[str, str] = field(default_factory=dict)  # name -> a place in a file of no language that is read here
    complete: bool = True
    flooded: bool = False  # lines of the change are among those that make it incomplete


async def occurrences(
    tree: Tree,
    language: Language,
    names: Collection[str],
    side: Side = "head",
    where: Sequence[str] | None = None,
    fresh: Mapping[str, Collection[int]] = NOTHING,
) -> Named:
    """The files in which the names occur as whole words: of the language, or those of any kind that the pathspecs name.

    `fresh`: lines that the change adds; what they say in a file of no language gives no name a meaning.
    """
    found = Named()
    if not names:
        return found
    where = globs(language) if where is None else where
    any_name = (
        rf"\b(?:{'|'.join(re.escape(name) for name in sorted(names))})\b"  # one pattern: git runs each over every line
    )
    rows = await tree.grep_lines([any_name], where, syntax="perl", side=side, limit=MAX_LINES)
    words = re.compile(r"(?<![\w$])(?:" + "|".join(re.escape(name) for name in sorted(names)) + r")(?![\w$])")
    for path, line, text in rows:
        for name in set(words.findall(text)):
            if path.endswith(language.SUFFIXES):
                found.files[name].add(path)
            elif line not in fresh.get(path, ()) and not (
                is_prose(path) or is_output(path) or is_page(path) or is_style(path)
            ):
                found.foreign.setdefault(name, f"{path}:{line}")
    found.complete = len(rows) < MAX_LINES
    found.flooded = not found.complete and any(line in fresh.get(path, ()) for path, line, _ in rows)
    return found


@dataclass(frozen=True, slots=True)
class Own:
    """What the change itself says about names."""

    spans: Mapping[Side, Spans]  # where the changed definitions stand
    gone: frozenset[str]  # names that lose their definition
    fresh: Mapping[str, Collection[int]]  # file of the head tree -> lines that the change adds


@dataclass(frozen=True, slots=True)
class Bearers:
    """What is known of names that no import can tell apart: who bears them."""

    alone: frozenset[str] = frozenset()  # nothing defines them but what is changed: a line that writes one means that
    # name -> what else may bear it, as a place; a use of such a name is neither proven nor cleared.
    come: Mapping[str, str] = field(default_factory=dict)  # the change itself brings it
    old: Mapping[str, str] = field(default_factory=dict)  # it was there, in a form that only may mean the name

    def without(self, names: Collection[str]) -> "Bearers":
        """The same for the other names."""
        come, old = [{n: at for n, at in known.items() if n not in names} for known in (self.come, self.old)]
        return Bearers(self.alone - frozenset(names), come, old)


async def bearers(tree: Tree, language: Language, names: Collection[str], own: Own, budget: SearchLimits) -> Bearers:
    """Who bears these names but what is changed, on either side.

    A name that something unchanged defines says nothing. What the change adds takes no proof away without a trace: a definition
    that it brings, or a new use of a name whose definition is gone, leaves the uses open, and a text that it brings says nothing.
    """
    left = {name for name in names if telling(name)}
    if not left:
        return Bearers()
    come: dict[str, str] = {}
    old: dict[str, str] = {}
    before, now = await together(
        _base(tree, language, left), occurrences(tree, language, left, where=EVERYWHERE, fresh=own.fresh)
    )
    sides: tuple[tuple[Side, Named], ...] = (("base", before), ("head", now))
    for side, found in sides:
        # What a change takes away everywhere is its own.
        old |= {name: at for name, at in found.foreign.items() if not (side == "base" and name in own.gone)}
        left -= {name for name, paths in found.files.items() if len(paths - own.fresh.keys()) > budget.far}
        if not found.complete:
            (come if found.flooded else old).update(dict.fromkeys(left, f"one of more than {MAX_LINES:,} lines"))
        paths = sorted({path for name in left for path in found.files.get(name, ())})
        for path, source in (await tree.read_many(paths[: budget.parsed], side)).items():
            asked = {name for name in left if path in found.files[name]}
            meant = _meant(language, path, source, asked, side, own, budget)
            left -= meant.alone
            come |= meant.come
            old |= meant.old
        for path in paths[budget.parsed :]:
            old |= {name: path for name in left if path in found.files[name]}
    come, old = [{name: at for name, at in known.items() if name in left} for known in (come, old)]
    return Bearers(frozenset(left - come.keys() - old.keys()), come, old)


async def _base(tree: Tree, language: Language, names: Collection[str]) -> Named:
    """Where the names occurred before the change: only what differs is asked, the rest is in the head as well."""
    head, base = await tree.entries("head"), await tree.entries("base")
    differs = [f":(literal){path}" for path, entry in base.items() if path not in head or head[path].oid != entry.oid]
    if not differs:
        return Named()
    return await occurrences(tree, language, names, "base", differs if len(differs) <= MAX_PATHS else EVERYWHERE)


def _meant(
    language: Language, path: str, source: bytes, asked: Collection[str], side: Side, own: Own, budget: SearchLimits
) -> Bearers:
    """The names to which a file gives a meaning of its own (`alone`: for certain), or may."""
    fresh = own.fresh.get(path, ()) if side == "head" else ()
    if len(source) > budget.bytes or minified(source):
        known = dict.fromkeys(asked, path)
        return Bearers(come=known) if fresh else Bearers(old=known)
    certain: set[str] = set()
    come: dict[str, str] = {}
    for use in language.uses(path, source, asked):
        if _defines(use, own.spans[side].get(path, ())):
            if use.line in fresh:
                come.setdefault(use.name, f"{path}:{use.line}")
            else:
                certain.add(use.name)
        elif use.form == "member" and use.line in fresh and use.name in own.gone:
            come.setdefault(use.name, f"{path}:{use.line}")
    spelt = ((name, line) for name in asked for line in _spelt(name, source) if line not in fresh)
    return Bearers(frozenset(certain), come, {name: f"{path}:{line}" for name, line in spelt})


def _defines(use: Use, spans: Collection[tuple[int, int]]) -> bool:
    """Whether a use gives the name a meaning of its own: a definition, a key, an attribute that is set."""
    return use.form in ("definition", "key") and not any(start <= use.line <= end for start, end in spans)


def _spelt(name: str, source: bytes) -> Iterator[int]:
    """The lines on which the name stands in quotes beside code that looks names up."""
    word = re.escape(name.encode())
    for found in re.finditer(rb"(?:attr\s*+\([^)\n]{0,200}|\[\s*+)[\"']" + word + rb"[\"']", source):
        yield source.count(b"\n", 0, found.end()) + 1
