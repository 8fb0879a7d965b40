"""What the harness delivers to a model, measured without one: `make bench-oracle CASES=... REPOS=...`.

Real pull requests with a known defect are reviewed in `fanout` by a scripted worker that reports the labelled defect when, and
only when, its prompt holds the defect's changed lines and, where the proof lies elsewhere, a line of the evidence. What then
stands in the review at the right file, within ten lines, survived. On the twins the same worker looks for the evidence of the
`bad` tree in both variants: hits on `bad` minus reports on `good`.
"""

import argparse
import asyncio
import re
import shutil
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import labels as labelled
from benchmarks.labels import Label, Line, hits, label
from benchmarks.table import Row, report
from bot import pipeline
from bot.analyzers import ANALYZERS
from bot.config import Config, Settings
from bot.languages import LANGUAGES
from bot.models.scripted import ScriptedModel
from bot.pipeline import Deps
from bot.rlm.desk import Models, Subject, desk
from bot.rlm.work import Work
from bot.values import Completion, Limits, Prompt, Review, ReviewRequest, Usage, tokens

SURVIVE, TWINS = 0.90, 0.75
CONFIRMED = {"verdict": "confirmed", "trigger": "as labelled", "author_would_change": True, "reason": "labelled"}
_SECTION = re.compile(r"^--- (?:unchanged: )?(.+?) · .*---$", re.MULTILINE)
_NUMBERED = re.compile(r"^([ +-])\s*(\d*) (.*)$")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One label: what happened to it, and what the prompts cost."""

    id: str
    scope: str
    defect: bool  # the changed lines stood in a prompt
    together: bool  # and the evidence beside them
    survived: bool
    said: bool  # above the quota
    calls: int
    tokens: int
    seconds: float


class Oracle:
    """Speaks when what it needs is there; remembers what it saw."""

    def __init__(self, labels: Sequence[Label]) -> None:
        self.labels, self.defect, self.together = labels, set[int](), set[int]()

    def __call__(self, prompt: Prompt) -> Mapping[str, Any]:
        """Findings for the labels whose lines stand in the prompt."""
        text = prompt.messages[-1].text
        if prompt.answer is not None and prompt.answer.name == "verdict":
            return CONFIRMED
        sections = _sections(text)
        found = [self._finding(number, sections) for number in range(len(self.labels))]
        return {"answer": "Read.", "findings": [item for item in found if item is not None]}

    def _finding(self, number: int, sections: Mapping[str, set[str]]) -> dict[str, Any] | None:
        label = self.labels[number]
        at = next((line for line in label.lines if line.text in sections.get(line.path, ())), None)
        if at is None:
            return None
        self.defect.add(number)
        proof = next((line for line in label.proof if line.text in sections.get(line.path, ())), None)
        files = [path for path in label.proof_files if path in sections]
        if any(line.text in sections.get(line.path, ()) for line in label.excuse):
            return None
        if (label.proof and proof is None) or (not label.proof and label.proof_files and not files):
            return None
        self.together.add(number)
        return _told(at, proof)


def _told(at: Line, proof: Line | None) -> dict[str, Any]:
    return {
        "path": at.path,
        "quote": at.text,
        "line": at.number,
        "title": "The labelled defect",
        "why": "As labelled.",
        "consequence": "As labelled.",
        "trigger": "as labelled",
        "severity": "high",
        "category": "logic",
        "claims": [],
        "evidence": [{"path": proof.path, "quote": proof.text}] if proof else [],
        "suggestion": None,
    }


def _sections(text: str) -> dict[str, set[str]]:
    """Path -> the texts of the lines shown of it."""
    found: dict[str, set[str]] = defaultdict(set)
    path = ""
    for row in text.split("\n"):
        if head := _SECTION.match(row):
            path = head[1]
        elif row == "--- end ---":
            path = ""
        elif path and (line := _NUMBERED.match(row)):
            found[path].add(line[3].strip())
    return found


def main() -> int:
    """Review every case and twin for which there is a clone; the exit code says whether the promises hold."""
    parser = labelled.parser(__doc__)
    parser.add_argument("--verbose", action="store_true", help="print the prompts of what was missed")
    asked = parser.parse_args()
    outcomes = list(_run(asked))
    twins = dict(_twins(asked))
    if asked.only:
        return 0
    rows = [*_rows(outcomes), *_twin_rows(twins)]
    details = {"labels": [{n: getattr(o, n) for n in o.__slots__} for o in outcomes], "twins": twins}
    return report("oracle", rows, details)


def _run(asked: argparse.Namespace) -> Iterator[Outcome]:
    for case, repo in labelled.cases(asked, lambda case: case["defects"]):
        found = [label(case, defect, repo) for defect in case["defects"]]
        for outcome in _outcomes(case["id"], found, repo, asked):
            print(_line(outcome), flush=True)
            yield outcome


def _outcomes(name: str, labels: Sequence[Label], repo: Path, asked: argparse.Namespace) -> Iterator[Outcome]:
    oracle = Oracle(labels)
    started = time.perf_counter()
    review, model = reviewed(repo, oracle)
    seconds = round(time.perf_counter() - started, 2)
    size = sum(tokens(message.text) for prompt in model.prompts for message in prompt.messages)
    for number, one in enumerate(labels):
        at = [p for p in review.findings if hits(p.finding.path, p.finding.start, p.finding.end, one)]
        said = any(placed.place != "folded" for placed in at)
        told = number in oracle.defect, number in oracle.together
        if asked.verbose and not told[1]:
            print("\n\n".join(f"##### {prompt.messages[-1].text}" for prompt in model.prompts))
        yield Outcome(name, one.scope, *told, bool(at), said, len(model.prompts), size, seconds)


def _line(o: Outcome) -> str:
    state = "survived" if o.survived else "lost" if o.together else "no evidence" if o.defect else "not shown"
    return f"{state:<12} {o.scope:<11} {o.calls:>3} calls {o.tokens:>7} tokens {o.seconds:>5.1f} s  {o.id}"


def _twins(asked: argparse.Namespace) -> Iterator[tuple[str, dict[str, bool]]]:
    """Both variants of each twin; the oracle is given the evidence of the bad one."""
    for name, places, wanted in labelled.twins(asked):
        found = {}
        for variant in ("bad", "good"):
            outcome = next(_outcomes(f"{name} {variant}", [wanted], places[variant], asked))
            print(_line(outcome), flush=True)
            found[variant] = outcome.survived
        yield name, found


def reviewed(repo: Path, oracle: Oracle) -> tuple[Review, ScriptedModel]:
    """One review in `fanout`, in this process, with the oracle as the worker."""
    model = ScriptedModel(lambda prompt: Completion("", Usage(1, 1), data=oracle(prompt)), "scripted/oracle", price=0.0)
    scratch = tempfile.mkdtemp(prefix="oracle-scratch-")

    @asynccontextmanager
    async def open_desk(subject: Subject, resolved: Config) -> AsyncIterator[Work]:
        chosen = {name: ANALYZERS[name](LANGUAGES) for name in resolved["analyzers"]}
        async with desk(subject, Models(None, model), chosen, Limits(), languages=LANGUAGES) as work:
            yield work

    try:
        flags = {"strategy": "fanout", "analyzers": ("contracts",)}
        parts = Deps(LANGUAGES, open_desk, Settings(), flags, scratch, time.monotonic, lambda _: None)
        return asyncio.run(pipeline.review(ReviewRequest(str(repo), "range", "base", "head"), parts)), model
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _rows(outcomes: Sequence[Outcome]) -> Iterator[Row]:
    if not outcomes:
        return
    scopes = Counter(o.scope for o in outcomes)
    for scope, count in sorted(scopes.items()):
        mine = [o for o in outcomes if o.scope == scope]
        alive = sum(o.survived and o.together for o in mine)
        yield Row(f"{scope}: survived ({alive} of {count})", alive / count)
    alive = sum(o.survived and o.together for o in outcomes)
    yield Row(f"all labels: survived ({alive} of {len(outcomes)})", alive / len(outcomes), SURVIVE, least=True)
    said = sum(o.said and o.together for o in outcomes)
    yield Row(f"above the quota ({said})", said / len(outcomes))
    yield Row("prompt tokens per review, median", sorted(o.tokens for o in outcomes)[len(outcomes) // 2])


def _twin_rows(twins: Mapping[str, Mapping[str, bool]]) -> Iterator[Row]:
    if twins:
        hits, false = sum(t["bad"] for t in twins.values()), sum(t["good"] for t in twins.values())
        yield Row(
            f"twins: {hits} hits - {false} reports, of {len(twins)}", (hits - false) / len(twins), TWINS, least=True
        )


if __name__ == "__main__":
    raise SystemExit(main())
