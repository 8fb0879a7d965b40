import json
from pathlib import Path

import pytest
from fakes import Repository
from recorded import Ended, deeprepo

BEFORE: dict[str, str | bytes | None] = {
    "shop/__init__.py": "",
    "shop/rates.py": "def quote(weight, express=False):\n    return weight\n",
    "shop/labels.py": "from shop.rates import quote\n\n\ndef label(parcel):\n    return quote(parcel.weight, express=True)\n",
}
AFTER: dict[str, str | bytes | None] = {"shop/rates.py": "def quote(weight, *, service):\n    return weight\n"}


def run(*arguments: str, cwd: Path) -> Ended:
    """The command, with no key."""
    return deeprepo(*arguments, cwd=cwd, HOME=str(cwd.parent))


@pytest.fixture
def changed(repository: Repository) -> Repository:
    """A branch that breaks one caller."""
    repository.commit(BEFORE, "before")
    repository.git("checkout", "-qb", "feature")
    repository.commit(AFTER, "after")
    return repository


def reviewed(repository: Repository) -> dict[str, list[dict[str, str]]]:
    done = run("review", "--format", "json", cwd=repository.folder)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[dict[str, str]]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("scope", ["finding", "rule", "path"])
def test_an_ignored_finding_is_silent_once_the_entry_is_on_the_base_branch(changed: Repository, scope: str) -> None:
    """On the pull request's own branch it counts for nothing: a change cannot silence its own findings."""
    first = reviewed(changed)
    (finding,) = first["findings"]
    saved = changed.folder.parent / "review.json"
    saved.write_text(json.dumps(first))
    done = run("ignore", finding["fingerprint"], "--reason", "known", "--scope", scope, "--review", str(saved), cwd=changed.folder)  # fmt: skip
    assert done.returncode == 0, done.stderr
    changed.commit({}, "ignore it here")
    assert len(reviewed(changed)["findings"]) == 1
    entry = (changed.folder / ".deeprepo/ignore.yml").read_text()
    changed.git("checkout", "-q", "main")
    changed.commit({".deeprepo/ignore.yml": entry}, "ignore it on the base")
    changed.git("checkout", "-q", "feature")
    after = reviewed(changed)
    assert after["findings"] == []
    assert [(item["reason"], item["scope"]) for item in after["suppressed"]] == [("known", scope)]


@pytest.mark.parametrize("scope", ["finding", "rule", "path"])
def test_an_entry_needs_a_finding_that_somebody_has_reported(changed: Repository, scope: str) -> None:
    """A mistyped fingerprint would be a line that silences nothing today and another finding later."""
    done = run("ignore", "deadbeefdeadbeef", "--reason", "r", "--scope", scope, cwd=changed.folder)
    assert done.returncode == 2
    assert "no check by code reports deadbeefdeadbeef" in done.stderr
    assert "--review FILE" in done.stderr
    assert not (changed.folder / ".deeprepo").exists()


def test_the_same_entry_is_not_written_twice(changed: Repository) -> None:
    """The second time changes nothing."""
    mark = reviewed(changed)["findings"][0]["fingerprint"]
    for _ in range(2):
        assert run("ignore", mark, "--reason", "r", cwd=changed.folder).returncode == 0
    assert (changed.folder / ".deeprepo/ignore.yml").read_text().count(f"fingerprint: {mark}") == 1


def test_an_entry_for_a_finding_that_is_known_by_its_review_is_the_same(changed: Repository, tmp_path: Path) -> None:
    """With `--review` the entry holds more for people; the finding is the same."""
    done = run("review", "main..feature", "--format", "json", cwd=changed.folder)
    (tmp_path / "review.json").write_text(done.stdout)
    mark = json.loads(done.stdout)["findings"][0]["fingerprint"]
    for more in ((), ("--review", str(tmp_path / "review.json"))):
        said = run("ignore", mark, "--reason", "r", *more, cwd=changed.folder)
        assert said.returncode == 0, said.stderr
    assert "already has this entry" in said.stderr
    assert (changed.folder / ".deeprepo/ignore.yml").read_text().count(f"fingerprint: {mark}") == 1


def test_an_entry_that_has_expired_is_refused(changed: Repository) -> None:
    """It would silence nothing."""
    done = run("ignore", "0" * 16, "--reason", "r", "--expires", "2020-01-01", cwd=changed.folder)
    assert (done.returncode, "is in the past" in done.stderr) == (2, True)


def test_what_is_no_fingerprint_is_not_written(changed: Repository) -> None:
    """An entry that could never match is refused, and the sentence says where a fingerprint stands."""
    done = run("ignore", "abc", "--reason", "r", cwd=changed.folder)
    assert (done.returncode, "copy the 16 characters" in done.stderr) == (2, True)
    assert not (changed.folder / ".deeprepo").exists()


def test_an_entry_from_a_folder_inside_is_written_where_it_is_read(changed: Repository) -> None:
    """The file counts at the top of the repository alone."""
    mark = reviewed(changed)["findings"][0]["fingerprint"]
    done = run("ignore", mark, "--reason", "known", cwd=changed.folder / "shop")
    assert done.returncode == 0, done.stderr
    assert (changed.folder / ".deeprepo" / "ignore.yml").exists()
    assert not (changed.folder / "shop" / ".deeprepo").exists()


def test_an_entry_needs_a_repository(tmp_path: Path) -> None:
    """Elsewhere nobody would read it."""
    done = run("ignore", "0" * 16, "--reason", "known", cwd=tmp_path)
    assert (done.returncode, "is not in a git repository" in done.stderr) == (2, True)
    assert not (tmp_path / ".deeprepo").exists()
