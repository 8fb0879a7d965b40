"""Members are reached through objects whose class is seldom known: then only the name can speak, if nothing else bears it."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from bot.concurrency import together
from bot.dependents.budget import SearchLimits, minified
from bot.dependents.propose import globs
from bot.dependents.sites import telling
from bot.paths import is_output, is_page, is_prose, is_style
from bot.ports import Language, Tree
from bot.values import Side, Use

MAX_LINES = 20_000
MAX_PATHS = 2_000  # on one command line
EVERYWHERE: tuple[str, ...] = ()
Spans = Mapping[str, Collection[tuple[int, int]]]  # file -> lines of definitions


@dataclass(slots=True)
class Named:
    """Where some names occur on one side."""

    files: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # name -> files of the language
    foreign: set[str] = field(default_factory=set)  # names that occur in files of no language that is read here
    complete: bool = True


async def occurrences(
    tree: Tree, language: Language, names: Collection[str], side: Side = "head", where: Sequence[str] | None = None
) -> Named:
    """The files in which the names occur as whole words: of the language, or those of any kind that the pathspecs name."""
    found = Named()
    if not names:
        return found
    where = globs(language) if where is None else where
    any_name = (
        rf"\b(?:{'|'.join(re.escape(name) for name in sorted(names))})\b"  # one pattern: git runs each over every line
    )
    rows = await tree.grep_lines([any_name], where, syntax="perl", side=side, limit=MAX_LINES)
    words = re.compile(r"(?<![\w$])(?:" + "|".join(re.escape(name) for name in sorted(names)) + r")(?![\w$])")
    for path, _, text in rows:
        for name in set(words.findall(text)):
            if path.endswith(language.SUFFIXES):
                found.files[name].add(path)
            elif not (is_prose(path) or is_output(path) or is_page(path) or is_style(path)):
                found.foreign.add(name)
    found.complete = len(rows) < MAX_LINES
    return found


@dataclass(frozen=True, slots=True)
class Own:
    """What the change itself says about names."""

    spans: Mapping[Side, Spans]  # where the changed definitions stand
    gone: frozenset[str]  # names that lose their definition
    fresh: Mapping[str, Collection[int]]  # file of the head tree -> lines that the change adds


async def lonely(
    tree: Tree, language: Language, names: Collection[str], own: Own, budget: SearchLimits
) -> frozenset[str]:
    """Of these names, those that nothing defines but what is changed, on neither side: a line that writes one means that.

    A name that loses its definition and is newly written as a member exists elsewhere: in a library, or in the language.
    """
    left = {name for name in names if telling(name)}
    if not left:
        return frozenset()
    before, now = await together(_base(tree, language, left), occurrences(tree, language, left, where=EVERYWHERE))
    sides: tuple[tuple[Side, Named], ...] = (("base", before), ("head", now))
    for side, found in sides:
        left -= found.foreign - (
            own.gone if side == "base" else set()
        )  # what a change takes away everywhere is its own
        left -= {name for name, paths in found.files.items() if len(paths - own.fresh.keys()) > budget.far}
        if not found.complete:
            return frozenset()
        paths = sorted({path for name in left for path in found.files.get(name, ())})
        for path, source in (await tree.read_many(paths, side)).items():
            asked = {name for name in left if path in found.files[name]}
            left -= _meant(language, path, source, asked, side, own, budget)
    return frozenset(left)


async def _base(tree: Tree, language: Language, names: Collection[str]) -> Named:
    """Where the names occurred before the change: only what differs is asked, the rest is in the head as well."""
    head, base = await tree.entries("head"), await tree.entries("base")
    differs = [f":(literal){path}" for path, entry in base.items() if path not in head or head[path].oid != entry.oid]
    if not differs:
        return Named()
    return await occurrences(tree, language, names, "base", differs if len(differs) <= MAX_PATHS else EVERYWHERE)


def _meant(
    language: Language, path: str, source: bytes, asked: Collection[str], side: Side, own: Own, budget: SearchLimits
) -> set[str]:
    """The names to which a file gives a meaning of its own, or may."""
    if len(source) > budget.bytes or minified(source):
        return set(asked)
    uses = language.uses(path, source, asked)
    found = {use.name for use in uses if _defines(use, own.spans[side].get(path, ()))}
    fresh = own.fresh.get(path, ()) if side == "head" else ()
    found |= {use.name for use in uses if use.form == "member" and use.line in fresh} & own.gone
    return found | {name for name in asked if _spelt(name, source)}


def _defines(use: Use, spans: Collection[tuple[int, int]]) -> bool:
    """Whether a use gives the name a meaning of its own: a definition, a key, an attribute that is set."""
    return use.form in ("definition", "key") and not any(start <= use.line <= end for start, end in spans)


def _spelt(name: str, source: bytes) -> bool:
    """Whether the name stands in quotes beside code that looks names up."""
    word = re.escape(name.encode())
    return bool(re.search(rb"(?:attr\s*+\([^)\n]{0,200}|\[\s*+)[\"']" + word + rb"[\"']", source))
