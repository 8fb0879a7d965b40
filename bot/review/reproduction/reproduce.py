"""Reproduce findings with tests that a model writes.

A test must fail on the head and pass without the defect.

Only the results of runs count. Each test runs twice on every side, the second time in reverse order, and a
another model call reviews it. A finding that cannot be reproduced does not change. The journal records model
calls and runs, so a resumed review repeats neither.
"""

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

from bot import render
from bot.errors import DeepRepoError, public
from bot.findings import proof
from bot.findings.read import strict, text
from bot.reproduction.container import SandboxRefused
from bot.reproduction.rig import Rig, describe_ending, rig
from bot.reproduction.runners import Recipe, judge, nearest
from bot.review import written
from bot.review.session import Session
from bot.sections.reproduction import ATTEMPTS, REPRODUCTION
from bot.values import Excerpt, Finding, PlacedFinding, Side, Verdict, severity_rank
from bot.values.reproduction import MOST_FINDINGS, Reproduction, RunPermission, SandboxOutcome, TestResult
from deeprepo.impact.filetypes import family
from deeprepo.rlm.values import Message, Model, Prompt, Schema

if TYPE_CHECKING:
    from bot.config.defaults import RunSection

NO_RUNNER = "no test runner was found; set `run.test` and `run.files`"
MAX_REPAIRS = 2  # times that a model may correct a faulty test
AUTHOR_CHARS = 1_200  # characters of the pull request's description
SHOWN_TESTS, TEST_CHARS = 2, 6_000  # existing tests in the prompt, and characters of each
MOST_TEST = 20_000  # characters of a new test
OUTPUT_CHARS, SHOWN_CHARS = 3_000, 1_500  # characters of a run's output for models, and for people
LEAST_SECONDS = 5.0  # no run starts if less of the review's time is left
TEST = Schema(
    "test",
    "Hand in the test.",
    strict(
        possible={"type": "boolean", "description": "whether a test can show this without guessing"},
        reason=text("one sentence: what the test asserts and who promises it, or why there can be none"),
        test=text("the whole file; empty if there can be none"),
    ),
)
TEST_SCHEMA = Schema(
    "reading",
    "Hand in the verdict on the test.",
    strict(
        reason=text("one sentence"),
        proves={"type": "boolean", "description": "whether the test proves the finding"},
    ),
)


class _NotShownError(DeepRepoError):
    """No test reproduces the finding. The message is the reason."""


@dataclass(slots=True)
class _Attempt:
    placed_finding: PlacedFinding
    how: Recipe
    path: str
    command: str
    test: str = ""
    # The keys are "head", "base" and "fixed" (the head with the suggestion).
    runs: dict[str, tuple[TestResult, SandboxOutcome]] = field(default_factory=dict)
    why: str = ""  # why it was not reproduced

    @property
    def finding(self) -> Finding:
        return self.placed_finding.finding

    @property
    def results(self) -> dict[str, TestResult]:
        return {name: result for name, (result, _) in self.runs.items()}


async def reproduce(
    placed_findings: Sequence[PlacedFinding], session: Session, permission: RunPermission, section: "RunSection"
) -> tuple[PlacedFinding, ...]:
    """Return the findings, with tests for those that were reproduced. Notes and a list explain the others."""
    model = session.root or session.reader
    wanted = _wanted(placed_findings, MOST_FINDINGS)
    if model is None or not wanted:
        return tuple(placed_findings)
    if permission.refusal:
        session.results.notes.append(f"No tests were run: {permission.refusal}.")
        return tuple(placed_findings)
    trial = _Trial(session, await rig(session.survey.tree, session.pull, section, permission), model)
    changed: dict[int, PlacedFinding] = {}
    rows: list[_Attempt] = []
    try:
        for one in wanted:
            attempt = await trial.attempt(one)
            if attempt is not None:
                rows.append(attempt)
                changed[id(one)] = _shown(attempt)
    except SandboxRefused as error:
        sentence = f"No more tests were run: {public(error)}." if rows else f"{public(error)}."
        session.results.notes.append(sentence[:1].upper() + sentence[1:])
    except asyncio.CancelledError:
        if not session.take_back_cancel():
            raise
        session.results.notes.append("The last test was stopped early.")
    if rows:
        done = sum(1 for row in rows if not row.why)
        session.results.notes.append(f"Tests reproduce {done} of {render.count(len(rows), 'finding')}.")
    elif trial.is_unknown:
        session.results.notes.append(f"No tests were run: {NO_RUNNER}.")
    session.results.parts[ATTEMPTS.key] = tuple(
        (f"{row.finding.path}:{row.finding.start}", row.why) for row in rows if row.why
    )
    return tuple(changed.get(id(finding), finding) for finding in placed_findings)


