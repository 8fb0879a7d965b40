"""40 pull requests of three rounds: what was dismissed is not said again in other words, and the other defect of the file always is."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from dismissing import CASES, SUBJECTS, WAYS, Reader, Subject, Words, other_claim, problems_of, rounds
from families import few
from whole import Whole, whole

from bot.values import PullRef
from deeprepo_sandbox import providers as doubles


@dataclass(slots=True)
class Change:
    """One pull request."""

    at: Whole
    subject: Subject
    reader: Reader
    way: int
    number: int = 0

    @property
    def path(self) -> str:
        """Its file."""
        return f"shop/{self.subject.name}_{self.way}.py"

    async def round(self, number: int, *said: Words) -> dict[str, Any]:
        """Push, let the reader say this, and return the review as it is stored."""
        self.reader.reports = {self.path: said}
        branch, files = f"{self.subject.name}-{self.way}", {self.path: self.subject.file(number)}
        if number == 1:
            await self.at.repo.commit(branch, files)
            self.number = await self.at.repo.open_pull(branch, title="A change")
        else:
            await self.at.repo.push(branch, files)
        await self.at.quiet()
        pull = PullRef(self.at.gh.installation, self.at.repo.id, "acme", "shop", self.number)
        return json.loads(await self.at.server.store.reviews.last(pull) or b"{}")

    async def dismiss(self) -> None:
        """Say in this change's way that the claim is answered."""
        thread = next(
            one.id for one in self.at.gh.pull(self.number).review_comments if self.subject.claim[0].title in one.body
        )
        reason = self.subject.reason
        if self.way == 0:
            await self.at.repo.reply(self.number, thread, f"{reason}.", author="maintainer")
        elif self.way == 1:
            await self.at.repo.reply(self.number, thread, f"Won't fix: {reason}.", author="maintainer")
        elif self.way == 2:
            await self.at.repo.reply(self.number, thread, f"/deeprepo ignore {reason}", author="maintainer")
        else:
            await self.at.repo.comment(self.number, f"/deeprepo ignore 1 {reason}", author="maintainer")
        await self.at.quiet()

    def comments(self) -> str:
        """The texts of the findings' comments."""
        return "\n".join(one.body for one in self.at.gh.pull(self.number).review_comments)


async def three_rounds(change: Change) -> list[str]:
    """What went wrong in three rounds with six wordings of the claim, dismissed after the first; the other defect is said from some round on."""
    problems = []
    for number, said in enumerate(rounds(change.subject, change.way), 1):
        review = await change.round(number, *said)
        problems += problems_of(review, change.subject, change.way, number)
        if number == 1:
            await change.dismiss()
    shown, other = change.comments(), other_claim(change.subject, change.way)
    problems += [f"comment: {words.title}" for words in change.subject.claim[1:] if words.title in shown]
    if other.title not in f"{shown}{change.at.summary(change.number)}":
        problems.append(f"nowhere: {other.title}")
    return [f"{WAYS[change.way]}: {problem}" for problem in problems]


@pytest.mark.parametrize(("subject", "way"), few(CASES, 9))
def test_what_was_dismissed_is_not_said_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subject: int, way: int
) -> None:
    """Withdrawn, rejected or ignored, in six wordings; the other true finding of the file is reported in each round that has it."""
    monkeypatch.setenv("DEEPREPO_WORKER", "openai/reader")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended")

    async def go() -> None:
        reader = Reader(SUBJECTS[subject])
        async with doubles.openai_server(doubles.PerModel({"reader": reader})) as server:
            monkeypatch.setenv("DEEPREPO_BASE_URL", server.base_url)
            async with whole(tmp_path) as at:
                await at.repo.commit("main", {".deeprepo.yml": "quota: 20\n"})
                assert await three_rounds(Change(at, SUBJECTS[subject], reader, way)) == []

    asyncio.run(go())
