"""What later reviews report about a committed secret whose line was removed."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import histories
import pytest
from fakes import Repository

from bot import pipeline, verdict
from bot.outputs import OUTPUTS
from bot.values import Dismissal, Review, TypedChange
from bot.wiring import review as wiring

KEY = "AKIA" + "Q3ZRT5PLMX7WQN2B"
OTHER = "AKIA" + "J8DKF2HWYTRBC6ME"
LINE = f'KEY = "{KEY}"\n'


class Rounds:
    """A branch whose pushes are reviewed one after another, without a model."""

    def __init__(self, repository: Repository, scratch: Path) -> None:
        self.repository, self.scratch, self.last = repository, scratch, None
        scratch.mkdir()
        repository.commit({"app.py": "A = 1\n", "old.py": "B = 1\n" * 30}, "before")
        repository.git("checkout", "-qb", "feature")

    def push(self, files: dict[str, str | bytes | None], **decided: Any) -> Review:  # noqa: ANN401
        """Commit these files and review the branch, continuing from the last review."""
        self.repository.commit(files, "push")
        return self.review(**decided)

    def review(self, **decided: Any) -> Review:  # noqa: ANN401 - fields of Brief
        """Review the branch."""
        flags = {"effort": "none", **({"previous": self.last} if self.last else {})}
        done = asyncio.run(self._review(flags, decided))
        self.last = rendered(done)
        return done

    async def _review(self, flags: dict[str, Any], decided: dict[str, Any]) -> Review:
        brief = await wiring.brief(TypedChange(str(self.repository.folder)), flags, str(self.scratch))
        return await pipeline.review(replace(brief, **decided), wiring.tools(brief, str(self.scratch), lambda _: None))


def rendered(done: Review) -> bytes:
    """Return the review as the next one receives it."""
    return OUTPUTS["json"]().render(done).encode()


@pytest.fixture
def rounds(repository: Repository, tmp_path: Path) -> Rounds:
    """Return a branch before its first push."""
    return Rounds(repository, tmp_path / "scratch")


def open_ones(done: Review) -> list[str]:
    """Return the titles of the open findings."""
    return [finding.title for finding in done.open_findings]


@pytest.mark.parametrize(
    "then",
    [{"app.py": "A = 2\n"}, {"app.py": None}, {"app.py": "A = 1\n"}],
    ids=["line removed", "file deleted", "taken back"],
)
def test_removed_secret_stays_open(rounds: Rounds, then: dict[str, str | bytes | None]) -> None:
    """If a secret's line is removed, every later review names its commit and is not clean."""
    first = rounds.push({"app.py": LINE, "x.py": "C = 1\n"})
    assert open_ones(first) == ["An AWS key is committed"]
    for number in range(2):
        later = rounds.push({**(then if not number else {}), "x.py": f"C = {number + 2}\n"})
        assert open_ones(later) == [
            f"An AWS key is committed (removed, but still in commit {first.pull.head[:10]}): revoke it"
        ]
        assert (later.findings_with_status("fixed"), verdict.of(later).conclusion) == ((), "findings")
        assert later.still[0].number == first.reported[0].finding.number


def test_removed_secret_is_closed_only_by_a_dismissal(rounds: Rounds) -> None:
    """A removed secret is closed only when a person dismisses it, for example as revoked."""
    first = rounds.push({"app.py": LINE})
    mark = first.reported[0].finding
    said = Dismissal(mark.identity, "revoked", "ignored")
    later = rounds.push({"app.py": "A = 2\n"}, dismissals=(said,))
    assert open_ones(later) == []
    assert verdict.of(later).conclusion == "clean"


@pytest.mark.parametrize("rename", [False, True], ids=["moved", "renamed"])
def test_moved_secret_keeps_its_number(rounds: Rounds, rename: bool) -> None:
    """A secret that moves to another file keeps its number and is reported once."""
    first = rounds.push({"app.py": LINE})
    later = rounds.push({"app.py": None if rename else "A = 2\n", "conf/new.py": f"\n{LINE}"})
    assert open_ones(later) == ["An AWS key is committed"]
    assert (later.still[0].path, later.still[0].number) == ("conf/new.py", first.reported[0].finding.number)


def test_replaced_secret_gives_two_findings(rounds: Rounds) -> None:
    """A replaced secret gives two findings, because the old one is still in the history."""
    rounds.push({"app.py": LINE})
    later = rounds.push({"app.py": LINE.replace(KEY, OTHER)})
    assert min(open_ones(later)) == "An AWS key is committed"
    assert len(open_ones(later)) == 2


@pytest.mark.parametrize("squashed", [False, True], ids=["pushed over", "squashed"])
def test_secret_stays_open_after_a_force_push(rounds: Rounds, squashed: bool) -> None:
    """A secret stays open after a force push, because the old commit can still be fetched."""
    first = rounds.push({"app.py": LINE})
    rounds.repository.git("reset", "-q", "--hard", "main")
    later = rounds.push({"app.py": "A = 3\n"} if squashed else {"old.py": "B = 2\n"})
    (one,) = later.still
    assert first.pull.head[:10] in one.title
    assert verdict.of(later).conclusion == "findings"