def _wanted(placed_findings: Sequence[PlacedFinding], most: int) -> list[PlacedFinding]:
    """Return the findings to try, worst first: unproven findings on the head that are not minor."""

    def is_fit(finding: Finding) -> bool:
        is_guess = not finding.proven and REPRODUCTION.of(finding) is None and finding.category != "secret"
        return is_guess and finding.severity != "low" and finding.side == "head"

    def urgency(placed_finding: PlacedFinding) -> tuple[int, str, int]:
        finding = placed_finding.finding
        return severity_rank(finding.severity), finding.path, finding.start

    return sorted(
        (placed_finding for placed_finding in placed_findings if is_fit(placed_finding.finding)), key=urgency
    )[:most]


@dataclass(slots=True)
class _Trial:
    session: Session
    rig: Rig
    model: Model
    is_unknown: bool = False  # whether no test runner is known for some finding

    async def attempt(self, placed_finding: PlacedFinding) -> _Attempt | None:
        """Try to reproduce one finding. Returns None if no known test runner fits. Raises SandboxRefused."""
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
            await self._write(attempt, excerpts)
            await self._repeat(attempt)
            reply = await self.session.calls.complete(self.model, self._reading(attempt, excerpts), "verify")
            if not (reply.data or {}).get("proves"):
                raise _NotShownError(f"a model rejected its test: {(reply.data or {}).get('reason', '')}".rstrip(": "))
        except SandboxRefused:
            raise
        except DeepRepoError as error:
            attempt.why = public(error)
        return attempt

    async def _write(self, attempt: _Attempt, excerpts: Sequence[Excerpt]) -> None:
        """Let the model write a test that fails on the head and passes on another side, with repairs.

        Raises _NotShownError if it fails to write one.
        """
        prompt = await self._prompt(attempt, excerpts)
        for repair in range(MAX_REPAIRS + 1):
            reply = await self.session.calls.complete(self.model, prompt, "verify")
            data = reply.data or {}
            attempt.test, attempt.runs = str(data.get("test") or ""), {}
            if not data.get("possible") or not attempt.test.strip():
                raise _NotShownError(f"no test was written: {data.get('reason', '')}".rstrip(": "))
            if len(attempt.test) > MOST_TEST:
                raise _NotShownError(f"its test is longer than {MOST_TEST:,} characters")
            fault = await self._fault(attempt)
            if not fault:
                return
            if repair == MAX_REPAIRS:
                raise _NotShownError(fault)
            _, outcome = list(attempt.runs.values())[-1]
            feedback = render.text(
                "prompts/reproduction_again.md.j2", what=fault, output=outcome.output[-OUTPUT_CHARS:]
            )
            prompt = prompt.further(reply, feedback)

    async def _fault(self, attempt: _Attempt) -> str:
        """Run the test once on each side. Return a sentence about what is wrong with the test itself, or "".

        Raises _NotShownError if the test is fine but does not show the finding.
        """
        head = attempt.runs["head"] = await self._run(attempt, "head", 1)
        if head[0] == "green":
            raise _NotShownError("its test passes on the head")
        if head[0] == "limit":
            raise _NotShownError(f"its test {describe_ending(head[1])}")
        if head[0] != "red":
            return "On the new code, the test did not fail at an assertion, so the test itself is wrong."
        attempt.runs["base"] = await self._run(attempt, "base", 1)
        if attempt.placed_finding.replacement is not None:
            attempt.runs["fixed"] = await self._run(attempt, "fixed", 1)
        results = attempt.results
        if results["base"] == "red":
            return "The test also fails on the old code, so it asserts something that the code never did."
        if "green" not in (results["base"], results.get("fixed")):
            raise _NotShownError("its test fails on the head, and neither the base nor the fix passes it")
        return ""

    async def _repeat(self, attempt: _Attempt) -> None:
        """Run the test again in reverse order. Raises _NotShownError if any result differs."""
        for name, result in reversed(attempt.results.items()):
            if result in ("red", "green") and (await self._run(attempt, name, 2))[0] != result:
                raise _NotShownError("its test is flaky")

    async def _run(self, attempt: _Attempt, name: str, time: int) -> tuple[TestResult, SandboxOutcome]:
        """Raises SandboxRefused.

        `name` is "head", "base" or "fixed". `time` is 1 or 2, for the first and the second run.
        """
        files = {attempt.path: attempt.test}
        side: Side = "base" if name == "base" else "head"
        if name == "fixed":
            files[attempt.finding.path] = await self._with_fix(attempt.placed_finding)
        about = f"{attempt.path} on the {name if name != 'fixed' else 'head with the suggestion'}"
        pull = self.session.pull
        facts = [pull.base if side == "base" else pull.head, sorted(files.items()), attempt.command, time]
        key = hashlib.sha256(json.dumps(facts).encode("utf-8", "surrogatepass")).hexdigest()
        journal = self.session.calls.journal
        record = journal.get("run", key)
        if record is None:
            try:
                record = asdict(await self._outcome(side, attempt, files, about))
            except SandboxRefused as error:
                record = {"refused": str(error)}
            else:
                record["output"] = written.of_run(record["output"], self.session.survey.masks)
            journal.put("run", key=key, about=about, **record)
        if "refused" in record:
            raise SandboxRefused(record["refused"])
        outcome = SandboxOutcome(
            record["ending"], record["status"], record["output"], record["seconds"], tuple(record["probe"])
        )
        return judge(attempt.how.runner, outcome), outcome

    async def _outcome(self, side: Side, attempt: _Attempt, files: Mapping[str, str], about: str) -> SandboxOutcome:
        left = self.session.calls.budget.seconds_left()
        if left is not None and left < LEAST_SECONDS:
            raise SandboxRefused("the review's time limit was reached")
        self.session.say(f"running {about}")
        return await self.rig.run(side, attempt.command, files, attempt.how.folder, left)

    async def _with_fix(self, placed_finding: PlacedFinding) -> str:
        blob = await self.session.tree.read(placed_finding.finding.path) or b""
        lines = blob.decode("utf-8", "surrogateescape").split("\n")
        spot, new = placed_finding.spot, placed_finding.replacement
        if spot is None or new is None:
            return "\n".join(lines)
        return "\n".join([*lines[: spot.start - 1], *([new] if new else []), *lines[spot.end :]])

    async def _prompt(self, attempt: _Attempt, excerpts: Sequence[Excerpt]) -> Prompt:
        asked = render.text(
            "prompts/reproduction_write.md.j2",
            finding=attempt.finding,
            excerpts=excerpts,
            tests=await self._tests(attempt),
            runner=attempt.how.runner.language,
            path=attempt.path,
            command=attempt.command,
        )
        system = render.text("prompts/reproduction_write_system.md.j2")
        return Prompt((Message("system", system), Message("user", asked)), answer=TEST, max_tokens=4096)

    def _reading(self, attempt: _Attempt, excerpts: Sequence[Excerpt]) -> Prompt:
        results = attempt.results
        asked = render.text(
            "prompts/reproduction_read.md.j2",
            title=self.session.pull.title,
            body=render.cut(self.session.pull.body, AUTHOR_CHARS),
            finding=attempt.finding,
            excerpts=excerpts,
            path=attempt.path,
            test=attempt.test,
            command=attempt.command,
            output=attempt.runs["head"][1].output[-OUTPUT_CHARS:],
            base="On the old code it passes, twice." if results.get("base") == "green" else "The old code does not have what the test calls.",
            fixed="With the suggested fix it passes." if results.get("fixed") == "green" else "",
        )  # fmt: skip
        system = render.text("prompts/reproduction_read_system.md.j2")
        return Prompt((Message("system", system), Message("user", asked)), answer=TEST_SCHEMA, max_tokens=1024)

    async def _tests(self, attempt: _Attempt) -> list[dict[str, str]]:
        kind = family(attempt.path)
        paths = (path for path in await self.session.tree.entries() if family(path) == kind)
        chosen = nearest(attempt.finding.path, paths)[:SHOWN_TESTS]
        texts = await self.session.tree.read_many(chosen)
        return [
            {"path": path, "text": render.cut(texts[path].decode("utf-8", "replace"), TEST_CHARS)}
            for path in chosen
            if path in texts
        ]


def _shown(attempt: _Attempt) -> PlacedFinding:
    placed, finding = attempt.placed_finding, attempt.finding
    if attempt.why:
        return placed
    results, output = attempt.results, attempt.runs["head"][1].output[-SHOWN_CHARS:]
    shown = Reproduction(
        attempt.path, attempt.test, attempt.command, output, results.get("base", ""), results.get("fixed", "")
    )
    parts = {**finding.parts, REPRODUCTION.key: shown}
    finding = replace(finding.with_verdict(Verdict.REPRODUCED), parts=parts)
    if shown.fixed == "red":
        return replace(placed, finding=finding, replacement=None, refused="red")
    return replace(placed, finding=finding)
