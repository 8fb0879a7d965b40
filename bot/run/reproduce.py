"""Proof by running: a model writes a test about a finding, and a sandbox shows whether it fails on the head and passes without the defect.

Only what was run decides, twice and in both orders, and a second opinion reads the test. A finding that cannot be reproduced stays what
it was. Calls and runs are in the journal: a replay asks nobody and starts nothing.
"""

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

from bot import render
from bot.errors import DeepRepoError
from bot.findings import proof
from bot.findings.read import strict, text
from bot.findings.verify import pull_fields
from bot.masking.masks import Masks
from bot.ports import Model
from bot.review.session import Session
from bot.run.rig import Rig, Sides, how_it_ended, rig
from bot.run.runners import Recipe, Result, judge, nearest
from bot.run.values import Outcome, RunPermission, SandboxRefused
from bot.text.filetypes import family
from bot.text.paths import is_test
from bot.values import (
    Excerpt,
    Finding,
    Message,
    PlacedFinding,
    Prompt,
    Reproduction,
    Schema,
    Side,
    Verdict,
    severity_rank,
)

if TYPE_CHECKING:
    from bot.config import RunSection

UNKNOWN = "no test runner was found; set `run.test` and `run.files`"
MENDS = 2  # of a test that is itself at fault
SHOWN_TESTS, TEST_CHARS = 2, 6_000  # existing tests in the prompt
MOST_TEST = 20_000  # characters of a new test
OUTPUT_CHARS = 3_000  # that a model is shown; a reader is shown the last of them
SHOWN_CHARS = 1_500
LEAST_SECONDS = 5.0  # of the review's own time that a run needs
TEST = Schema(
    "test",
    "Hand in the test.",
    strict(
        possible={"type": "boolean", "description": "whether a test can show this without guessing"},
        reason=text("one sentence: what the test asserts and who promises it, or why there can be none"),
        test=text("the whole file; empty if there can be none"),
    ),
)
READING = Schema(
    "reading",
    "Hand in the opinion on the test.",
    strict(
        reason=text("one sentence"),
        proves={"type": "boolean", "description": "whether the test proves the claim"},
    ),
)


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of one test."""

    result: Result
    outcome: Outcome


@dataclass(slots=True)
class _Attempt:
    """One finding, and what running has shown of it."""

    placed_finding: PlacedFinding
    how: Recipe
    path: str
    command: str
    test: str = ""
    runs: dict[str, Ran] = field(default_factory=dict)  # "head", "base", "fixed"
    why: str = ""  # it was not reproduced

    @property
    def finding(self) -> Finding:
        return self.placed_finding.finding


async def reproduce(
    placed_findings: Sequence[PlacedFinding],
    refuted_findings: Sequence[PlacedFinding],
    session: Session,
    permission: RunPermission,
    section: "RunSection",
) -> tuple[tuple[PlacedFinding, ...], tuple[PlacedFinding, ...]]:
    """The findings, those that a test shows with it, and what it shows of the contested ones: reproduced beats refuted.

    `refuted_findings`: those that a second opinion refuted by a ground that running can decide. Why findings were not reproduced is a note of
    the review; a contested one of which a test shows nothing stays refuted, without a word.
    """
    model = session.root or session.reader
    wanted = _wanted(placed_findings, section.findings)
    doubtful = _wanted(refuted_findings, section.findings - len(wanted))
    if model is None or not (wanted or doubtful):
        return tuple(placed_findings), ()
    if permission.refusal:
        session.notes.append(f"No finding was tried with a test: {permission.refusal}.")
        return tuple(placed_findings), ()
    tree = session.survey.tree
    sides = Sides(session.pull.url or session.pull.git_dir, tree.entries, tree.archive, tree.read_many)
    tried = _Trial(session, await rig(sides, section, permission), model)
    changed: dict[int, PlacedFinding] = {}
    rows: list[_Attempt] = []
    try:
        for one in (*wanted, *doubtful):
            attempt = await tried.attempt(one)
            if attempt is not None and (one in wanted or not attempt.why):
                rows.append(attempt)
                changed[id(one)] = _shown(attempt)
    except SandboxRefused as error:
        sentence = f"No further finding was tried with a test: {error}." if rows else f"{error}."
        session.notes.append(sentence[:1].upper() + sentence[1:])
    except asyncio.CancelledError:
        if not session.take_back_cancel():
            raise
        session.notes.append("The last test was broken off.")
    if rows:
        done = sum(1 for row in rows if not row.why)
        session.notes.append(f"A test reproduces {done} of {render.count(len(rows), 'finding')} that were tried.")
    elif tried.is_unknown:
        session.notes.append(f"No finding was tried with a test: {UNKNOWN}.")
    session.attempts += [(f"{row.finding.path}:{row.finding.start}", row.why) for row in rows if row.why]
    return tuple(changed.get(id(one), one) for one in placed_findings), tuple(
        changed[id(one)] for one in refuted_findings if id(one) in changed
    )


def _wanted(placed_findings: Sequence[PlacedFinding], most: int) -> list[PlacedFinding]:
    """What is tried, worst first: what a reader is told of as an opinion, in code, on the head."""
    fit = [
        one
        for one in placed_findings
        if not one.finding.proven
        and one.finding.severity != "low"
        and one.finding.side == "head"
        and one.finding.category != "secret"
        and one.finding.reproduction is None
    ]

    def urgency(placed_finding: PlacedFinding) -> tuple[int, str, int]:
        finding = placed_finding.finding
        return severity_rank(finding.severity), finding.path, finding.start

    return sorted(fit, key=urgency)[: max(most, 0)]


@dataclass(slots=True)
class _Trial:
    """Tries the findings of one review, one after the other."""

    session: Session
    rig: Rig
    model: Model
    is_unknown: bool = False  # how tests about some finding are run

    async def attempt(self, placed_finding: PlacedFinding) -> _Attempt | None:
        """Try one finding; None if it is about code that the test runner does not run. Raises SandboxRefused."""
        finding = placed_finding.finding
        number = hashlib.sha256(f"{finding.path}\0{finding.fingerprint}\0{finding.start}".encode()).hexdigest()[:8]
        entries = await self.session.tree.entries()
        how = self.rig.layout.recipe(self.rig.section, finding.path)
        if how is None:
            self.is_unknown = True
            return None
        path = how.path(number, finding.path)
        if family(path) != family(finding.path) or path in entries:
            return None
        attempt = _Attempt(placed_finding, how, path, how.command(path, number))
        self.session.say(f"writing a test about {finding.path}:{finding.start}")
        excerpts = await proof.gather(finding, self.session.tree, self.session.dependents, self.session.files)
        try:
            await self._written(attempt, excerpts)
            if not attempt.why and await self._again(attempt):
                reply = await self.session.calls.complete(self.model, self._reading(attempt, excerpts), "verify")
                data = reply.data or {}
                if not data.get("proves"):
                    attempt.why = f"a second opinion on its test: {data.get('reason', '')}".rstrip(": ")
        except SandboxRefused:
            raise
        except DeepRepoError as error:
            attempt.why = str(error)
        return attempt

    async def _written(self, attempt: _Attempt, excerpts: Sequence[Excerpt]) -> None:
        """A test that fails on the head and passes on another side, or the reason why no test does."""
        prompt = await self._prompt(attempt, excerpts)
        for mend in range(MENDS + 1):
            reply = await self.session.calls.complete(self.model, prompt, "verify")
            data = reply.data or {}
            attempt.test = str(data.get("test") or "")
            if not data.get("possible") or not attempt.test.strip():
                attempt.why = f"no test was written: {data.get('reason', '')}".rstrip(": ")
                return
            attempt.runs = {}
            fault = await self._first(attempt)
            if not fault or attempt.why:
                return
            if mend == MENDS:
                attempt.why = fault
                return
            output = attempt.runs[list(attempt.runs)[-1]].outcome.output
            told = render.text("prompts/reproduce_again.md.j2", what=fault, output=output[-OUTPUT_CHARS:])
            prompt = prompt.further(reply, told)

    async def _first(self, attempt: _Attempt) -> str:
        """Run it on each side for the first time; what is wrong with the test itself, as a sentence."""
        if len(attempt.test) > MOST_TEST:
            raise DeepRepoError(f"its test is longer than {MOST_TEST:,} characters")
        head = await self._run(attempt, "head", 1)
        if head.result == "green":
            attempt.why = "its test passes on the head"
        if head.result == "limit":
            attempt.why = f"its test {how_it_ended(head.outcome)}"
        if head.result != "red":
            return "On the code after the change the test did not fail by an assertion: it is itself at fault."
        base = await self._run(attempt, "base", 1)
        fixed = await self._run(attempt, "fixed", 1) if attempt.placed_finding.replacement is not None else None
        if base.result == "green" or (fixed is not None and fixed.result == "green" and base.result != "red"):
            return ""
        if base.result == "red":
            return "The test fails on the code before the change, too: it asserts what that code never did."
        attempt.why = "its test fails on the head, and no other side passes it"
        return ""

    async def _again(self, attempt: _Attempt) -> bool:
        """Run it once more, in the other order: what comes out otherwise is no proof."""
        first = dict(attempt.runs)
        for name in reversed(first):
            if (
                first[name].result in ("red", "green")
                and (await self._run(attempt, name, 2)).result != first[name].result
            ):
                attempt.why = "its test gives another result each time"
                return False
        attempt.runs = first
        return True

    async def _run(self, attempt: _Attempt, name: str, time: int) -> Ran:
        """Run the test on one side, or take the outcome from the journal. Raises SandboxRefused."""
        files = {attempt.path: attempt.test}
        side: Side = "base" if name == "base" else "head"
        if name == "fixed":
            files[attempt.finding.path] = await self._mended(attempt.placed_finding)
        about = f"{attempt.path} on the {name if name != 'fixed' else 'head with the suggestion'}"
        pull = self.session.pull
        facts = [pull.base if side == "base" else pull.head, sorted(files.items()), attempt.command, time]
        key = hashlib.sha256(json.dumps(facts).encode("utf-8", "surrogatepass")).hexdigest()
        journal = self.session.calls.journal
        row = journal.get("run", key)
        if row is None:
            try:
                outcome = await self._outcome(side, attempt, files, about)
            except SandboxRefused as error:
                row = {"refused": str(error)}
            else:
                own = Masks()  # not those of the review: a replay prints nothing that could be learned
                own.learn(outcome.output)
                told = self.session.calls.masks.cover(own.cover(outcome.output, guesses=True), guesses=True)
                row = {**asdict(outcome), "output": told}
            journal.put("run", key=key, about=about, **row)
        if "refused" in row:
            raise SandboxRefused(row["refused"])
        known = {name: row[name] for name in ("ending", "status", "output", "seconds")}
        outcome = Outcome(**known, probe=tuple(row["probe"]))
        ran = Ran(judge(attempt.how.runner, outcome), outcome)
        if time == 1:
            attempt.runs[name] = ran
        return ran

    async def _outcome(self, side: Side, attempt: _Attempt, files: Mapping[str, str], about: str) -> Outcome:
        left = self.session.calls.budget.seconds_left()
        if left is not None and left < LEAST_SECONDS:
            raise SandboxRefused("the time of this review is up")
        self.session.say(f"running {about}")
        return await self.rig.run(side, attempt.command, files, attempt.how.folder, left)

    async def _mended(self, placed_finding: PlacedFinding) -> str:
        """The file of a finding with its suggestion."""
        blob = await self.session.tree.read(placed_finding.finding.path) or b""
        lines = blob.decode("utf-8", "surrogateescape").split("\n")
        spot, new = placed_finding.spot, placed_finding.replacement
        if spot is None or new is None:
            return "\n".join(lines)
        return "\n".join([*lines[: spot.start - 1], *([new] if new else []), *lines[spot.end :]])

    async def _prompt(self, attempt: _Attempt, excerpts: Sequence[Excerpt]) -> Prompt:
        asked = render.text(
            "prompts/reproduce.md.j2",
            finding=attempt.finding,
            excerpts=excerpts,
            tests=await self._tests(attempt),
            runner=attempt.how.runner.language,
            path=attempt.path,
            command=attempt.command,
        )
        system = render.text("prompts/reproduce_system.md.j2")
        return Prompt((Message("system", system), Message("user", asked)), answer=TEST, max_tokens=4096)

    def _reading(self, attempt: _Attempt, excerpts: Sequence[Excerpt]) -> Prompt:
        runs = attempt.runs
        results = {name: ran.result for name, ran in runs.items()}
        asked = render.text(
            "prompts/reproduce_read.md.j2",
            **pull_fields(self.session.pull),
            finding=attempt.finding,
            excerpts=excerpts,
            path=attempt.path,
            test=attempt.test,
            command=attempt.command,
            output=runs["head"].outcome.output[-OUTPUT_CHARS:],
            base="On the code before the change it passes, twice." if results.get("base") == "green" else "The code before the change has not what it calls.",
            fixed="With the suggested fix it passes." if results.get("fixed") == "green" else "",
        )  # fmt: skip
        system = render.text("prompts/reproduce_read_system.md.j2")
        return Prompt((Message("system", system), Message("user", asked)), answer=READING, max_tokens=1024)

    async def _tests(self, attempt: _Attempt) -> list[dict[str, str]]:
        """Existing tests of the same area, nearest first: by name, then by folder."""
        kind = family(attempt.path)
        tests = [path for path in await self.session.tree.entries() if is_test(path) and family(path) == kind]
        chosen = nearest(attempt.finding.path, tests)[:SHOWN_TESTS]
        texts = await self.session.tree.read_many(chosen)
        return [
            {"path": path, "text": render.cut(texts[path].decode("utf-8", "replace"), TEST_CHARS)}
            for path in chosen
            if path in texts
        ]


def _shown(attempt: _Attempt) -> PlacedFinding:
    """The finding as a reader is shown it."""
    placed, finding = attempt.placed_finding, attempt.finding
    if attempt.why:
        return placed
    results = {name: ran.result for name, ran in attempt.runs.items()}
    shown = Reproduction(
        attempt.path,
        attempt.test,
        attempt.command,
        attempt.runs["head"].outcome.output[-SHOWN_CHARS:],
        results.get("base", ""),
        results.get("fixed", ""),
    )
    finding = replace(finding, verdict=Verdict.REPRODUCED, unconfirmed=False, reproduction=shown)
    if shown.fixed == "red":
        return replace(placed, finding=finding, replacement=None, refused="red")
    return replace(placed, finding=finding)
