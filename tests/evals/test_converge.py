"""`deeprepo eval converge`: replay pull requests with several pushes."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from fakes import Repository
from reviewed import BASE, RENAMED, WORDS, told

MORE = {"shop/more.py": "from shop.rates import price\n\n\ndef twice(parcel):\n    return 2 * price(parcel.weight)\n"}


def clones(place: Path, *pushes: Mapping[str, str | bytes | None]) -> Path:
    """Create a clone with one pull request that consists of these pushes."""
    clone = Repository(place / "clones" / "acme" / "shop")
    base = clone.commit(dict(BASE), "first")
    for files in pushes:
        head = clone.commit(dict(files), "a push")
    clone.git("update-ref", "refs/pull/7/head", head)
    clone.git("update-ref", "refs/heads/main", base)
    return place / "clones"


@pytest.fixture
def repos(tmp_path: Path) -> Path:
    """A pull request whose first push forgets a caller that later pushes don't touch."""
    return clones(tmp_path, RENAMED, MORE, WORDS)


def test_static_review_posts_one_comment_and_nothing_later(repos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With static checks only, the first review posts one comment and later reviews post none."""
    code, out, err = told(capsys, ["eval", "converge", "--repos", str(repos), "--quiet"])
    assert (code, err) == (0, "")
    assert "acme/shop 7 " in out
    assert ": 1, 0, 0\n" in out
    assert "1 pull requests of 1 repositories; 1 had a comment; 1 ended in silence, the median from review 2 on" in out


def test_endless_model_remarks_are_not_posted(repos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Findings about code that a push didn't touch are not posted, so the reviews still end."""
    code, out, err = told(capsys, ["eval", "converge", "--repos", str(repos), "--talkative", "--quiet"])
    assert (code, err) == (0, "")
    rounds = [line.split() for line in out.splitlines() if line[:1].isdigit()][:-1]
    assert float(rounds[0][2]) > 0
    assert [cells[-1] for cells in rounds] == ["0"] * len(rounds)
    assert "1 ended in silence" in out


def test_review_after_a_lock_file_push_covers_unread_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A push with only a lock file gets no review, so the first actual review covers code that was never read."""
    repos = clones(tmp_path, {"poetry.lock": "one\n"}, RENAMED, MORE)
    code, out, err = told(capsys, ["eval", "converge", "--repos", str(repos), "--talkative", "--quiet"])
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines() if line[:1].isdigit()][:-1]
    assert (float(rows[0][2]), float(rows[1][2]) > 0) == (0, True)
    assert [cells[-1] for cells in rows] == ["0"] * len(rows)
