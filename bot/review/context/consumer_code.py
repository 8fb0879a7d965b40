"""Let models read the code of repositories that use the reviewed one.

A repository is opened only if its lines may be shown and something in
it is requested. Paths in it begin with the repository's name and a colon, as in findings. Every answer is
recorded, so a resumed review doesn't open a clone for them again.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from bot.checkout import Checkout
from bot.checkout.views import MaskedTree
from bot.errors import DeepRepoError
from bot.findings.quotes import find_quote
from bot.ports import KnownSecrets
from bot.review.context.look_ups import LookedUp, LookUps
from bot.values import DiffRow, Evidence, Excerpt, Finding, LookUp
from bot.values.consumer import Clone, ConsumerImpact, label
from deeprepo.impact.consumers.overlay import MountedTree
from deeprepo.impact.ports import Tree
from deeprepo.rlm.journal.writer import Journal

MAX_ANSWERS = 120  # answers per review
LOOK_UP_SECONDS = 20.0  # seconds for one answer
MOST_TEXT = 100_000  # characters of a file shown to a worker
TOOL = "consumer"  # the tool's name in the record
SPENT = f"no more than {MAX_ANSWERS} look-ups are made in the repositories that use this one"
Look = Callable[[Tree], Awaitable[Any]]
Row = dict[str, Any]


@dataclass(slots=True)
class ConsumerCode:
    """What models may see of consumers in one review. Mutable, because it opens clones and counts answers."""

    impact: ConsumerImpact
    journal: Journal
    masks: KnownSecrets
    look_ups_over: Callable[[Tree], LookUps]
    _rows: dict[str, Row] = field(default_factory=dict)  # the answers so far, by question
    _trees: dict[str, Tree] = field(default_factory=dict)  # each clone's tree, as models see it
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def names(self) -> tuple[str, ...]:
        """The repositories that models may read."""
        return self.impact.readable

    @property
    def left(self) -> int:
        """The number of answers that this review may still get."""
        return MAX_ANSWERS - len(self._rows)

    def repository_of(self, path: str) -> str:
        """Return the repository that a path or glob names; empty if it names none."""
        plain = path.strip().removeprefix("./")
        return next((name for name in self.names if plain == name or plain.startswith(f"{name}:")), "")

    def describe(self) -> list[dict[str, Any]]:
        """Return each repository with its packages, its state, and its lines that use changed code."""
        return [
            {
                "name": report.name,
                "state": report.state,
                "reason": report.reason,
                "commit": report.commit,
                "day": report.day,
                "takes": [{"package": one.name, "manifest": one.path, "line": one.line} for one in report.takes],
                "breaks": report.breaks,
                "hints": report.hints,
                "readable": report.name in self.names,
                "uses": list(self._uses(report.name)),
            }
            for report in self.impact.reports
            if report.state != "unrelated"
        ]

    def _uses(self, name: str) -> Iterator[dict[str, Any]]:
        for key, excerpt in self.impact.excerpts:
            if self.repository_of(excerpt.path) == name:
                yield {"definition": key, "path": excerpt.path, "start": excerpt.start, "code": excerpt.body}

    async def answer(self, name: str, question: Sequence[object], look: Look) -> Row:
        """Look something up in a repository.

        Returns the result or an "error". Repeated questions are answered from the record.
        """
        key = json.dumps(self.masks.hide([name, *question]), default=repr)
        async with self._one_at_a_time:
            if key not in self._rows:
                record = self.journal.get("tool", "", TOOL, key)
                if record is None:
                    record = json.loads(json.dumps(self.masks.hide(await self._run_look_up(name, look)), default=str))
                    self.journal.put("tool", at="", name=TOOL, arguments=key, **record)
                    await self.journal.wait_stored()
                self._rows[key] = record
        return self._rows[key]

    async def find(self, look_up: LookUp) -> LookedUp | None:
        """Return the result of a look-up in a repository; None if its path names none."""
        name = self.repository_of(look_up.path)
        if not name:
            return None
        request = replace(look_up, side="head", path=f"{name}:" if look_up.path == name else look_up.path)
        reply = await self.answer(name, ["shown", asdict(request)], partial(self._found, request))
        if "error" in reply:
            return LookedUp(f"{request.kind} in {request.path}", notes=(reply["error"],))
        result = reply["result"]
        return LookedUp(result["heading"], tuple(map(_excerpt, result["excerpts"])), tuple(result["notes"]))

    async def text(self, path: str) -> str | None:
        """Return a file in a repository, as shown to a worker; None if it doesn't exist."""
        reply = await self.answer(self.repository_of(path), ["text", path], partial(_text, path))
        return reply.get("result")

    async def attribute(self, finding: Finding) -> Finding:
        """Return the finding with its quotes looked up in the consumer.

        The first repository that it quotes becomes the broken consumer.
        """
        name = next((name for item in finding.evidence if (name := self._quoted(item))), "")
        if not name:
            return finding
        commit = next((report.commit for report in self.impact.reports if report.name == name), "")
        evidence = []
        for item in finding.evidence:
            if self._quoted(item) == name:
                reply = await self.answer(
                    name, ["quote", item.path, item.quote, item.line], partial(self._line_of, item)
                )
                if reply.get("result"):
                    evidence.append(replace(item, line=reply["result"], side="head", repository=name, commit=commit))
            elif not self._quoted(item):
                evidence.append(item)
        if not any(item.repository == name for item in evidence):
            return replace(finding, evidence=tuple(evidence))
        return replace(finding, evidence=tuple(evidence), consumer=name)

    async def close(self) -> None:
        """Close the opened clones."""
        await self._stack.aclose()

    def _quoted(self, item: Evidence) -> str:
        return "" if item.repository else self.repository_of(item.path)

    async def _run_look_up(self, name: str, look: Look) -> Row:
        clone = next((one for one in self.impact.clones if one.name == name), None)
        if clone is None:
            return {"error": f"{name} is not at hand"}
        if self.left <= 0:
            return {"error": SPENT}
        try:
            async with asyncio.timeout(LOOK_UP_SECONDS):
                return {"result": await look(await self._opened_tree(clone))}
        except TimeoutError:
            return {
                "error": f"it took more than {LOOK_UP_SECONDS:.0f} s: ask for less, with a narrower pattern or fewer files"
            }
        except (DeepRepoError, ValueError) as error:
            return {"error": str(error).split("\n")[0]}

    async def _opened_tree(self, clone: Clone) -> Tree:
        if clone.name not in self._trees:
            masked = MaskedTree(await self._stack.enter_async_context(Checkout(clone.pull)), self.masks)
            self._trees[clone.name] = MountedTree(masked, label(clone.name, ""))
        return self._trees[clone.name]

    async def _found(self, look_up: LookUp, tree: Tree) -> Row:
        found = await self.look_ups_over(tree).find(look_up)
        excerpts = [
            {
                "path": excerpt.path,
                "title": excerpt.title,
                "rows": [(diff_row.sign, diff_row.text, diff_row.number) for diff_row in excerpt.rows],
            }
            for excerpt in found.excerpts
        ]
        return {"heading": found.heading, "excerpts": excerpts, "notes": list(found.notes)}

    async def _line_of(self, item: Evidence, tree: Tree) -> int:
        """Return the line of a quote in the part of a file that readers may see; 0 if it is not there."""
        place = await find_quote(tree, item.path, item.quote, item.line, ("head",))
        return place[1] if place is not None else 0


async def _text(path: str, tree: Tree) -> str | None:
    blob = await tree.read(path)
    return None if blob is None else blob.decode("utf-8", "replace")[:MOST_TEXT]


def _excerpt(record: Row) -> Excerpt:
    rows = tuple(DiffRow(sign, text, number) for sign, text, number in record["rows"])
    return Excerpt(record["path"], rows[0].number, rows[-1].number, rows, title=record["title"])
