"""Summaries claim only what the searches have shown."""

from dataclasses import replace

import pytest
from fakes import Repository

import deeprepo
from bot.outputs import markdown
from tests.outputs.sample_reviews import CLEAN

STYLE = ".quiet {\n  color: gray;\n}\n"
PAGE = 'export const Page = () => <p className="quiet-note" />\n'
ITEMS = 'syntax = "proto3";\npackage shop;\n\nmessage FindItemsRequest {\n  int32 result_limit = 1;\n}\n'


def comment(repository: Repository, before: dict[str, str | bytes | None], after: dict[str, str | bytes | None]) -> str:
    """Return the comment on the change."""
    repository.commit({"README.md": "shop\n", **before}, "before")
    repository.commit(dict(after), "after")
    return deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none").to_markdown()


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (
            {"app.css": f"{STYLE}.quiet-note {{\n  color: red;\n}}\n", "page.jsx": PAGE},
            {"app.css": STYLE},
            "The change only removes lines. 1 other line may still need them",
        ),
        ({"notes.txt": "one\ntwo\n"}, {"notes.txt": "one\n"}, "The change only removes lines"),
    ],
)
def test_headline_says_that_a_change_only_removes_lines(
    repository: Repository, before: dict[str, str | bytes | None], after: dict[str, str | bytes | None], says: str
) -> None:
    """The headline of a change that only removes lines says so, and counts lines that may need them."""
    line = comment(repository, before, after).partition("\n")[0]
    assert says in line
    assert "nothing to look at" not in line


@pytest.mark.parametrize(
    ("caller", "says"),
    [
        (
            "def find(api):\n    return api.find_items(result_limit=3)\n",
            "1 line in other files still contains the name",
        ),
        ("def find(api):\n    return api.find_items()\n", "No other file contains the name"),
    ],
)
def test_schema_break_reports_how_many_lines_contain_the_name(repository: Repository, caller: str, says: str) -> None:
    """The comment on a schema break says how many lines in other files contain the name."""
    after = ITEMS.replace("result_limit", "max_results")
    assert says in comment(repository, {"items.proto": ITEMS, "find.py": caller}, {"items.proto": after})


@pytest.mark.parametrize(
    ("cut", "missing", "is_all"), [((), (), True), (("a limit",), (), False), ((), ("oxlint",), False)]
)
def test_full_coverage_is_claimed_only_without_limits_and_missing_tools(
    cut: tuple[str, ...], missing: tuple[str, ...], is_all: bool
) -> None:
    """The comment says that everything was checked only if no limit was reached and no tool is missing."""
    review = replace(CLEAN, coverage=replace(CLEAN.coverage, cut=cut, not_installed=missing))
    assert ("What was checked: everything" in markdown.render(review)) is is_all
