"""Reviews of small changes without a model."""

import asyncio
from pathlib import Path

import pytest
from fakes import Repository
from small_changes import Files, Places

from bot import wiring
from bot.values import Review, ReviewRequest


@pytest.fixture
def places(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """Review a change without a model: the files of which a place is open or a finding."""
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)

    def run(before: Files, after: Files) -> set[str]:
        repository.commit(before, "before")
        repository.git("checkout", "-qb", "feature")
        repository.commit(after, "after")
        review: Review = asyncio.run(wiring.local_review(ReviewRequest(str(repository.folder)), {}, str(tmp_path)))
        found = {row.path for row in (*review.coverage.open, *review.coverage.relying)}
        found |= {placed.finding.path for placed in review.reported}
        return found | {item.path for placed in review.reported for item in placed.finding.evidence if item.is_broken}

    return run
