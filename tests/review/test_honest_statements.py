"""Summaries claim only what the searches have shown."""

from dataclasses import replace

import pytest
from fakes import Repository

import deeprepo
from bot.outputs import markdown
from tests.outputs.sample_reviews import CLEAN


def comment(repository: Repository, before: dict[str, str | bytes | None], after: dict[str, str | bytes | None]) -> str:
    """Return the comment on the change."""
    repository.commit({"README.md": "shop\n", **before}, "before")
    repository.commit(dict(after), "after")
    return deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none").to_markdown()


@pytest.mark.parametrize(
    ("cut", "missing", "is_all"), [((), (), True), (("a limit",), (), False), ((), ("oxlint",), False)]
)
def test_full_coverage_is_claimed_only_without_limits_and_missing_tools(
    cut: tuple[str, ...], missing: tuple[str, ...], is_all: bool
) -> None:
    """The comment says that everything was checked only if no limit was reached and no tool is missing."""
    review = replace(CLEAN, coverage=replace(CLEAN.coverage, cut=cut, not_installed=missing))
    assert ("What was checked: everything" in markdown.render(review)) is is_all
