"""Fixtures that review small changes without a model."""

import asyncio
from pathlib import Path

import pytest
from fakes import Repository
from small_changes import ByCode, Files, Places

from bot.values import Review, TypedChange
from bot.wiring.review import local_review


@pytest.fixture
def by_code(repository: Repository, tmp_path: Path) -> ByCode:
    """Return a function that reviews a change without a model."""

    def run(before: Files, after: Files) -> Review:
        repository.commit(before, "before")
        repository.git("checkout", "-qb", "feature")
        repository.commit(after, "after")
        return asyncio.run(local_review(TypedChange(str(repository.folder)), {}, str(tmp_path)))

    return run


@pytest.fixture
def places(by_code: ByCode) -> Places:
    """Return a function that reviews a change and returns the files with open locations or findings."""

    def run(before: Files, after: Files) -> set[str]:
        review = by_code(before, after)
        found = {row.path for row in (*review.coverage.open, *review.coverage.relying)}
        found |= {placed.finding.path for placed in review.reported}
        return found | {item.path for placed in review.reported for item in placed.finding.evidence if item.is_broken}

    return run
