"""Members are reached through objects whose class is seldom known: then only the name can speak, if nothing else bears it."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bot.dependents.budget import SearchLimits, is_minified
from bot.dependents.propose import globs
from bot.dependents.sites import telling
from bot.machine.concurrency import together
from bot.ports import Language, Tree
from bot.text.paths import is_output, is_page, is_prose, is_style
from bot.values import Query, Side, Use

MAX_LINES = 20_000
MAX_PATHS = 2_000  # on one command line
EVERYWHERE: tuple[str, ...] = ()
NOTHING: Mapping[str, Collection[int]] = {}
ALL_LINES = range(1, 1 << 30)  # of a file of the change whose lines could not be read
Spans = Mapping[str, Collection[tuple[int, int]]]  # file -> lines of definitions


@dataclass(slots=True)
class NameOccurrences:
    """Where some names occur on one side."""

    files: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # name -> files of the language
    foreign: dict[str, str] = field(default_factory=dict)  # name -> a place in a file of no language that is read here
    complete: bool = True
    is_flooded: bool = False  # lines of the change are among those that make it incomplete


async def occurrences(
    tree: Tree,
    language: Language,
    names: Collection[str],
    side: Side = "head",
    where: Sequence[str] | None = None,
    fresh: Mapping[str, Collection[int]] = NOTHING,
) -> NameOccurrences:
    """The files in which the names occur as whole words: of the language, or those of any kind that the pathspecs name.

    `fresh`: lines that the change adds; what they say in a file of no language gives no name a meaning.
    """
    name_occurrences = NameOccurrences()
    if not names:
        return name_occurrences
    where = globs(language) if where is None else where
    any_name = rf"(?<!\w)(?:{'|'.join(re.escape(name) for name in sorted(names))})(?!\w)"  # one pattern: git runs each over every line
    rows = await tree.grep_lines(Query([any_name], where, syntax="perl", side=side, limit=MAX_LINES))
    words = re.compile(r"(?<![\w$])(?:" + "|".join(re.escape(name) for name in sorted(names)) + r")(?![\w$])")
    for path, line, text in rows:
        for name in dict.fromkeys(words.findall(text)):
            if path.endswith(language.SUFFIXES):
                name_occurrences.files[name].add(path)
            elif line not in fresh.get(path, ()) and not (
                is_prose(path) or is_output(path) or is_page(path) or is_style(path)
            ):
                name_occurrences.foreign.setdefault(name, f"{path}:{line}")
    name_occurrences.complete = len(rows) < MAX_LINES
    name_occurrences.is_flooded = not name_occurrences.complete and any(
        line in fresh.get(path, ()) for path, line, _ in rows
    )
    return name_occurrences


@dataclass(frozen=True, slots=True)
class Own:
    """What the change itself says about names."""

    spans: Mapping[Side, Spans]  # where the changed definitions stand
    gone_names: frozenset[str]  # names that lose their definition
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
        come, old = [
            {n: at for n, at in places_by_name.items() if n not in names} for places_by_name in (self.come, self.old)
        ]
        return Bearers(self.alone - frozenset(names), come, old)


async def bearers(tree: Tree, language: Language, names: Collection[str], own: Own, budget: SearchLimits) -> Bearers:
    """Who bears those of these names that are telling, but what is changed, on either side."""
    return await all_bearers(tree, language, {name for name in names if telling(name)}, own, budget)


async def all_bearers(
    tree: Tree, language: Language, names: Collection[str], own: Own, budget: SearchLimits
) -> Bearers:
    """Who bears these names but what is changed, on either side.

    A name that something unchanged defines says nothing. What the change adds takes no proof away without a trace: a definition
    that it brings, or a new use of a name whose definition is gone, leaves the uses open, and a text that it brings says nothing.
    """
    left = set(names)
    if not left:
        return Bearers()
    come: dict[str, str] = {}
    old: dict[str, str] = {}
    before, now = await together(
        base_occurrences(tree, language, left), occurrences(tree, language, left, where=EVERYWHERE, fresh=own.fresh)
    )
    sides: tuple[tuple[Side, NameOccurrences], ...] = (("base", before), ("head", now))
    for side, name_occurrences in sides:
        # What a change takes away everywhere is its own.
        old |= {
            name: at for name, at in name_occurrences.foreign.items() if not (side == "base" and name in own.gone_names)
        }
        left -= {name for name, paths in name_occurrences.files.items() if len(paths - own.fresh.keys()) > budget.far}
        if not name_occurrences.complete:
            (come if name_occurrences.is_flooded else old).update(
                dict.fromkeys(left, f"one of more than {MAX_LINES:,} lines")
            )
        paths = sorted({path for name in left for path in name_occurrences.files.get(name, ())})
        for path, source in (await tree.read_many(paths[: budget.parsed_files], side)).items():
            wanted_names = {name for name in left if path in name_occurrences.files[name]}
            meanings = _meanings(language, path, source, wanted_names, side, own, budget)
            left -= meanings.alone
            come |= meanings.come
            old |= meanings.old
        for path in paths[budget.parsed_files :]:
            old |= {name: path for name in left if path in name_occurrences.files[name]}
    come, old = [{name: at for name, at in places_by_name.items() if name in left} for places_by_name in (come, old)]
    return Bearers(frozenset(left - come.keys() - old.keys()), come, old)


async def base_occurrences(tree: Tree, language: Language, names: Collection[str]) -> NameOccurrences:
    """Where the names occurred before the change: only what differs is asked, the rest is in the head as well."""
    head, base = await tree.entries("head"), await tree.entries("base")
    differs = [f":(literal){path}" for path, entry in base.items() if path not in head or head[path].oid != entry.oid]
    if not differs:
        return NameOccurrences()
    return await occurrences(tree, language, names, "base", differs if len(differs) <= MAX_PATHS else EVERYWHERE)


def _meanings(
    language: Language,
    path: str,
    source: bytes,
    wanted_names: Collection[str],
    side: Side,
    own: Own,
    budget: SearchLimits,
) -> Bearers:
    """Return the names that a file defines for itself (`alone`: certainly) or may define."""
    fresh = own.fresh.get(path, ()) if side == "head" else ()
    if len(source) > budget.bytes or is_minified(source):
        places_by_name = dict.fromkeys(wanted_names, path)
        return Bearers(come=places_by_name) if fresh else Bearers(old=places_by_name)
    certain: set[str] = set()
    come: dict[str, str] = {}
    for use in language.uses(path, source, wanted_names):
        if _defines(use, own.spans[side].get(path, ())):
            if use.line in fresh:
                come.setdefault(use.name, f"{path}:{use.line}")
            else:
                certain.add(use.name)
        elif use.form == "member" and use.line in fresh and use.name in own.gone_names:
            come.setdefault(use.name, f"{path}:{use.line}")
    spelt = ((name, line) for name in wanted_names for line in _spelt(name, source) if line not in fresh)
    return Bearers(frozenset(certain), come, {name: f"{path}:{line}" for name, line in spelt})


def _defines(use: Use, spans: Collection[tuple[int, int]]) -> bool:
    """Whether a use gives the name a meaning of its own: a definition, a key, an attribute that is set."""
    return use.form in ("definition", "key") and not any(start <= use.line <= end for start, end in spans)


def _spelt(name: str, source: bytes) -> Iterator[int]:
    """The lines on which the name stands in quotes beside code that looks names up."""
    word = re.escape(name.encode())
    for match in re.finditer(rb"(?:attr\s*+\([^)\n]{0,200}|\[\s*+)[\"']" + word + rb"[\"']", source):
        yield source.count(b"\n", 0, match.end()) + 1
