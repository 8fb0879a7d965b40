"""The same 40 changes of three rounds without a server: what people have said comes with the review, and a model says it in other words."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dismissing import CASES, SUBJECTS, Reader, problems_of, rounds
from fakes import Repository
from families import few

from bot import pipeline, wiring
from bot.outputs import json_file
from bot.values import Review, ReviewRequest
from deeprepo_sandbox import providers as doubles

SCOPES = ("withdrawn", "rejected", "finding", "finding")  # what each way comes to
REPEATS = [0, 1, 5, 13, 18, 27, 35]  # of the quick suite


async def reviewed(
    repository: Repository, flags: dict[str, Any], scratch: str, words: tuple[tuple[str, str, str], ...]
) -> Review:
    """The branch, reviewed with what people have said."""
    brief = await wiring.brief(ReviewRequest(str(repository.folder)), flags, scratch)
    return await pipeline.review(replace(brief, ignored_findings=words), wiring.tools(brief, scratch, lambda _: None))


@pytest.mark.parametrize(("subject", "way"), few(CASES, *REPEATS))
def test_a_dismissed_claim_is_silent_and_another_defect_is_not(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subject: int, way: int
) -> None:
    """Six wordings over three rounds; the other defect stands in the same file, in half of the cases with the same line and category."""
    one = SUBJECTS[subject]
    path, reader = f"shop/{one.name}.py", Reader(one)
    repository.commit({"README.md": "x\n", ".deeprepo.yml": "quota: 20\n"}, "before")
    repository.git("checkout", "-qb", "feature")
    last: bytes | None = None
    words: tuple[tuple[str, str, str], ...] = ()
    problems = list[str]()
    with doubles.in_thread(doubles.Server(doubles.PerModel({"reader": reader}))) as server:
        monkeypatch.setenv("DEEPREPO_BASE_URL", server.openai_url)
        for number, said in enumerate(rounds(one, way), 1):
            repository.commit({path: one.file(number)}, f"round {number}")
            reader.reports = {path: said}
            (tmp_path / str(number)).mkdir()
            flags = {"worker": "compatible/reader", "previous": last}
            review = asyncio.run(reviewed(repository, flags, str(tmp_path / str(number)), words))
            text = json_file.render(review)
            last, problems = text.encode(), problems + problems_of(json.loads(text), one, way, number)
            first = next(
                (placed.finding for placed in review.reported if placed.finding.title == one.claim[0].title), None
            )
            if number == 1 and first is not None:
                words = ((first.identity, one.reason, SCOPES[way]),)
    assert problems == []
