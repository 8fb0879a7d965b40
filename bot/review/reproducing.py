"""Proof by running: a model writes a test about a finding, and a sandbox shows whether it fails on the head and passes without the defect.

Only what was run decides, twice and in both orders, and a second opinion reads the test. A finding that cannot be reproduced stays what
it was. Calls and runs are in the journal: a replay asks nobody and starts nothing.
"""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from bot import render
from bot.errors import DeepRepoError
from bot.findings import proof
from bot.findings.read import strict, text
from bot.findings.verify import pull_fields
from bot.masking.masks import Masks
from bot.ports import Model
from bot.review.running.placing import nearest, subject
from bot.review.running.presets import Result, judge
from bot.review.running.rig import Rig, Sides, how_it_ended, rig
from bot.review.running.runners import Recipe
from bot.review.running.values import Outcome, RunPermission, SandboxRefused
from bot.review.session import Session
from bot.text.filetypes import family
from bot.text.paths import is_test
from bot.values import (
    Completion,
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
OWN_TESTS = 3  # existing tests of a file that a suggestion has to pass
OWN_SECONDS = 30.0  # of one of them at most
MOST_TEST = 20_000  # characters of a new test
OUTPUT_CHARS = 3_000  # that a model is shown; a reader is shown the last of them
SHOWN_CHARS = 1_500
LEAST_SECONDS = 5.0  # of the review's own time that a run needs
TEST = {
    "possible": {"type": "boolean", "description": "whether a test can show this without guessing"},
    "reason": text("one sentence: what the test asserts and who promises it, or why there can be none"),
    "test": text("the whole file; empty if there can be none"),
}
READING = {
    "reason": text("one sentence"),
    "proves": {"type": "boolean", "description": "whether the test proves the claim"},
}


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
    wanted = _wanted(placed_findings, section.findings) if model is not None else []
    doubtful = _wanted(refuted_findings, section.findings - len(wanted)) if model is not None else []
    suggestions = [one for one in placed_findings if one.replacement is not None] if section.own else []
    test_rig = await _rig(session, permission, section) if wanted or doubtful or suggestions else None
    if test_rig is None:
        return tuple(placed_findings), ()
    tried = _Trial(session, test_rig, model)
    changed: dict[int, PlacedFinding] = {}
    rows: list[_Attempt] = []
    try:
        for one in (*wanted, *doubtful):
            attempt = await tried.attempt(one)
            if attempt is None:
                continue
            if one in wanted or not attempt.why:
                rows.append(attempt)
                changed[id(one)] = _shown(attempt)
        if section.own:
            placed_rows = [*placed_findings, *(one for one in doubtful if id(one) in changed)]
            await tried.withhold(placed_rows, changed, section.findings)
    except SandboxRefused as error:
        session.notes.append(
            f"No further finding was tried with a test: {error}." if rows else f"{_upper(str(error))}."
        )
    except asyncio.CancelledError:
        if not session.take_back_cancel():
            raise
        session.notes.append("The last test was broken off.")
    session.notes += _told(rows)
    if tried.is_unknown and not rows:
        session.notes.append(f"No finding was tried with a test: {UNKNOWN}.")
    session.attempts += [(f"{row.finding.path}:{row.finding.start}", row.why) for row in rows if row.why]
    return tuple(changed.get(id(one), one) for one in placed_findings), tuple(
        changed[id(one)] for one in refuted_findings if id(one) in changed
    )


async def _rig(session: Session, permission: RunPermission, section: "RunSection") -> Rig | None:
    """The tests of the change, ready to run; None with a note if they may not be run."""
    if permission.refusal:
        session.notes.append(f"No finding was tried with a test: {permission.refusal}.")
        return None
    return await rig(_sides(session), section, permission)


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
    return sorted(fit, key=_urgency)[: max(most, 0)]


def _urgency(placed_finding: PlacedFinding) -> tuple[int, str, int]:
    """The place in the order: worst first."""
    finding = placed_finding.finding
    return severity_rank(finding.severity), finding.path, finding.start


@dataclass(slots=True)
class _Trial:
    """Tries the findings of one review, one after the other."""

    session: Session
    rig: Rig
    model: Model | None  # none: only tests that are there already are run
    is_unknown: bool = False  # how tests about some finding are run

    async def attempt(self, placed_finding: PlacedFinding) -> _Attempt | None:
        """Try one finding; None if it is about code that the test runner does not run. Raises SandboxRefused."""
        finding = placed_finding.finding
        number = hashlib.sha256(f"{finding.path}\0{finding.fingerprint}\0{finding.start}".encode()).hexdigest()[:8]
        entries = await self.session.tree.entries()
        how = self.rig.recipe(finding.path)
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
            await self._try(attempt, excerpts)
        except SandboxRefused:
            raise
        except DeepRepoError as error:
            attempt.why = str(error)
        return attempt

    async def withhold(
        self, placed_findings: Sequence[PlacedFinding], updates: dict[int, PlacedFinding], most: int
    ) -> None:
        """Take the suggestions back with which quick tests of the repository fail that pass without them. Raises SandboxRefused."""
        offers = [(one, updates.get(id(one), one)) for one in sorted(placed_findings, key=_urgency)]
        offers = [(one, now) for one, now in offers if now.replacement is not None and now.finding.side == "head"]
        passes, failures = 0, 0
        for one, now in offers[:most]:
            results = [await self._with_own_test(now, path) for path in await self._own_tests(now.finding)]
            if "red" in results:
                failures += 1
                updates[id(one)] = replace(now, replacement=None, refused="own")
            elif "green" in results:
                passes += 1
        if passes or failures:
            total = render.count(passes + failures, "suggestion")
            self.session.notes.append(f"The repository's own tests of the file pass with {passes} of {total}.")

    async def _own_tests(self, finding: Finding) -> list[str]:
        """The test files of the repository that are named after the file of a finding."""
        stem = PurePosixPath(finding.path).stem.lower()
        if is_test(finding.path):
            return [finding.path]
        near = await self._nearest(finding.path, family(finding.path))
        return [path for path in near if subject(path) == stem][:OWN_TESTS]

    async def _with_own_test(self, placed_finding: PlacedFinding, path: str) -> Result:
        """What a test file of the repository says of a suggestion: "red" if it passes without it, and twice not with it."""
        how = self.rig.recipe(placed_finding.finding.path)
        if how is None or await self._own_run(how, path, {}, 1) != "green":
            return "fault"
        files = {placed_finding.finding.path: await self._mended(placed_finding)}
        for time in (1, 2):
            if await self._own_run(how, path, files, time) == "green":
                return "green"
        return "red"

    async def _own_run(self, how: Recipe, path: str, files: Mapping[str, str], time: int) -> Result:
        about = f"{path}{' with a suggestion' if files else ''}"
        return (await self._recorded_run("head", files, how, how.own_command(path), time, about, OWN_SECONDS)).result

    async def _try(self, attempt: _Attempt, excerpts: Sequence[Excerpt]) -> None:
        await self._written(attempt, excerpts)
        if attempt.why or not await self._again(attempt):
            return
        reply = await self._complete(self._reading(attempt, excerpts))
        if not (reply.data or {}).get("proves"):
            attempt.why = f"a second opinion on its test: {(reply.data or {}).get('reason', '')}".rstrip(": ")

    async def _written(self, attempt: _Attempt, excerpts: Sequence[Excerpt]) -> None:
        """A test that fails on the head and passes on another side, or the reason why no test does."""
        prompt = await self._prompt(attempt, excerpts)
        for mend in range(MENDS + 1):
            reply = await self._complete(prompt)
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
        ran = await self._recorded_run(side, files, attempt.how, attempt.command, time, about)
        if time == 1:
            attempt.runs[name] = ran
        return ran

    async def _recorded_run(
        self,
        side: Side,
        files: Mapping[str, str],
        how: Recipe,
        command: str,
        time: int,
        about: str,
        most: float | None = None,
    ) -> Ran:
        """Run a command over one side with these files, for so many seconds at most, or take the outcome from the journal."""
        pull = self.session.pull
        facts = [pull.base if side == "base" else pull.head, sorted(files.items()), command, time]

        async def work() -> Outcome:
            left = self.session.calls.budget.seconds_left()
            if left is not None and left < LEAST_SECONDS:
                raise SandboxRefused("the time of this review is up")
            self.session.say(f"running {about}")
            seconds = min((each for each in (left, most) if each is not None), default=None)
            return await self.rig.run(side, command, files, how.folder, seconds)

        outcome = await self._recorded(facts, about, work)
        return Ran(judge(how.preset, outcome), outcome)

    async def _recorded(self, facts: Sequence[Any], about: str, work: Callable[[], Awaitable[Outcome]]) -> Outcome:
        journal, masks = self.session.calls.journal, self.session.calls.masks
        key = hashlib.sha256(json.dumps(facts).encode("utf-8", "surrogatepass")).hexdigest()
        row = journal.get("run", key)
        if row is None:
            try:
                outcome = await work()
            except SandboxRefused as error:
                row = {"refused": str(error)}
            else:
                own = Masks()  # not those of the review: a replay prints nothing that could be learned
                own.learn(outcome.output)
                told = masks.cover(own.cover(outcome.output, guesses=True), guesses=True)
                row = {**asdict(outcome), "output": told}
            journal.put("run", key=key, about=about, **row)
        if "refused" in row:
            raise SandboxRefused(row["refused"])
        given = {name: row[name] for name in ("ending", "status", "output", "seconds")}
        return Outcome(**given, probe=tuple(row["probe"]))

    async def _mended(self, placed_finding: PlacedFinding) -> str:
        """The file of a finding with its suggestion."""
        blob = await self.session.tree.read(placed_finding.finding.path) or b""
        lines = blob.decode("utf-8", "surrogateescape").split("\n")
        spot, new = placed_finding.spot, placed_finding.replacement
        if spot is None or new is None:
            return "\n".join(lines)
        return "\n".join([*lines[: spot.start - 1], *([new] if new else []), *lines[spot.end :]])

    async def _complete(self, prompt: Prompt) -> Completion:
        if self.model is None:
            raise DeepRepoError("no model writes tests in this review")
        return await self.session.calls.complete(self.model, prompt, "verify")

    async def _prompt(self, attempt: _Attempt, excerpts: Sequence[Excerpt]) -> Prompt:
        asked = render.text(
            "prompts/reproduce.md.j2",
            finding=attempt.finding,
            excerpts=excerpts,
            tests=await self._tests(attempt),
            runner=attempt.how.language,
            path=attempt.path,
            command=attempt.command,
        )
        system = render.text("prompts/reproduce_system.md.j2")
        return Prompt((Message("system", system), Message("user", asked)), answer=_schema("test"), max_tokens=4096)

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
        return Prompt((Message("system", system), Message("user", asked)), answer=_schema("reading"), max_tokens=1024)

    async def _tests(self, attempt: _Attempt) -> list[dict[str, str]]:
        """Existing tests of the same area, nearest first: by name, then by folder."""
        chosen = (await self._nearest(attempt.finding.path, family(attempt.path)))[:SHOWN_TESTS]
        texts = await self.session.tree.read_many(chosen)
        return [
            {"path": path, "text": render.cut(texts[path].decode("utf-8", "replace"), TEST_CHARS)}
            for path in chosen
            if path in texts
        ]

    async def _nearest(self, path: str, kind: str) -> list[str]:
        """The test files of a language, nearest to a file first."""
        return nearest(path, [one for one in await self.session.tree.entries() if is_test(one) and family(one) == kind])


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


def _told(rows: Sequence[_Attempt]) -> list[str]:
    """How many of the findings that were tried a test reproduces, as a sentence."""
    done = sum(1 for row in rows if not row.why)
    return [f"A test reproduces {done} of {render.count(len(rows), 'finding')} that were tried."] if rows else []


def _sides(session: Session) -> Sides:
    """Both sides of the change, by its pull request."""
    tree = session.survey.tree
    return Sides(session.pull.url or session.pull.git_dir, tree.entries, tree.archive, tree.read_many)


def _upper(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


@cache
def _schema(name: str) -> Schema:
    """What is asked for: a test, or an opinion on one."""
    if name == "test":
        return Schema(name, "Hand in the test.", strict(**TEST))
    return Schema(name, "Hand in the opinion on the test.", strict(**READING))
