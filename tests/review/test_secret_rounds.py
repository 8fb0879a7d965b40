"""A committed secret outlives its line: what later rounds say of it, through the command's own door."""

import asyncio
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import histories
import pytest
from fakes import Repository

from bot import pipeline, wiring
from bot.outputs import OUTPUTS, facts
from bot.outputs.handover import prompt
from bot.values import PlacedFinding, Review, ReviewRequest

KEY = "AKIA" + "Q3ZRT5PLMX7WQN2B"
OTHER = "AKIA" + "J8DKF2HWYTRBC6ME"
LINE = f'KEY = "{KEY}"\n'


class Rounds:
    """A branch whose pushes are reviewed one after the other, without a model."""

    def __init__(self, repository: Repository, scratch: Path) -> None:
        self.repository, self.scratch, self.last = repository, scratch, None
        scratch.mkdir()
        repository.commit({"app.py": "A = 1\n", "old.py": "B = 1\n" * 30}, "before")
        repository.git("checkout", "-qb", "feature")

    def push(self, files: dict[str, str | bytes | None], **decided: Any) -> Review:  # noqa: ANN401
        """Commit these files and review the branch as a round after the last one."""
        self.repository.commit(files, "push")
        return self.review(**decided)

    def review(self, **decided: Any) -> Review:  # noqa: ANN401 - fields of Brief
        """Review the branch."""
        flags = {"effort": "none", **({"previous": self.last} if self.last else {})}
        done = asyncio.run(self._review(flags, decided))
        self.last = rendered(done)
        return done

    async def _review(self, flags: dict[str, Any], decided: dict[str, Any]) -> Review:
        brief = await wiring.brief(ReviewRequest(str(self.repository.folder)), flags, str(self.scratch))
        return await pipeline.review(replace(brief, **decided), wiring.tools(brief, str(self.scratch), lambda _: None))


def rendered(done: Review) -> bytes:
    """The review as the next round is given it."""
    return OUTPUTS["json"]().render(done).encode()


