"""Find code that receives altered values through a caller that passes them on.

Such code is two steps from the change and doesn't name the changed definition. A caller passes values on
under its own name, or in a field or key where it stores them. A line that uses such a name counts if its file
also mentions the caller's function, type or module. Pages, SQL statements and scripts count if the caller
names them, or if they use a command line option that it reads.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bot import blocks
from bot.file_kinds import irrelevant_kind
from bot.review.context import definitions, identifiers, result_flow, usages
from bot.review.context.call_sites import call_sites, interleave
from bot.review.context.usages import Pick
from bot.values import Query, Reference, Unit
from deeprepo.impact.filetypes import family
from deeprepo.impact.language import rules_of
from deeprepo.impact.paths import shared_folders
from deeprepo.impact.ports import Tree
from deeprepo.impact.text.lines import file_lines, is_comment
from deeprepo.impact.text.paths import is_product
from deeprepo.impact.values import MODULE

MAX_SITES = 60  # callers examined
MAX_FILES = 60  # files read for all callers together
MAX_NAMED = 3  # pages, statements and scripts named by one caller; with more, none counts
MAX_ROWS = 20_000  # lines that the search may return
MAX_PICKS = 3  # lines shown in one prompt
SHORT = 12  # lines of a function that is assumed to pass on what it calls
BESIDE_OPTION = 3  # lines around an option in a script, which show how the output is used
_RETURNS = re.compile(r"\s*(?:return|yield)\b|.*=>")
_TYPE_NAME = re.compile(r"(?<![\w$])[A-Z][\w$]*[a-z][\w$]*")
_HEAD = re.compile(r"\b(?:class|impl|struct|trait|interface|object|module|func|function|def|fn)\b")
_OPTION = re.compile(r"--[a-z][\w-]{2,60}$")


@dataclass(frozen=True, slots=True)
class Carrier:
    """A caller that passes values on, and the names by which others know it."""

    reference: Reference
    options: frozenset[str]  # command line options that it reads
    names: frozenset[str] = frozenset()  # names under which others get the values
    marks: frozenset[str] = frozenset()  # words that identify this caller in other files
    files: frozenset[str] = frozenset()  # pages, statements and scripts that its file names


@dataclass(slots=True)
class HandedOn:
    """Collects the lines that use what the change's callers pass on. Each caller is examined once."""

    tree: Tree
    _picks: dict[tuple[str, int, str], list[Pick]] = field(default_factory=dict)  # by the caller's location

    async def follow(self, units: Sequence[Unit]) -> None:
        """Search for users of what the callers of these regions pass on."""
        altered = {
            reference.symbol for unit in units if result_flow.changes_result(unit) for reference in unit.references
        }
        references = [reference for reference in _sites(units) if _place(reference) not in self._picks][:MAX_SITES]
        self._picks |= {_place(reference): [] for reference in references}
        lines = await self._lines(reference.path for reference in references)
        carriers = [
            _carrier(reference, lines[reference.path], reference.symbol in altered)
            for reference in references
            if reference.path in lines
        ]
        marks = sorted({mark for carrier in carriers for mark in (*carrier.marks, *carrier.options)})
        if not marks:
            return
        found = await self.tree.grep_lines(Query([usages.whole_names(marks)], syntax="perl", limit=MAX_ROWS))
        by_mark = usages.by_name([row for row in found if is_product(row[0])], marks)
        entries = [path for path in await self.tree.entries() if usages.OTHER.search(path) and is_product(path)]
        files = {carrier: _files(carrier, by_mark, entries) for carrier in carriers if carrier.names}
        lines |= await self._lines(list(dict.fromkeys(interleave(list(files.values()))))[:MAX_FILES])
        for carrier in carriers:
            picks = [pick for path in files.get(carrier, ()) for pick in _uses(carrier, path, lines.get(path, ()))]
            self._picks[_place(carrier.reference)] = [*_calls(carrier, by_mark), *picks]

    def pick(
        self, units: Sequence[Unit], shown_lines: Mapping[tuple[str, int], object] | set[tuple[str, int]]
    ) -> list[Pick]:
        """Return the best lines for these regions, alternating between callers."""
        picks = interleave([self._picks.get(_place(reference), []) for reference in _sites(units)])
        by_place = {(pick.path, pick.line): pick for pick in reversed(picks)}
        return [pick for place, pick in reversed(by_place.items()) if place not in shown_lines][:MAX_PICKS]

    async def _lines(self, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
        texts = await self.tree.read_many(list(dict.fromkeys(paths)))
        return {path: file_lines(blob) for path, blob in texts.items()}


def _sites(units: Sequence[Unit]) -> list[Reference]:
    """Return the callers that certainly refer to what these regions change.

    This includes functions that are passed as arguments.
    """
    references = [
        reference
        for reference in call_sites(units)
        if reference.is_certain and not reference.missing and not reference.test
    ]
    return [
        reference
        for reference in references
        if reference.form == "call" or (reference.form == "mention" and reference.span is not None)
    ]


def _place(reference: Reference) -> tuple[str, int, str]:
    return reference.path, reference.line, reference.name


def _carrier(reference: Reference, lines: Sequence[str], is_altered: bool) -> Carrier:
    """Return what a caller passes on, from the lines of its file.

    `is_altered`: callers now get a different result.
    """
    start, end = reference.span or (reference.line, reference.line)
    inside = lines[start - 1 : min(end, start + result_flow.MAX_FUNCTION_LINES)]
    options = frozenset(text for line in inside for text in identifiers.string_names(line) if _OPTION.match(text))
    if not is_altered or reference.line > len(lines):
        return Carrier(reference, options)
    own = re.sub(r"[@#]\d+$", "", reference.function).rpartition(".")
    openings = [*blocks.openings(lines, reference.line, reference.span[0] if reference.span else 1)]
    readings = result_flow.readings(lines, reference)
    names = {name for at in openings for name in identifiers.stored_keys(lines[at - 1], reference.name)}
    given = identifiers.assigned_names(lines[reference.line - 1])
    names |= {key for at in readings for name in given for key in identifiers.stored_keys(lines[at - 1], name)}
    is_handing = end - start < SHORT or any(_RETURNS.match(lines[at - 1]) for at in (*openings, *readings))
    if reference.function == MODULE:
        names |= {name for at in openings for name in identifiers.assigned_names(lines[at - 1])}
    elif is_handing and not rules_of(reference.path).is_constructor(own[2]):
        names.add(own[2])
    heads = [lines[at - 1] for at in blocks.openings(lines, start, 1) if _HEAD.search(lines[at - 1])]
    types = {word for text in (*heads, *(lines[at - 1] for at in openings)) for word in _TYPE_NAME.findall(text)}
    stem = posixpath.splitext(posixpath.basename(reference.path))[0]
    marks = {own[2], own[0].rpartition(".")[2], *types, stem} - {reference.name, MODULE}
    return Carrier(
        reference,
        options,
        frozenset(name for name in names if re.fullmatch(r"[\w$-]{2,}", name)),
        frozenset(name for name in marks if identifiers.telling(name) and not identifiers.plain(name)),
        frozenset(text for line in lines for text in identifiers.string_names(line) if usages.OTHER.search(text)),
    )


def _files(carrier: Carrier, by_mark: Mapping[str, Sequence[usages.Row]], entries: Sequence[str]) -> list[str]:
    """Return the files that mention a caller, the nearest first and its own last."""
    rows = [row for mark in carrier.marks for row in by_mark.get(mark, ())]
    home = carrier.reference.path
    paths = {path for path, _, _ in rows if family(path) == family(home)} - {home}
    named = [path for path in entries if any(f"/{path}".endswith(f"/{text}") for text in carrier.files)]
    return [*(named if len(named) <= MAX_NAMED else ()), *sorted(paths, key=lambda path: _distance(path, home)), home]


def _distance(path: str, home: str) -> tuple[int, str]:
    """Return the distance between two files, by their folders."""
    return path.count("/") + home.count("/") - 2 * shared_folders(path, home), path


def _uses(carrier: Carrier, path: str, lines: Sequence[str]) -> Iterator[Pick]:
    """Yield the lines of a file that use what a caller passes on."""
    start, end = carrier.reference.span or (carrier.reference.line, carrier.reference.line)
    for number, text in enumerate(lines, 1):
        if len(text) > definitions.LONG_LINE or not any(name in text for name in carrier.names):
            continue
        names = (carrier.names & identifiers.words(text)) - definitions.names(path, text)
        is_own = path == carrier.reference.path and start <= number <= end
        if names and not is_own and not is_comment(text, path) and not identifiers.IMPORT.match(text):
            title = f"uses {min(names)}, which holds what {carrier.reference.name} gives"
            yield Pick(path, number, tuple(sorted(names)), defines=False, title=title)


def _calls(carrier: Carrier, by_mark: Mapping[str, Sequence[usages.Row]]) -> Iterator[Pick]:
    """Yield the lines of scripts that call a program with an option that the caller reads."""
    for option in sorted(carrier.options):
        for path, number, _ in by_mark.get(option, ()):
            if usages.OTHER.search(path) and not irrelevant_kind(path):
                title = f"calls {carrier.reference.path} by {option}"
                yield Pick(path, number, (), defines=False, title=title, beside=BESIDE_OPTION)
