"""Other tools' results: one is dropped only if its file and line are known and unchanged."""

import asyncio
import json
from pathlib import Path

import pytest
from fakes import Repository

from bot.values import Review, TypedChange
from bot.wiring.review import local_review

BAD = "def f(x):\n    return [x]\n"
BASE: dict[str, str | bytes | None] = {"src/ok.py": "z = 1\n"}
NAMES = [
    ("src:bad.py", "src:bad.py"),
    ("src/a#b.py", "src/a#b.py"),
    (" b.py", " b.py"),
    ("src/a#b.py", "file:///work/repo/src/a#b.py"),
    ("src/a#b.py", "src/a%23b.py"),
]


def report(*rows: tuple[str, int]) -> bytes:
    """Return a SARIF report with a file URI and a line for each result."""
    results = [
        {
            "ruleId": "E1",
            "level": "error",
            "message": {"text": "shell injection"},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}}],
        }
        for uri, line in rows
    ]
    run = {"tool": {"driver": {"name": "mylint"}}, "results": results}
    return json.dumps({"version": "2.1.0", "runs": [run]}).encode()


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """Return a scratch folder for the reviews."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


def review(repository: Repository, scratch: Path, data: bytes) -> Review:
    """Review the last commit with static checks only, and with a tool's report."""
    return asyncio.run(
        local_review(
            TypedChange(str(repository.folder), base="HEAD~1", head="HEAD"),
            {"effort": "none", "sarif": [("x.sarif", data)]},
            str(scratch),
        )
    )


def reported(found: Review) -> list[tuple[str, int | None]]:
    """Return the locations of the findings."""
    return [(one.finding.path, one.finding.start) for one in found.findings]


def reasons(found: Review) -> str:
    """Return the reasons why the report was not fully used."""
    return "; ".join(row.reason for row in found.coverage.open if row.reason.startswith("sarif"))


@pytest.mark.parametrize(("name", "uri"), NAMES)
def test_result_uri_resolves_to_its_file(repository: Repository, scratch: Path, name: str, uri: str) -> None:
    """A result's URI is resolved to its file, whether it is escaped or not."""
    repository.commit(dict(BASE), "before")
    repository.commit({name: BAD}, "after")
    found = review(repository, scratch, report((uri, 2)))

    assert (reported(found), reasons(found)) == ([(name, 2)], "")


@pytest.mark.parametrize("row", [("gone.py", 2), ("../out.py", 1), ("", 1), ("src/b.py", 0), ("src/b.py", 9)])
def test_result_without_a_valid_location_is_listed_as_not_used(
    repository: Repository, scratch: Path, row: tuple[str, int]
) -> None:
    """A result without a valid path and line in the head commit is listed as not used."""
    repository.commit(dict(BASE), "before")
    repository.commit({"src/b.py": BAD}, "after")
    found = review(repository, scratch, report(row))

    assert (reported(found), reasons(found)[:15]) == ([], "sarif: 1 result")
