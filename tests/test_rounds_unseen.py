"""Findings imported from other tools' reports, in reviews that get no new report."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository
from families import few

from bot.outputs import json_file
from bot.values import Review, TypedChange
from bot.wiring.review import local_review

LINE = "y = open(x)\n"


def report(*results: str, tool: str = "semgrep", **run: Any) -> tuple[tuple[str, bytes], ...]:  # noqa: ANN401 - JSON
    """Return a SARIF report with a finding on line 2 of each of these files."""
    rows = [
        {
            "level": "error",
            "message": {"text": "Tainted path"},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": path}, "region": {"startLine": 2}}}],
        }
        for path in results
    ]
    document = {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": tool}}, "results": rows, **run}]}
    return (("report.sarif", json.dumps(document).encode()),)


FAILED = report(invocations=[{"executionSuccessful": False}])


class Rounds:
    """A branch that is reviewed repeatedly, with static checks only."""

    def __init__(self, repository: Repository, scratch: Path) -> None:
        self.repository, self.scratch, self.last = repository, scratch, b""
        repository.commit({"a.py": "x = 1\n", "b.py": "x = 1\n", "R.md": "base\n"}, "before")
        repository.git("checkout", "-qb", "feature")
        repository.commit({"a.py": "x = 1\n" + LINE}, "feature")

    def review(self, sarif: tuple[tuple[str, bytes], ...] = (), **flags: object) -> Review:
        """Review the branch now, based on the previous review."""
        given = {"effort": "none", "sarif": sarif, **({"previous": self.last} if self.last else {}), **flags}
        review = asyncio.run(
            local_review(TypedChange(str(self.repository.folder), base="main"), given, str(self.scratch))
        )
        self.last = json_file.render(review).encode()
        return review

    def amend(self, files: dict[str, str | bytes | None]) -> None:
        """Write these files and amend the last commit."""
        self.repository.write(files)
        self.repository.git("add", "--all")
        self.repository.git("commit", "-q", "--amend", "-m", "anew")

    def merge_main(self, files: dict[str, str | bytes | None]) -> None:
        """Commit these files on the base branch and merge them into the feature branch."""
        self.repository.git("checkout", "-q", "main")
        self.repository.commit(files, "main")
        self.repository.git("checkout", "-q", "feature")
        self.repository.git("merge", "-q", "--no-edit", "-X", "theirs", "main")


@pytest.fixture
def rounds(repository: Repository, tmp_path: Path) -> Rounds:
    """A branch whose first review imported one finding from a tool."""
    rounds = Rounds(repository, tmp_path / "scratch")
    assert open_titles(rounds.review(report("a.py"))) == ["Tainted path"]
    return rounds


def open_titles(review: Review) -> list[str]:
    return [finding.title for finding in review.open_findings]


WAYS: dict[str, Callable[[Rounds], None]] = {
    "one more commit": lambda rounds: rounds.repository.commit({"R.md": "more\n"}, "more") and None,
    "amended": lambda rounds: rounds.amend({"R.md": "more\n"}),
    "amended, and its line is edited": lambda rounds: rounds.amend({"a.py": "x = 1\nz = open(x, 'r')\n"}),
    "amended, and its file is renamed": lambda rounds: rounds.amend({"a.py": None, "c.py": "x = 1\n" + LINE}),
    "main merged in": lambda rounds: rounds.merge_main({"N.md": "news\n"}),
}


@pytest.mark.parametrize("way", few(WAYS, 0, 3))
def test_imported_finding_stays_open_until_its_tool_reports_clean(rounds: Rounds, way: str) -> None:
    """A missing or failed report, or another tool's, keeps the finding open. A clean report closes it."""
    WAYS[way](rounds)
    for sarif in ((), FAILED, report(tool="codeql")):
        assert open_titles(rounds.review(sarif)) == ["Tainted path"]
        rounds.amend({"R.md": f"{sarif}\n"})
    assert open_titles(rounds.review(report())) == []
    rounds.amend({"R.md": "once more\n"})
    assert open_titles(rounds.review()) == []


@pytest.mark.parametrize(("text", "status"), [("opened = open\ny = opened(x)\n", "unproven"), ("y = 1\n", "fixed")])
def test_finding_of_a_removed_check_is_fixed_only_with_its_text(
    repository: Repository, tmp_path: Path, text: str, status: str
) -> None:
    """If this build has no such check, the finding is no longer checked. It is fixed if its line is gone."""
    rounds = Rounds(repository, tmp_path)
    repository.commit({"a.py": "x = 1\ny = opened(x)\n"}, "a name that ruff doesn't know")
    rounds.review()
    assert b'"ruff"' in rounds.last
    rounds.last = rounds.last.replace(b'"ruff"', b'"schemas"')
    repository.commit({"a.py": f"x = 1\n{text}", "R.md": "more\n"}, "a push")
    review = rounds.review()
    assert [
        row.finding.status for row in review.findings if "opened" in row.finding.title and not row.finding.is_new
    ] == [status]
    assert any("no longer checked" in note for note in review.notes) == (status == "unproven")
