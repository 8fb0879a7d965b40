"""Mine pairs of clones and ask the product about each case: which losses does it name at a line that was given up?"""

import asyncio
import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bot import checkout, diff
from bot.consumers.check import check
from bot.diff.roles import changes_role
from bot.errors import DeepRepoError, GitError
from bot.review.analyzer_worker import load_analyzer
from bot.values import TypedChange
from bot.values.consumer import ConsumerImpact, NamedConsumer
from deeprepo_evals.clones import clones, half
from deeprepo_evals.consumers import losses, truth
from deeprepo_evals.consumers.losses import History
from deeprepo_evals.consumers.syntax import LANGUAGES as SYNTAXES
from deeprepo_evals.consumers.truth import Case, Snapshot

OF_COMMIT = 3  # cases, so that no commit fills a pair


@dataclass(frozen=True, slots=True)
class Pair:
    """A library and a consumer among the clones. `import_pattern`: how code names the library, as a regular expression."""

    library: str
    consumer: str
    language: str
    import_pattern: str

    @property
    def half(self) -> str:
        """Which half it is in: told by the pair's name alone, so that it never changes."""
        return half(f"{self.library} {self.consumer}")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured."""

    repos: Path
    out: Path
    each: int = 12  # cases of a pair
    ordinary: int = 20  # ordinary commits of a pair
    half: str = ""


def pairs(path: Path) -> list[Pair]:
    """The pairs of a file: library, consumer, language, and the library's name in code."""
    rows = (line.split() for line in path.read_text().split("\n") if line.strip() and not line.startswith("#"))
    return [Pair(*row[:4]) for row in rows]


async def measure(
    plan: Plan, pairs: Sequence[Pair], say: Callable[[str], None] = lambda _: None
) -> list[dict[str, Any]]:
    """A row for each case and for each ordinary commit. What is already written is kept."""
    known = clones(plan.repos)
    rows: list[dict[str, Any]] = []
    history, of_library = History(), ("", "")
    for pair in pairs:  # those of one library follow each other in the list
        if (plan.half and pair.half != plan.half) or pair.library not in known or pair.consumer not in known:
            continue
        file = plan.out / f"{pair.library}--{pair.consumer}.json".replace("/", "+")
        if not file.exists():
            say(f"{pair.library} and {pair.consumer}")
            if of_library != (pair.library, pair.language):
                history = await losses.read(known[pair.library], SYNTAXES[pair.language])
                of_library = (pair.library, pair.language)
            try:
                done = [asdict(pair) | row for row in await _of_pair(plan, pair, known, history)]
            except GitError as error:  # a clone that lacks objects
                say(f"{pair.library} and {pair.consumer}: {error}")
                continue
            file.write_text(json.dumps(done, indent=1))
        rows += json.loads(file.read_text())
    return rows


async def _of_pair(plan: Plan, pair: Pair, clones: Mapping[str, Path], history: History) -> list[dict[str, Any]]:
    syntax = SYNTAXES[pair.language]
    library, consumer = clones[pair.library], clones[pair.consumer]
    days = await truth.snapshots(consumer, syntax, pair.import_pattern)
    cases = await _cases(plan, pair, library, consumer, days, history)
    since = min((day.time for day in days if day.files), default=0)  # before it, nothing is taken
    rows = []
    for commit, time in _ordinary(plan, pair, history, since):
        at = await truth.at(consumer, time)
        if at:
            found = await _asked(library, commit, f"{consumer}@{at}")
            rows.append({"kind": "ordinary", "commit": commit, "consumer_commit": at, **_outcome(found)})
        if sum(row["state"] != "unrelated" for row in rows) == plan.ordinary:
            break
    for case in cases:
        impact = await _asked(library, case.loss.commit, f"{consumer}@{case.consumer}")
        rows.append(_row(case, impact))
    return rows


def _ordinary(plan: Plan, pair: Pair, history: History, since: int) -> list[tuple[str, int]]:
    """Commits of the library that change few lines, since the consumer has named it, in an order that the pair's name decides."""
    rows = [row for row in history.ordinary if row[1] > since]
    random.Random(f"{pair.library} {pair.consumer}").shuffle(rows)  # noqa: S311 - data, not secrets
    return rows[: 3 * plan.ordinary]  # the consumer may not have taken the library yet, its name notwithstanding


