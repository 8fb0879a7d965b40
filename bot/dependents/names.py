"""Members are reached through objects whose class is seldom known: then only the name can speak, if nothing else bears it."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from bot.dependents.budget import SearchLimits, is_minified
from bot.dependents.reach import globs
from bot.machine.concurrency import together
from bot.ports import Language, Tree
from bot.text.paths import is_output, is_page, is_prose, is_style
from bot.values import Query, Side, Use

MAX_LINES = 20_000
MAX_PATHS = 2_000  # on one command line
EVERYWHERE: tuple[str, ...] = ()
ALL_LINES = range(1, 1 << 30)  # of a file of the change whose lines could not be read
Spans = Mapping[str, Collection[tuple[int, int]]]  # file -> lines of definitions


@dataclass(slots=True)
class NameOccurrences:
    """Where some names occur on one side."""

    files: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # name -> files of the language
    foreign: set[str] = field(default_factory=set)  # names that a file of no language that is read here holds
    complete: bool = True


async def occurrences(
    tree: Tree,
    language: Language,
    names: Collection[str],
    side: Side = "head",
    where: Sequence[str] | None = None,
) -> NameOccurrences:
    """The files in which the names occur as whole words: of the language, or those of any kind that the pathspecs name."""
    name_occurrences = NameOccurrences()
    if not names:
        return name_occurrences
    where = globs(language) if where is None else where
    any_name = rf"(?<!\w)(?:{'|'.join(re.escape(name) for name in sorted(names))})(?!\w)"  # one pattern: git runs each over every line
    rows = await tree.grep_lines(Query([any_name], where, syntax="perl", side=side, limit=MAX_LINES))
    words = re.compile(r"(?<![\w$])(?:" + "|".join(re.escape(name) for name in sorted(names)) + r")(?![\w$])")
    for path, _, text in rows:
        for name in dict.fromkeys(words.findall(text)):
            if path.endswith(language.SUFFIXES):
                name_occurrences.files[name].add(path)
            elif not (is_prose(path) or is_output(path) or is_page(path) or is_style(path)):
                name_occurrences.foreign.add(name)
    name_occurrences.complete = len(rows) < MAX_LINES
    return name_occurrences


@dataclass(frozen=True, slots=True)
class Own:
    """What the change itself says about names."""

    spans: Mapping[Side, Spans]  # where the changed definitions stand
    gone_names: frozenset[str]  # names that lose their definition
    fresh: Mapping[str, Collection[int]]  # file of the head tree -> lines that the change adds


# (language, path, source, names, side, what the change says) -> those of the names that the file bears
Bears = Callable[[Language, str, bytes, Collection[str], Side, Own], frozenset[str]]


async def lone_names(
    tree: Tree,
    language: Language,
    names: Collection[str],
    own: Own,
    budget: SearchLimits,
    bears: Bears,
    *,
    in_code: bool = False,
) -> frozenset[str]:
    """Those of these names that nothing in the tree bears but what is changed, on either side: a line that writes one means that.

    A name that something unchanged defines, or may, says nothing; neither does one whose definition the change brings. `in_code`: what
    files of other kinds hold bears none.
    """
    left = set(names)
    if not left:
        return frozenset()
    where = None if in_code else EVERYWHERE
    before, now = await together(base_occurrences(tree, language, left), occurrences(tree, language, left, where=where))
    sides: tuple[tuple[Side, NameOccurrences], ...] = (("base", before), ("head", now))
    for side, name_occurrences in sides:
        if not name_occurrences.complete:
            return frozenset()
        # What a change takes away everywhere is its own.
        foreign = () if in_code else name_occurrences.foreign
        left -= {name for name in foreign if not (side == "base" and name in own.gone_names)}
        left -= {name for name, paths in name_occurrences.files.items() if len(paths) > budget.far}
        paths = sorted({path for name in left for path in name_occurrences.files.get(name, ())})
        for path, source in (await tree.read_many(paths[: budget.parsed_files], side)).items():
            wanted_names = {name for name in left if path in name_occurrences.files[name]}
            if len(source) > budget.bytes or is_minified(source):
                left -= wanted_names
            elif wanted_names:
                left -= bears(language, path, source, wanted_names, side, own)
        left -= {name for path in paths[budget.parsed_files :] for name in left if path in name_occurrences.files[name]}
    return frozenset(left)


async def base_occurrences(tree: Tree, language: Language, names: Collection[str]) -> NameOccurrences:
    """Where the names occurred before the change: only what differs is asked, the rest is in the head as well."""
    head, base = await tree.entries("head"), await tree.entries("base")
    differs = [f":(literal){path}" for path, entry in base.items() if path not in head or head[path].oid != entry.oid]
    if not differs:
        return NameOccurrences()
    return await occurrences(tree, language, names, "base", differs if len(differs) <= MAX_PATHS else EVERYWHERE)


def of_any_use(
    language: Language,
    path: str,
    source: bytes,
    names: Collection[str],
    side: Side,
    own: Own,
) -> frozenset[str]:
    """The names that a file defines, or may: a definition, a key, a name that is looked up, a gone one that the change uses anew."""
    spans = own.spans[side].get(path, ())
    fresh = own.fresh.get(path, ()) if side == "head" else ()
    borne = {
        use.name
        for use in language.uses(path, source, names)
        if _defines(use, spans) or (use.form == "member" and use.line in fresh and use.name in own.gone_names)
    }
    return frozenset(borne | {name for name in names if _spells(name, source)})


def _defines(use: Use, spans: Collection[tuple[int, int]]) -> bool:
    """Whether a use gives the name a meaning of its own: a definition, a key, an attribute that is set."""
    return use.form in ("definition", "key") and not any(start <= use.line <= end for start, end in spans)


def _spells(name: str, source: bytes) -> bool:
    """Whether the name stands in quotes where code looks something up by its name."""
    word = re.escape(name.encode())
    return re.search(rb"(?:attr\s*+\([^)\n]{0,200}|\[\s*+)[\"']" + word + rb"[\"']", source) is not None
