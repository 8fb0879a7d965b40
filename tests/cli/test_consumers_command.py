"""`--with`, `consumers:` and `deeprepo consumers` on the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository
from recorded import deeprepo

from tests.rows import of

Others = Callable[[str], Repository]
LIBRARY = {
    "pyproject.toml": '[project]\nname = "quotes"\nversion = "1.4.0"\n',
    "quotes/__init__.py": "def quote(cents):\n    return cents\n\n\ndef tax(cents):\n    return cents // 5\n",
}
WITHOUT_TAX = {"quotes/__init__.py": "def quote(cents):\n    return cents\n"}
PAY = "from quotes import tax\n\n\ndef pay():\n    return tax(30)\n"


@pytest.fixture
def library(repository: Repository) -> Repository:
    """Commit a library whose last commit removes a function."""
    repository.commit(dict(LIBRARY), "before")
    repository.commit(dict(WITHOUT_TAX), "after")
    return repository


def user(others: Others, name: str, asked: str, **more: str) -> Repository:
    """Create a repository with this requirement that uses the library."""
    made = others(name)
    made.commit({"requirements.txt": f"{asked}\n", "pay.py": PAY, **more}, "uses it")
    return made


def review(library: Repository, *arguments: str) -> dict[str, Any]:
    """Return the review's JSON output."""
    done = deeprepo("review", "HEAD~1..HEAD", "--effort", "none", "--format", "json", *arguments, cwd=library.folder)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def named(*consumers: Repository | Path | str) -> list[str]:
    """Return `--with` options for these consumers."""
    return [word for one in consumers for word in ("--with", str(getattr(one, "folder", one)))]


@pytest.mark.parametrize("asked", ["quotes>=1.2,<2", "-e ../quotes"])
def test_finding_quotes_how_a_consumer_takes_the_package(library: Repository, repositories: Others, asked: str) -> None:
    """The finding is on the changed line, one level less severe, and quotes the line of the manifest."""
    found = review(library, *named(user(repositories, "billing", asked)))
    (one,) = found["findings"]
    assert f"billing breaks when it takes this version of quotes. requirements.txt says: `{asked}`" in one["why"]
    assert one["severity"] == "medium"
    assert (one["path"], one["start"], one["side"], one["place"], one["consumer"]) == (
        "quotes/__init__.py",
        5,
        "base",
        "inline",
        "billing",
    )


