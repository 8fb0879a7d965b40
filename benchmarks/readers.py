"""Whether the file that proves a defect is delivered, without a model: `make bench-readers`.

On real changes whose defect is proven by a file outside the diff: is that file among the first ten unchanged ones that the
prompts show, by call sites alone, by readers of names alone, by both? On the `bad` variants of the twins: does the line that
proves the defect are in what a unit, or `readers(name)` for one of the change's names, delivers within 6,000 tokens?
"""

import argparse
import asyncio
import re
import tempfile
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, astuple, dataclass, replace
from heapq import nlargest
from pathlib import Path
from typing import TypeVar

from benchmarks import labels
from benchmarks.table import Row, report
from bot import dependents, pipeline, wiring
from bot.agent.tools import read
from bot.context import identifiers
from bot.context.builder import ContextBuilder, call_sites
from bot.context.packing import pack
from bot.context.usages import distinct
from bot.review.survey import Survey
from bot.text.paths import is_test
from bot.values import ReviewRequest, Unit, tokens
from deeprepo_evals.reviews.cases import Case
from deeprepo_evals.reviews.labels import Label

FILES, ROOM, PROMISED = 10, 6_000, 0.75
NAMES = 10  # of a change, for which `readers` is asked: about as many as a root would
Place = TypeVar("Place")
Found = TypeVar("Found", "Rank", "Twin")
WAYS = ("call sites alone", "readers alone", "both")
_NUMBERED = re.compile(r"[ +]\s*(\d+) ")


@dataclass(frozen=True, slots=True)
class Rank:
    """At which place each way delivers a file that proves the defect; 0: not at all."""

    id: str
    places: tuple[int, ...]  # none: the tree does not hold such a file


@dataclass(frozen=True, slots=True)
class Twin:
    """Whether the line that proves the defect was delivered, and by what."""

    id: str
    unit: bool
    readers: str  # the name that brought it


def main() -> int:
    """Measure every case and twin for which there is a clone; the exit code says whether the promise holds."""
    asked = labels.parser(__doc__).parse_args()
    ranks = list(_shown(Rank(case.id, asyncio.run(_ranks(repo, files))) for case, repo, files in _proven(asked)))
    twins = list(_shown(asyncio.run(_twin(name, at["bad"], found)) for name, at, found in labels.twins(asked)))
    if asked.only:
        return 0
    details = {"cases": [asdict(rank) for rank in ranks], "twins": [asdict(twin) for twin in twins]}
    return report("readers", [*_rank_rows(ranks), *_twin_rows(twins)], details)


def _proven(asked: argparse.Namespace) -> Iterator[tuple[Case, Path, frozenset[str]]]:
    """The natural cross-file cases that name the file of their proof."""
    for case, repo in labels.cases(asked, lambda case: case.kind == "natural" and _evidence(case)):
        yield case, repo, _evidence(case)


def _evidence(case: Case) -> frozenset[str]:
    crossing = (defect for defect in case.defects if defect.scope == "cross-file")
    return frozenset(path for defect in crossing for path in defect.evidence_files)


@asynccontextmanager
async def _read(repo: Path) -> AsyncIterator[Survey]:
    """The change as the product has it before anybody judges it."""
    with tempfile.TemporaryDirectory(prefix="readers-") as scratch:
        parts = wiring.rehearsal({"strategy": "fanout"}, scratch, lambda _: None)
        async with pipeline.survey(ReviewRequest(str(repo), "range", "base", "head"), parts) as (subject, _):
            yield subject


async def _ranks(repo: Path, proof: Collection[str]) -> tuple[int, ...]:
    """The place of the first file that proves the defect, for each of WAYS; nothing where the tree holds none of them."""
    async with _read(repo) as subject:
        groups = pack(subject.units)
        bare = [[replace(unit, references=()) for unit in group] for group in groups]
        sites = [row.path for group in groups for row in call_sites(group)]
        ways = sites, await _excerpts(subject, bare), await _excerpts(subject, groups)
        held = await subject.tree.entries()
        changed = {path for file in subject.files for path in (file.path, file.old_path)}
    if not any(path in held for path in proof):
        return ()  # such a file came with the repair, or the label is wrong
    found = [list(dict.fromkeys(path for path in paths if path not in changed)) for paths in ways]
    return tuple(next((at for at, path in enumerate(paths, 1) if path in proof), 0) for paths in found)


