"""The worker with a model: whole units packed into small prompts, with the bodies of their callers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from bot import render
from bot.errors import DeepRepoError
from bot.findings import read
from bot.ledger import Ledger
from bot.ports import Model, Tree
from bot.rlm.calls import Calls
from bot.rlm.work import Answer
from bot.values import (
    Completion,
    Finding,
    Message,
    Prompt,
    PullRequest,
    Reference,
    Unit,
    tokens,
)

PROMPT_TOKENS = 6_000  # of units in one prompt; small units share one
CALLERS_TOKENS = 1_500  # of callers' bodies in one prompt
CALLER_LINES = 40  # of one caller; a longer one is cut around the call
MAX_CALLERS = 6  # of one unit
BODY_CHARS = 2_000  # of what the author says
QUESTION = "What is wrong with this change, and whom does it break?"


@dataclass(frozen=True, slots=True)
class ModelWorker:
    """A cheap model. Each prompt holds whole units and the bodies of their callers; the answer is structured."""

    model: Model
    calls: Calls
    pull: PullRequest
    tree: Tree
    ledger: Ledger

    @property
    def name(self) -> str:
        """Who it is, as the coverage table says it."""
        return f"worker {self.model.name}"

    async def review(self, units: Sequence[Unit], question: str = "") -> Answer:
        """Every unit in some prompt, the prompts all at once; what was answered is marked in the ledger."""
        prompts = [await self._prompt(group, question or QUESTION) for group in packed(units)]
        return await self._asked(prompts)

    async def look(self, files: Mapping[str, str], question: str) -> Answer:
        """A question about files outside the change."""
        text = render.text("prompts/look.md.j2", files=files, question=question)
        return await self._asked([self._of(text)])

    async def prompt(self, texts: Sequence[str]) -> list[Answer]:
        """Free prompts of the root, answered in prose."""
        prompts = [Prompt((Message("user", text),)) for text in texts]
        answers = []
        for text, reply in zip(texts, await self.calls.many(self.model, prompts, "worker"), strict=True):
            if isinstance(reply, Completion):
                self.ledger.saw(text, self.name)
                answers.append(Answer(reply.text))
            else:
                answers.append(Answer("", error=str(reply)))
        return answers

    def _of(self, text: str) -> Prompt:
        return Prompt(
            (Message("system", render.text("prompts/worker_system.md.j2")), Message("user", text)), answer=read.ANSWER
        )

    async def _prompt(self, units: Sequence[Unit], question: str) -> Prompt:
        callers = await _callers(units, self.tree)
        body = self.pull.body[:BODY_CHARS]
        return self._of(
            render.text(
                "prompts/worker.md.j2",
                title=self.pull.title,
                body=body,
                units=units,
                callers=callers,
                question=question,
            )
        )

    async def _asked(self, prompts: Sequence[Prompt]) -> Answer:
        said: list[str] = []
        findings: list[Finding] = []
        errors: list[str] = []
        for prompt, reply in zip(prompts, await self.calls.many(self.model, prompts, "worker"), strict=True):
            try:
                text, found = read.answer(reply.data, self.name) if isinstance(reply, Completion) else _failed(reply)
            except DeepRepoError as error:
                errors.append(str(error))
                continue
            self.ledger.saw(prompt.messages[-1].text, self.name)
            said.append(text)
            findings.extend(found)
        return Answer("\n".join(filter(None, said)), tuple(findings), "; ".join(dict.fromkeys(errors)))


def _failed(reply: DeepRepoError) -> tuple[str, tuple[Finding, ...]]:
    raise reply


def packed(units: Sequence[Unit], limit: int = PROMPT_TOKENS) -> list[list[Unit]]:
    """Units in prompts' worth: those of one file together, files of one folder together, none above the limit but a lone unit.

    Prompts keep the order of risk: the one with the riskiest unit comes first.
    """
    ordered = sorted(units, key=lambda unit: (unit.path.rpartition("/")[0], unit.path, unit.start))
    groups: list[list[Unit]] = []
    for _, of_file in groupby(ordered, key=lambda unit: unit.path):
        for unit in of_file:
            if groups and sum(u.tokens for u in groups[-1]) + unit.tokens <= limit:
                groups[-1].append(unit)
            else:
                groups.append([unit])
    return sorted(groups, key=lambda group: -max(unit.risk for unit in group))


async def _callers(units: Sequence[Unit], tree: Tree) -> list[dict[str, object]]:
    """Bodies of the functions that use what the units change: sure ones first, tests last, each function once."""
    wanted: list[Reference] = []
    for unit in units:
        wanted += sorted(unit.references, key=lambda r: (not r.sure, r.test, not r.call))[:MAX_CALLERS]
    shown = {(unit.path, line) for unit in units if unit.side == "head" for line in range(unit.start, unit.end + 1)}
    texts = await tree.read_many([reference.path for reference in wanted])
    found: dict[tuple[str, int], dict[str, object]] = {}
    room = CALLERS_TOKENS
    for row in wanted:
        lines = texts.get(row.path, b"").decode("utf-8", "replace").split("\n")
        start, end = _window(row, len(lines))
        key = (row.path, start)
        if (row.path, row.line) in shown or key in found or start > end:
            continue
        body = "\n".join(f" {number:>5} {lines[number - 1]}" for number in range(start, end + 1))
        room -= tokens(body)
        if room < 0:
            break
        found[key] = {"path": row.path, "function": row.function, "name": row.name, "sure": row.sure, "body": body}
    return list(found.values())


def _window(row: Reference, size: int) -> tuple[int, int]:
    start, end = row.span or (row.line - 5, row.line + 5)
    if end - start >= CALLER_LINES:
        start, end = max(start, row.line - CALLER_LINES // 2), min(end, row.line + CALLER_LINES // 2)
    return max(1, start), min(size, end)