def test_evidence_is_a_line_at_the_consumers_commit(library: Repository, repositories: Others) -> None:
    """Evidence names repository, commit, file and line; SARIF does not place it in this repository."""
    consumer = user(repositories, "billing", "quotes<2")
    commit = consumer.git("rev-parse", "HEAD")
    found = review(library, *named(consumer))
    theirs = [item for item in found["findings"][0]["evidence"] if item["repository"]]
    assert [(item["path"], item["line"], item["repository"], item["commit"]) for item in theirs] == [
        ("billing:pay.py", 5, "billing", commit),
        ("billing:pay.py", 1, "billing", commit),
    ]
    sarif = deeprepo(
        "review", "HEAD~1..HEAD", "--effort", "none", "--format", "sarif", *named(consumer), cwd=library.folder
    )
    (result,) = json.loads(sarif.stdout)["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "quotes/__init__.py"
    far = [one for one in result["relatedLocations"] if "logicalLocations" in one]
    assert far[0]["logicalLocations"][0]["fullyQualifiedName"] == f"billing:pay.py:5 at {commit}"
    assert "physicalLocation" not in far[0]


def test_consumers_that_were_not_checked_are_listed_with_a_reason(
    library: Repository, repositories: Others, tmp_path: Path
) -> None:
    """Folders without git, commits or use of the package get a reason; a missing folder is an error."""
    (tmp_path / "plain").mkdir()
    (tmp_path / "empty").mkdir()
    empty = repositories("empty")
    bare = tmp_path / "bare.git"
    user(repositories, "billing", "quotes<2").git("clone", "--quiet", "--bare", ".", str(bare))
    other = repositories("other")
    other.commit({"requirements.txt": "flask\n", "pay.py": PAY}, "uses something else")
    found = review(library, *named(tmp_path / "plain", empty, bare, other, library))
    assert [(one["name"], one["state"]) for one in found["consumers"]] == [
        ("plain", "unread"), ("empty", "unread"), ("repository", "unrelated"), ("bare", "checked"), ("other", "unrelated"),
    ]  # fmt: skip
    assert [row["reason"].partition(":")[0] for row in found["coverage"]["open"] if row["kind"] == "check"] == [
        "plain was not checked", "empty was not checked",
    ]  # fmt: skip
    assert "1 of 3 repositories that use this one were checked. 1 breaks." in found["notes"]
    mistake = deeprepo("review", "HEAD~1..HEAD", *named(tmp_path / "nowhere"), cwd=library.folder)
    assert (mistake.returncode, "nowhere: this folder does not exist" in mistake.stderr) == (2, True)


def test_consumers_come_from_the_base_branch_settings(repository: Repository, repositories: Others) -> None:
    """Paths are relative to the repository's top folder, and a change cannot add consumers for itself."""
    user(repositories, "billing", "quotes<2")
    user(repositories, "shop", "quotes<2")
    repository.commit({**LIBRARY, ".deeprepo.yml": "consumers: [../billing]\n"}, "before")
    repository.commit({**WITHOUT_TAX, ".deeprepo.yml": "consumers: [../billing, ../shop]\n"}, "after")
    found = review(repository)
    assert [one["name"] for one in found["consumers"]] == ["billing"]
    assert [one["consumer"] for one in found["findings"]] == ["billing"]


def test_next_review_tracks_earlier_consumer_findings(
    library: Repository, repositories: Others, tmp_path: Path
) -> None:
    """A finding stays open while the consumer breaks or is not checked, and is fixed once it has adapted."""
    consumer = user(repositories, "billing", "quotes<2")
    last = tmp_path / "last.json"
    first = deeprepo(
        "review", "HEAD~1..HEAD", "--effort", "none", "--format", "json", *named(consumer), cwd=library.folder
    )
    last.write_text(first.stdout)
    again = review(library, *named(consumer), "--previous", str(last))
    assert ([one["consumer"] for one in of(again, "still")], of(again, "new"), of(again, "fixed")) == (
        ["billing"],
        [],
        [],
    )
    unseen = review(library, "--previous", str(last))
    assert ([one["consumer"] for one in of(unseen, "still")], of(unseen, "fixed")) == (["billing"], [])
    consumer.commit({"pay.py": "from quotes import quote\n\nquote(3)\n"}, "adapted")
    adapted = review(library, *named(consumer), "--previous", str(last))
    assert (of(adapted, "still"), [one["consumer"] for one in of(adapted, "fixed")]) == ([], ["billing"])


def test_list_shows_each_consumers_package_and_manifest(library: Repository, repositories: Others) -> None:
    """The list has repository, package, manifest, its line, and the commit."""
    consumer = user(repositories, "billing", "quotes==1.2.0")
    done = deeprepo("consumers", *named(consumer), "--format", "json", cwd=library.folder)
    (row,) = json.loads(done.stdout)
    assert (row["name"], row["commit"], row["day"]) == ("billing", consumer.git("rev-parse", "HEAD"), "2026-01-01")
    assert row["takes"] == [
        {"language": "python", "name": "quotes", "path": "requirements.txt", "line": "quotes==1.2.0"}
    ]
    said = deeprepo("consumers", *named(consumer), cwd=library.folder).stdout.split()
    assert said[-6:] == ["billing", "quotes", "requirements.txt", "quotes==1.2.0", row["commit"][:10], "2026-01-01"]
    assert "no consumers to check" in deeprepo("consumers", cwd=library.folder).stderr