async def _excerpts(subject: Survey, groups: Sequence[Sequence[Unit]]) -> list[str]:
    """The files of the unchanged code beside these prompts, prompt after prompt."""
    nearby = ContextBuilder(subject.tree, subject.files, len(groups))
    await nearby.prepare([unit for group in groups for unit in group])
    return [excerpt.path for group in groups for excerpt in await nearby.of(group)]


async def _twin(name: str, repo: Path, label: Label) -> Twin:
    proof = {(line.path, line.number) for line in (*label.proof, *label.doubtful)}
    async with _read(repo) as subject:
        nearby = ContextBuilder(subject.tree, subject.files, len(pack(subject.units)))
        await nearby.prepare(subject.units)
        units = [await _of_unit(unit, nearby) for unit in subject.units]
        names = _names(subject.units)
        rows = await asyncio.gather(*(_of_readers(subject, one) for one in names))
    by = next((one for one, lines in zip(names, rows, strict=True) if proof & lines), "")
    return Twin(name, any(proof & lines for lines in units), by)


async def _of_unit(unit: Unit, nearby: ContextBuilder) -> set[tuple[str, int]]:
    """The lines of the head that stand in a prompt about one unit, as far as there is room."""
    shown = [(unit.path, row) for row in unit.diff.split("\n") if unit.side == "head"]
    shown += [(excerpt.path, row) for excerpt in await nearby.of([unit]) for row in excerpt.body.split("\n")]
    found = [(path, _NUMBERED.match(row)) for path, row in _roomy(shown)]
    return {(path, int(row[1])) for path, row in found if row}


async def _of_readers(subject: Survey, name: str) -> set[tuple[str, int]]:
    """The lines that `readers(name)` hands to the root, as far as there is room for what it would print."""
    rows = (await dependents.readers(subject.tree, name))[: read.MAX_HITS]
    told = [
        ((path, line), str({"path": path, "line": line, "text": text.strip()[: read.MAX_HIT_CHARS], "kind": kind}))
        for path, line, text, kind in rows
    ]
    return {place for place, _ in _roomy(told)}


def _roomy(rows: Iterable[tuple[Place, str]]) -> Iterator[tuple[Place, str]]:
    """The first rows, as many as fit into ROOM."""
    text = 0
    for place, row in rows:
        text += len(row) + 1
        if tokens(" " * text) > ROOM:
            return
        yield place, row


def _names(units: Sequence[Unit]) -> list[str]:
    """The names that a root would ask for: the most telling ones that the change touches."""
    weights = identifiers.names(unit for unit in units if not is_test(unit.path))
    return nlargest(NAMES, weights, key=lambda name: (weights[name] + distinct(name), name))


def _shown(found: Iterable[Found]) -> Iterator[Found]:
    for one in found:
        print(*astuple(one), flush=True)
        yield one


def _rank_rows(ranks: Sequence[Rank]) -> Iterator[Row]:
    held = [rank.places for rank in ranks if rank.places]
    for at, way in enumerate(WAYS if held else ()):
        count = sum(0 < places[at] <= FILES for places in held)
        yield Row(f"proof among {FILES} files, {way} ({count} of {len(held)})", count / len(held))


def _twin_rows(twins: Sequence[Twin]) -> Iterator[Row]:
    if not twins:
        return
    by_unit, by_readers = sum(twin.unit for twin in twins), sum(bool(twin.readers) for twin in twins)
    both = sum(twin.unit or bool(twin.readers) for twin in twins)
    yield Row(f"proof of twins, units alone ({by_unit} of {len(twins)})", by_unit / len(twins))
    yield Row(f"proof of twins, readers(name) alone ({by_readers} of {len(twins)})", by_readers / len(twins))
    yield Row(f"proof of twins, either ({both} of {len(twins)})", both / len(twins), PROMISED, least=True)


if __name__ == "__main__":
    raise SystemExit(labels.ended(main))