@pytest.fixture
def rounds(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rounds:
    """A branch before its first push."""
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "DEEPREPO_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return Rounds(repository, tmp_path / "scratch")


def open_ones(done: Review) -> list[str]:
    """The titles of what is open."""
    return [finding.title for finding in done.open]


@pytest.mark.parametrize(
    "then",
    [{"app.py": "A = 2\n"}, {"app.py": None}, {"app.py": "A = 1\n"}],
    ids=["line removed", "file deleted", "taken back"],
)
def test_a_removed_secret_stays_open(rounds: Rounds, then: dict[str, str | bytes | None]) -> None:
    """It names the commit that holds it, round after round, and the review is never clean."""
    first = rounds.push({"app.py": LINE, "x.py": "C = 1\n"})
    assert open_ones(first) == ["An AWS key is committed"]
    for number in range(2):
        later = rounds.push({**(then if not number else {}), "x.py": f"C = {number + 2}\n"})
        assert open_ones(later) == [
            f"An AWS key is committed: removed, still in commit {first.pull.head[:10]}, revoke it"
        ]
        assert (later.having("fixed"), facts.conclusion(later)) == ((), "findings")
        assert later.still[0].number == first.reported[0].finding.number


def test_the_owner_closes_it(rounds: Rounds) -> None:
    """Only the word of a person who may write ends it: `/deeprepo ignore N revoked`."""
    first = rounds.push({"app.py": LINE})
    mark = first.reported[0].finding
    said = (mark.identity, "revoked", "finding")
    later = rounds.push({"app.py": "A = 2\n"}, ignored_findings=(said,))
    assert open_ones(later) == []
    assert facts.conclusion(later) == "clean"


@pytest.mark.parametrize("rename", [False, True], ids=["moved", "renamed"])
def test_a_secret_that_moves_is_the_same_one(rounds: Rounds, rename: bool) -> None:
    """In another file it keeps its number, and is there once."""
    first = rounds.push({"app.py": LINE})
    later = rounds.push({"app.py": None if rename else "A = 2\n", "conf/new.py": f"\n{LINE}"})
    assert open_ones(later) == ["An AWS key is committed"]
    assert (later.still[0].path, later.still[0].number) == ("conf/new.py", first.reported[0].finding.number)


def test_a_replaced_secret_are_two(rounds: Rounds) -> None:
    """The new one is reported beside the old one, which is still in the history."""
    rounds.push({"app.py": LINE})
    later = rounds.push({"app.py": LINE.replace(KEY, OTHER)})
    assert min(open_ones(later)) == "An AWS key is committed"
    assert len(open_ones(later)) == 2


@pytest.mark.parametrize("squashed", [False, True], ids=["pushed over", "squashed"])
def test_a_rewritten_branch_takes_nothing_back(rounds: Rounds, squashed: bool) -> None:
    """A commit that no branch holds any more can still be fetched."""
    first = rounds.push({"app.py": LINE})
    rounds.repository.git("reset", "-q", "--hard", "main")
    later = rounds.push({"app.py": "A = 3\n"} if squashed else {"old.py": "B = 2\n"})
    (one,) = later.still
    assert first.pull.head[:10] in one.title
    assert facts.conclusion(later) == "findings"


def test_a_secret_of_an_intermediate_commit_is_reported(rounds: Rounds) -> None:
    """It was added and removed before the first review, and stays open in the next one."""
    added = rounds.repository.commit({"app.py": LINE}, "one")
    rounds.repository.commit({"app.py": "A = 2\n"}, "two")
    first = rounds.review()
    (title,) = open_ones(first)
    assert title == f"An AWS key was committed: removed, still in commit {added[:10]}, revoke it"
    later = rounds.push({"app.py": "A = 3\n"})
    assert open_ones(later) == [title]
    assert KEY not in rounds.last.decode()


def test_no_form_of_a_commit_hides_its_secret(rounds: Rounds) -> None:
    """A branch of its own that is merged and dropped, by a merge that is the head."""
    repository = rounds.repository
    branched = repository.commit({"side.py": LINE}, "one")
    repository.git("reset", "-q", "--hard", "main")
    repository.git("merge", "-q", "--no-ff", "-s", "ours", "-m", "two", branched)
    assert open_ones(rounds.review()) == [
        f"An AWS key was committed: removed, still in commit {branched[:10]}, revoke it"
    ]


MARK, END_MARK = "-----BEGIN RSA " + "PRIVATE KEY-----", "-----END RSA " + "PRIVATE KEY-----"
BODY = "\n".join(
    [
        "MIIEpAIBAAKCAQEA7d8sK3mQv1xPz5nR0tYwUeHjLkGfDsAqWzXcVbNmPoIuYtRe"[at:] + "q7Z" * (at // 3)
        for at in range(0, 24, 3)
    ]
)
MARKS, WHOLE = f"{MARK}\n{END_MARK}\n", f"{MARK}\n{BODY}\n{END_MARK}\n"
WORD = "Tr0ub4dor-" + "kestrel-91"
HALVES = {  # the file on the base, and what each commit makes of it
    "a body between its marks": ("", MARKS, WHOLE, MARKS),
    "marks of the base": (MARKS, WHOLE, MARKS),
    "a body far below": (f"{MARK}\n" + "#\n" * 90, f"{MARK}\n" + "#\n" * 90 + BODY, f"{MARK}\n" + "#\n" * 90),
    "a mark above a body": ("", f"{BODY}\n", f"{MARK}\n{BODY}\n", "x\n"),
    "a value below its name": ("", "PASSWORD = (\n)\n", f"PASSWORD = (\n    '{WORD}'\n)\n", "PASSWORD = (\n)\n"),
    "a name above its value": ("", f"x = (\n    '{WORD}'\n)\n", f"PASSWORD = (\n    '{WORD}'\n)\n", "x = 1\n"),
    "a value beside its name": (
        "- name: DB_PASSWORD\n  value: x\n", f"- name: DB_PASSWORD\n  value: {WORD}\n", "- name: DB_PASSWORD\n  value: x\n"
    ),
    "a property list": (
        "<key>DbPassword</key>\n<string>x</string>\n", f"<key>DbPassword</key>\n<string>{WORD}</string>\n", "<key>x</key>\n"
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", HALVES)
def test_a_secret_of_two_steps_that_is_taken_back_is_reported(rounds: Rounds, what: str) -> None:
    """What a commit adds is a secret by the lines around it, which are older."""
    base, *steps = HALVES[what]
    rounds.repository.git("checkout", "-q", "main")
    rounds.repository.commit({"deploy.yml": base}, "base")
    rounds.repository.git("checkout", "-qB", "feature")
    for step in steps:
        rounds.repository.commit({"deploy.yml": step}, "step")
    titles = open_ones(rounds.review())

    assert ["removed, still in commit" in title for title in titles] == [True]


@pytest.mark.parametrize(
    ("one", "two", "both"),
    [(MARKS, f"{BODY}\n", WHOLE), ("PASSWORD = (\n)\n", f"x = [\n    '{WORD}'\n]\n", f"PASSWORD = (\n    '{WORD}'\n)\n")],
    ids=["a key", "a password"],
)  # fmt: skip
def test_a_merge_that_joins_the_halves_of_a_secret_is_reported(rounds: Rounds, one: str, two: str, both: str) -> None:
    """Each side of it brings one."""
    repository = rounds.repository
    repository.git("checkout", "-qb", "side")
    repository.commit({"conf.py": two}, "two")
    repository.git("checkout", "-q", "feature")
    repository.commit({"conf.py": one}, "one")
    repository.git("merge", "-q", "--no-ff", "--no-commit", "-X", "ours", "side")
    repository.commit({"conf.py": both}, "merged")
    repository.commit({"conf.py": None}, "gone")

    assert any("removed, still in commit" in title for title in open_ones(rounds.review()))


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
def test_a_secret_of_the_base_is_not_the_change_s(rounds: Rounds, steps: list[str | None]) -> None:
    """Its commits edit the file around it, or take it away and bring it back."""
    rounds.repository.git("checkout", "-q", "main")
    rounds.repository.commit({"deploy.yml": WHOLE}, "base")
    rounds.repository.git("checkout", "-qB", "feature")
    for step in steps:
        rounds.repository.commit({"deploy.yml": step}, "step")

    assert open_ones(rounds.push({"app.py": "A = 2\n"})) == []


def test_a_key_that_grows_is_one_finding(rounds: Rounds) -> None:
    """What an earlier commit held of it, the head shows too."""
    rounds.repository.commit({"deploy.yml": WHOLE[:200]}, "part")
    rounds.repository.commit({"deploy.yml": WHOLE}, "whole")

    assert open_ones(rounds.push({"app.py": "A = 2\n"})) == ["A private key is committed"]


def test_a_secret_that_moves_where_nobody_looks_stays_open(rounds: Rounds) -> None:
    """The owner's patterns leave a file out of the check: what an earlier commit added is reported for its own file."""
    rounds.repository.git("checkout", "-q", "main")
    rounds.repository.commit({".deeprepo.yml": "ignore: [vendor/]\n"}, "settings")
    rounds.repository.git("checkout", "-q", "feature")
    rounds.repository.git("rebase", "-q", "main")
    added = rounds.repository.commit({"app.py": LINE}, "one")
    found = rounds.push({"app.py": "A = 2\n", "vendor/app.py": LINE})
    assert open_ones(found) == [f"An AWS key was committed: removed, still in commit {added[:10]}, revoke it"]


def test_a_secret_is_in_no_identity_of_a_finding(rounds: Rounds) -> None:
    """A check by code that names it in its words: the output holds it nowhere."""
    token = "ghp_" + "a8Kd02mNvQ71zXcPrT56yUbLwE93sHjFgRt4"
    found = rounds.push({"app.py": f"A = 1\nTOKEN = {token}\n"})
    assert any(token[:4] in title for title in open_ones(found))
    assert token not in rounds.last.decode()


def test_an_agent_is_told_to_have_it_revoked(rounds: Rounds) -> None:
    """A token is not mended by a test."""
    found = rounds.push({"app.py": LINE}).findings
    text = prompt(found, "")
    assert "revoke it first" in text
    assert "add one that fails" not in text
    other = PlacedFinding(replace(found[0].finding, category="bug"), "inline")
    assert "add one that fails" in prompt([*found, other], "")


SILENCED = "- scope: path\n  path: fixtures/**\n  reason: made up\n"
ALLOWED = 'DEMO = "{}"  # pragma: allowlist secret\n'


@pytest.mark.parametrize(
    "pushes",
    [
        [{"prod/app.yml": f"k: {KEY}\n", "fixtures/a.yml": f"k: {KEY}\n"}],
        [{"prod/app.yml": f"k: {KEY}\n"}, {"prod/app.yml": "k: none\n", "fixtures/a.yml": f"k: {KEY}\n"}],
        [{"fixtures/a.yml": f"k: {KEY}\n"}, {"prod/app.yml": f"k: {KEY}\n"}, {"prod/app.yml": None, "fixtures/a.yml": None}],
        [{"prod/app.yml": f"k: {KEY}\n"}, {"prod/app.yml": None, "demo.py": ALLOWED.format(KEY)}],
        [{"demo.py": ALLOWED.format(OTHER) + LINE}, {"demo.py": ALLOWED.format(KEY)}],
    ],
)  # fmt: skip
def test_no_silenced_copy_hides_a_secret(rounds: Rounds, pushes: list[dict[str, str | bytes | None]]) -> None:
    """One value in several places, at the head or in the history, is told as long as one of them is not silenced."""
    rounds.repository.git("checkout", "-q", "main")
    rounds.repository.commit({".deeprepo/ignore.yml": SILENCED, "demo.py": ALLOWED.format(OTHER)}, "owner's")
    rounds.repository.git("checkout", "-qB", "feature")
    for push in pushes:
        done = rounds.push(push)
    assert [title for title in open_ones(done) if title.startswith("An AWS key")]


def test_a_word_about_a_secret_holds_for_all_its_places(rounds: Rounds) -> None:
    """Somebody has said of the value that it is revoked: no copy of it comes back."""
    (placed,) = rounds.push({"a.py": LINE, "b.py": LINE}).findings
    word = (placed.finding.identity, "revoked", "finding")
    assert open_ones(rounds.push({"c.py": "C = 1\n"}, ignored_findings=(word,))) == []
    assert open_ones(rounds.push({"a.py": None, "b.py": None}, ignored_findings=(word,))) == []


def commits(repository: Repository, count: int, *, empty: bool) -> None:
    """Commits on the branch that is checked out."""
    histories.lengthen(repository.folder, "feature", count, empty=empty)
    repository.git("reset", "-q", "--hard", "feature")


def test_empty_commits_hide_no_commit(rounds: Rounds) -> None:
    """A commit that changes no file takes no place of one that does."""
    rounds.repository.commit({"key.py": LINE}, "key")
    rounds.repository.commit({"key.py": None}, "gone")
    commits(rounds.repository, 130, empty=True)

    assert any("revoke" in title or "removed" in title for title in open_ones(rounds.review()))


@pytest.mark.parametrize("count", [97, 98, 99, 100, 101])
def test_a_secret_behind_a_hundred_commits_is_found_or_open(rounds: Rounds, count: int) -> None:
    """There is no number of commits behind which it is silent."""
    rounds.repository.commit({"key.py": LINE}, "key")
    rounds.repository.commit({"key.py": None}, "gone")
    commits(rounds.repository, count, empty=False)
    done = rounds.review()

    assert open_ones(done) or any("last 100 commits" in str(part) for part in done.coverage.open)


def test_what_follows_labels_has_one_room_for_all_files(rounds: Rounds) -> None:
    """A line of each of many files is changed again and again: no one command finds too much, all of them do, and that is open."""
    text = "// PRIVATE " + "KEY\n" + f"// {'x' * 120}\n" * 50
    for step in range(30):
        rounds.repository.commit({f"d/{at}.c": f"int a{step} = {at};\n{text}" for at in range(100)}, "step")
    rounds.repository.commit({f"d/{at}.c": None for at in range(100)}, "gone")
    done = rounds.push({"app.py": LINE})

    assert open_ones(done) == ["An AWS key is committed"]
    assert any("not all commits of the change were looked through" in str(part) for part in done.coverage.open)


def merge(repository: Repository, files: dict[str, str | bytes | None], *branches: str) -> None:
    """Merge branches of one commit each into the feature branch; the merge itself brings these files."""
    for name in branches:
        repository.git("checkout", "-qB", name, "main")
        repository.commit({f"{name}.txt": "one\n"}, name)
    repository.git("checkout", "-q", "feature")
    repository.git("merge", "-q", "--no-ff", "--no-commit", *branches)
    repository.commit(files, "merged")


@pytest.mark.parametrize("branches", [("one",), ("one", "two")], ids=["of two", "of three"])
@pytest.mark.parametrize("name", ["key.py", "this and that.env", "b/key.py"])
def test_a_secret_that_a_merge_itself_adds_is_found(rounds: Rounds, branches: tuple[str, ...], name: str) -> None:
    """None of its sides has the line, and the next commit removes it."""
    rounds.repository.commit({"step.txt": "a\n"}, "step")
    merge(rounds.repository, {name: LINE}, *branches)
    rounds.repository.commit({name: None}, "gone")

    assert any("removed, still in commit" in title for title in open_ones(rounds.review()))


def test_a_merge_of_the_base_brings_none_of_its_secrets(rounds: Rounds) -> None:
    """What stood on the base branch when it was merged is nothing that the change adds."""
    rounds.repository.git("checkout", "-q", "main")
    rounds.repository.commit({"key.py": LINE}, "the owner's")
    rounds.repository.git("checkout", "-q", "feature")
    rounds.repository.commit({"step.txt": "a\n"}, "step")
    merge(rounds.repository, {"more.txt": "b\n"}, "side")
    rounds.repository.git("merge", "-q", "--no-edit", "main")
    rounds.repository.commit({"step.txt": "c\n"}, "last")

    assert open_ones(rounds.review()) == []


def test_a_clone_that_lacks_commits_of_the_change_is_open(rounds: Rounds, tmp_path: Path) -> None:
    """A side of a merge is deeper than the clone, and the base is in it: what its commits held is not known."""
    repository = rounds.repository
    repository.commit({"key.py": LINE}, "key")
    repository.commit({"key.py": None}, "gone")
    commits(repository, 3, empty=True)
    repository.git("checkout", "-qB", "short", "main")
    repository.commit({"short.txt": "one\n"}, "short")
    repository.git("merge", "-q", "--no-ff", "--no-edit", "feature")
    repository.commit({"short.txt": "two\n"}, "last")
    shallow = tmp_path / "shallow"
    subprocess.run(
        ["git", "clone", "-q", "--depth", "4", "--no-single-branch", f"file://{repository.folder}", shallow], check=True
    )
    for folder, is_open in ((repository.folder, False), (shallow, True)):
        request = ReviewRequest(str(folder), base="origin/main" if is_open else "main", head="HEAD")
        done = asyncio.run(wiring.local_review(request, {"effort": "none"}, str(rounds.scratch)))
        assert any("git fetch --unshallow" in str(part) for part in done.coverage.open) is is_open
        assert bool(open_ones(done)) is not is_open
