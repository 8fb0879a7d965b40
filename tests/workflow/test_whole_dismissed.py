"""40 pull requests of three rounds: what was dismissed is not said again in other words, and the other defect of the file always is."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from dismissing import SUBJECTS, WAYS, Subject, Words
from families import few
from whole import Whole, whole

from bot.values import PullRef
from deeprepo_sandbox import providers as doubles

CONFIRMED = {
    "verdict": "confirmed", "trigger": "t", "author_would_change": True, "reason": "r", "ground": "g", "limit": "none",
    "sentence": "", "repeats": "", "new_evidence": "",
}  # fmt: skip


@dataclass(slots=True)
class Reader:
    """A reader that reports what the round's script has, and a second opinion that is right about what is the same claim.

    It names a dismissed claim only if it is shown one that is the same, so what it is not shown is reported.
    """

    subject: Subject
    reports: dict[str, tuple[Words, ...]] = field(default_factory=dict)  # what it says now, by path

    def __call__(self, request: Mapping[str, Any]) -> doubles.Reply:
        text = "\n".join(str(message["content"]) for message in request["messages"])
        if request["response_format"]["json_schema"]["name"] == "reply":
            withdraw = {
                "finding": 1,
                "because": "told",
                "reason": self.subject.reason,
                "words": f"{self.subject.reason}.",
            }
            return doubles.Reply(
                data={"answer": "Then it cannot happen.", "quotes": [], "withdraw": [withdraw], "look_ups": []}
            )
        if "The claim, about" in text:
            return doubles.Reply(data={**CONFIRMED, "repeats": self._repeated(text)})
        found = [
            self.subject.finding(path, words) for path, said in self.reports.items() for words in said if path in text
        ]
        return doubles.Reply(data={"answer": "Read.", "findings": found, "look_ups": [], "unsettled": []})

    def _repeated(self, text: str) -> str:
        """The id of the dismissed claim that this one makes again, "" if none of those that are shown is the same."""
        titles = [words.title for words in self.subject.claim]
        claim = (re.search(r"^Title: (.*)$", text, re.MULTILINE) or [""])[1]
        rows = re.findall(r"^(D\d): (.*)$", text, re.MULTILINE)
        return next((name for name, row in rows if claim in titles and any(title in row for title in titles)), "")


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


def titles(review: Mapping[str, Any], *lists: str) -> set[str]:
    """The titles of the findings in these lists of the JSON output."""
    return {row["title"] for name in lists for row in review[name]}


async def three_rounds(change: Change) -> list[str]:
    """What went wrong in three rounds with six wordings of the claim, dismissed after the first; the other defect is said from some round on."""
    claim, other = change.subject.claim, change.subject.other
    if change.way in (1, 3):  # another claim of the dismissed line and category
        other = replace(other, line=claim[0].line, category=claim[0].category)
    planted = (1, 2, 3, 2)[change.way]  # the round in which a reader sees the other defect
    said = [(claim[0],), (claim[1], claim[2]), (claim[3], claim[4], claim[5])]
    problems = []
    for number, wordings in enumerate(said, 1):
        review = await change.round(number, *wordings, *((other,) if number >= planted else ()))
        told = titles(review, "findings", "still")
        if number >= planted and other.title not in told:
            problems.append(f"round {number}: silenced: {other.title}")
        repeats = {words.title for words in claim} & told
        open_titles = (
            {claim[0].title} if number == 1 or change.way == 1 else set()
        )  # what a reply rejects stays open itself
        if repeats != open_titles:
            problems.append(f"round {number}: said: {', '.join(sorted(repeats)) or 'nothing'}")
        if number == 1:
            await change.dismiss()
    shown = change.comments()
    problems += [f"comment: {words.title}" for words in claim[1:] if words.title in shown]
    if other.title not in f"{shown}{change.at.summary(change.number)}":
        problems.append(f"nowhere: {other.title}")
    return [f"{WAYS[change.way]}: {problem}" for problem in problems]


CASES = [(subject, way) for subject in range(len(SUBJECTS)) for way in range(len(WAYS))]


@pytest.mark.parametrize(("subject", "way"), few(CASES, 0, 9, 18, 27))
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