def test_secret_in_an_intermediate_commit_is_reported(rounds: Rounds) -> None:
    """A secret that was added and removed before the first review is reported, and stays open."""
    added = rounds.repository.commit({"app.py": LINE}, "one")
    rounds.repository.commit({"app.py": "A = 2\n"}, "two")
    first = rounds.review()
    (title,) = open_ones(first)
    assert title == f"An AWS key was committed (removed, but still in commit {added[:10]}): revoke it"
    later = rounds.push({"app.py": "A = 3\n"})
    assert open_ones(later) == [title]
    assert KEY not in rounds.last.decode()


def test_secret_in_a_merged_side_branch_is_reported(rounds: Rounds) -> None:
    """A secret on a side branch whose merge dropped its changes is reported."""
    repository = rounds.repository
    branched = repository.commit({"side.py": LINE}, "one")
    repository.git("reset", "-q", "--hard", "main")
    repository.git("merge", "-q", "--no-ff", "-s", "ours", "-m", "two", branched)
    assert open_ones(rounds.review()) == [
        f"An AWS key was committed (removed, but still in commit {branched[:10]}): revoke it"
    ]


MARK, END_MARK = "-----BEGIN RSA " + "PRIVATE KEY-----", "-----END RSA " + "PRIVATE KEY-----"
BODY = "\n".join(
    [
        "MIIEpAIBAAKCAQEA7d8sK3mQv1xPz5nR0tYwUeHjLkGfDsAqWzXcVbNmPoIuYtRe"[at:] + "q7Z" * (at // 3)
        for at in range(0, 24, 3)
    ]
)
MARKS, WHOLE = f"{MARK}\n{END_MARK}\n", f"{MARK}\n{BODY}\n{END_MARK}\n"


@pytest.mark.parametrize(
    "steps",
    [
        [None, WHOLE],
        [f"# kept here\n{WHOLE}", f"# kept there\n{WHOLE}"],
        [WHOLE.replace(END_MARK, f"#\n{END_MARK}"), WHOLE],
        [f"{WHOLE}PASSWORD = (\n    os.environ['X']\n)\n", f"{WHOLE}PASSWORD = None\n"],
    ],
    ids=["deleted and back", "a line above", "a line inside", "a line below"],
)
def test_secret_in_the_base_is_not_reported(rounds: Rounds, steps: list[str | None]) -> None:
    """A secret in the base is not reported if commits edit around it or delete and restore its file."""
    rounds.repository.git("checkout", "-q", "main")
    rounds.repository.commit({"deploy.yml": WHOLE}, "base")
    rounds.repository.git("checkout", "-qB", "feature")
    for step in steps:
        rounds.repository.commit({"deploy.yml": step}, "step")

    assert open_ones(rounds.push({"app.py": "A = 2\n"})) == []


def test_secret_never_appears_in_a_finding_identity(rounds: Rounds) -> None:
    """If a static check quotes the secret in its text, neither the review nor its output contains it."""
    token = "ghp_" + "a8Kd02mNvQ71zXcPrT56yUbLwE93sHjFgRt4"
    found = rounds.push({"app.py": f"A = 1\nTOKEN = {token}\n"})
    assert any("***" in title for title in open_ones(found))
    assert token not in repr(found)
    assert token not in rounds.last.decode()


def test_dismissal_of_a_secret_covers_all_its_copies(rounds: Rounds) -> None:
    """After a person dismisses the secret as revoked, no copy of it is reported again."""
    (placed,) = rounds.push({"a.py": LINE, "b.py": LINE}).findings
    word = Dismissal(placed.finding.identity, "revoked", "ignored")
    assert open_ones(rounds.push({"c.py": "C = 1\n"}, dismissals=(word,))) == []
    assert open_ones(rounds.push({"a.py": None, "b.py": None}, dismissals=(word,))) == []


def commits(repository: Repository, count: int, *, empty: bool) -> None:
    """Add this number of commits to the feature branch."""
    histories.lengthen(repository.folder, "feature", count, empty=empty)
    repository.git("reset", "-q", "--hard", "feature")


@pytest.mark.parametrize("count", [99, 101])
def test_secret_behind_a_hundred_commits_is_reported_or_open(rounds: Rounds, count: int) -> None:
    """Behind a hundred commits, a secret is reported or the search is listed as incomplete."""
    rounds.repository.commit({"key.py": LINE}, "key")
    rounds.repository.commit({"key.py": None}, "gone")
    commits(rounds.repository, count, empty=False)
    done = rounds.review()

    assert open_ones(done) or any("last 100 commits" in str(part) for part in done.coverage.open)


def merge(repository: Repository, files: dict[str, str | bytes | None], *branches: str) -> None:
    """Merge branches with one commit each into the feature branch; the merge commit adds these files."""
    for name in branches:
        repository.git("checkout", "-qB", name, "main")
        repository.commit({f"{name}.txt": "one\n"}, name)
    repository.git("checkout", "-q", "feature")
    repository.git("merge", "-q", "--no-ff", "--no-commit", *branches)
    repository.commit(files, "merged")


def test_secret_merged_from_the_base_branch_is_not_reported(rounds: Rounds) -> None:
    """A secret that was merged from the base branch was not added by the change."""
    rounds.repository.git("checkout", "-q", "main")
    rounds.repository.commit({"key.py": LINE}, "the owner's")
    rounds.repository.git("checkout", "-q", "feature")
    rounds.repository.commit({"step.txt": "a\n"}, "step")
    merge(rounds.repository, {"more.txt": "b\n"}, "side")
    rounds.repository.git("merge", "-q", "--no-edit", "main")
    rounds.repository.commit({"step.txt": "c\n"}, "last")

    assert open_ones(rounds.review()) == []