async def _cases(
    plan: Plan, pair: Pair, library: Path, consumer: Path, days: Sequence[Snapshot], history: History
) -> list[Case]:
    """The cases of a pair in an order that its name decides, so that no kind and no year fills it."""
    found: list[Case] = []
    of: Counter[str] = Counter()
    names: set[str] = set()
    words = frozenset[str]().union(*(one.words for day in days for one in day.files.values()))
    rows = [loss for loss in history.losses if loss.name.rstrip("?!") in words]
    random.Random(f"{pair.library} {pair.consumer}").shuffle(rows)  # noqa: S311 - data, not secrets
    for loss in rows:
        if len(found) == plan.each:
            break
        if loss.name in names or of[loss.commit] == OF_COMMIT:
            continue
        case = await truth.case_of(library, consumer, days, SYNTAXES[pair.language], pair.import_pattern, loss)
        if case is not None:
            of[loss.commit] += 1
            names.add(loss.name)
            found.append(case)
    return found


async def _asked(library: Path, commit: str, consumer: str) -> ConsumerImpact | str:
    try:
        with tempfile.TemporaryDirectory(prefix="deeprepo-pairs-") as scratch:
            request = TypedChange(str(library), "range", f"{commit}~1", commit)
            pull = await checkout.pull(request, scratch)
            async with asyncio.timeout(120), checkout.Checkout(pull) as tree:
                files = diff.read(await tree.change(changes_role))
                contracts = load_analyzer("contracts")
                named = [NamedConsumer(consumer)]
                return await check(tree, files, named, contracts, own=pull.git_dir, scratch=scratch)
    except (DeepRepoError, TimeoutError) as error:
        return f"{type(error).__name__}: {error}"


def _outcome(impact: ConsumerImpact | str) -> dict[str, Any]:
    if isinstance(impact, str):
        return {"state": "failed", "reason": impact, "findings": []}
    report = impact.reports[0]
    findings = [
        {
            "title": one.title,
            "proven": one.proven,
            "at": f"{one.path}:{one.start}",
            "places": [
                [item.path.partition(":")[2], item.line, item.quote.strip()] for item in one.evidence if item.repository
            ],
        }
        for one in impact.findings
    ]
    return {"state": report.state, "reason": report.reason, "findings": findings}


def _row(case: Case, impact: ConsumerImpact | str) -> dict[str, Any]:
    outcome = _outcome(impact)
    here = [
        one for one in outcome["findings"] if any(line in case.uses.get(path, ()) for path, line, _ in one["places"])
    ]
    named = "proven" if any(one["proven"] for one in here) else "hint" if here else "missed"
    return {
        "kind": "case",
        "loss": case.loss.kind,
        "name": case.loss.name,
        "commit": case.loss.commit,
        "home": case.loss.path,
        "consumer_commit": case.consumer,
        "uses": {path: list(lines) for path, lines in case.uses.items()},
        "named": named,
        **outcome,
    }


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """A line for each pair: cases, named, proven, ordinary commits, findings there."""
    by_pair: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        by_pair.setdefault((row["language"], row["library"], row["consumer"]), []).append(row)
    lines = [
        f"| language | library | consumer | {' | '.join(COLUMNS)} |",
        f"|---|---|---|{'---|' * len(COLUMNS)}",
    ]
    total: Counter[str] = Counter()
    for key in sorted(by_pair):
        mine = _counted(by_pair[key])
        total.update(mine)
        lines.append(f"| {' | '.join([*key, *(str(mine[name]) for name in COLUMNS)])} |")
    lines.append(f"| all | | | {' | '.join(str(total[name]) for name in COLUMNS)} |")
    return "\n".join(lines)


COLUMNS = ("cases", "named", "proven", "apart", "ordinary", "findings")


def _counted(rows: Sequence[Mapping[str, Any]]) -> Counter[str]:
    """`apart`: losses and commits of a time at which the consumer's manifests did not ask for the library."""
    related = [row for row in rows if row["state"] != "unrelated"]
    cases = [row for row in related if row["kind"] == "case"]
    plain = [row for row in related if row["kind"] == "ordinary" and row["state"] != "failed"]
    return Counter(
        cases=len(cases),
        named=sum(row["named"] != "missed" for row in cases),
        proven=sum(row["named"] == "proven" for row in cases),
        apart=len(rows) - len(related),
        ordinary=len(plain),
        findings=sum(len(row["findings"]) for row in plain),
    )
