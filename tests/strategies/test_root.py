"""The root model reads a change and searches the repository: run on the command line with a local provider."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from cli.recorded import Ended, deeprepo
from fakes import Repository
from reported import reported

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply, Server
from tests.rows import of

HELPER = "def apply(rate, amount):\n    if amount < 0:\n        raise ValueError(amount)\n    return amount * rate\n"
USER = "from shop.helper import apply\n\n\ndef total(rows):\n    return sum(apply(0.2, row) for row in rows)\n"
FOUND = reported("shop/helper.py", "    return amount * rate", 2, "A negative amount is no longer refused")
MORE = [{"path": "shop/user.py", "quote": "    return sum(apply(0.2, row) for row in rows)"}]
CLAIM, REPL = "The claim, about", "Python REPL"


@pytest.fixture
def change(repository: Repository) -> Repository:
    """Commit a branch that removes a check that unchanged code depends on."""
    repository.commit({"shop/__init__.py": "", "shop/helper.py": HELPER, "shop/user.py": USER}, "before")
    repository.git("checkout", "-qb", "feature")
    dropped = HELPER.replace("    if amount < 0:\n        raise ValueError(amount)\n", "")
    repository.commit({"shop/helper.py": dropped}, "after")
    return repository


class Played:
    """A model in all roles: the root's turns, passes over the diff, and confirmations. `asked` lists its calls in order."""

    def __init__(self, *found: Mapping[str, Any], verdict: str = "confirmed") -> None:
        self.found, self.verdict = found, verdict
        self.asked: list[str] = []
        self.seen: list[str] = []

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        """Return the next reply."""
        text = str(body["messages"])
        self.seen.append(text)
        if CLAIM in text:
            self.asked.append("confirmation")
            told = {"verdict": self.verdict, "trigger": "apply(0.2, -1)", "author_would_change": True, "reason": ""}
            ground = {} if self.verdict == "confirmed" else {"ground": "a negative number is refused before"}
            return doubles.verdict(body, told | ground)
        self.asked.append("turn" if body.get("tools") and REPL in text else "reading")
        return Reply(data={"answer": "It drops a check.", "findings": list(self.found)})


def reviewed(change: Repository, played: Played, *options: str, returns: int = 0, **env: str) -> dict[str, Any]:
    """Return the review as JSON, after checking that a resumed run gives the same review without a call."""
    journal = change.folder.parent / "journal.jsonl"
    journal.unlink(missing_ok=True)
    options = (*options, "--journal", str(journal))
    review = read(change, played, *options, returns=returns, **env)
    *lines, _ = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines))  # as if the run was killed before its last line
    done = run(change, "http://127.0.0.1:9/v1", *options, **env)
    assert done.returncode == returns, done.stderr
    assert {**json.loads(done.stdout), "seconds": 0} == {**review, "seconds": 0}
    return review


def run(change: Repository, url: str, *options: str, **env: str) -> Ended:
    """Run the review with the models at this address."""
    models = ("--root", "compatible/model", "--worker", "compatible/model")
    command = ("review", "main..feature", *models, *options, "--format", "json", "--quiet")
    return deeprepo(*command, cwd=change.folder, DEEPREPO_BASE_URL=url, **env)


def read(change: Repository, played: Played, *options: str, returns: int = 0, **env: str) -> dict[str, Any]:
    """Return the review as JSON, after checking that each call was counted."""
    with doubles.in_thread(Server(played)) as server:
        done = run(change, server.openai_url, *options, **env)
    assert done.returncode == returns, done.stderr
    review: dict[str, Any] = json.loads(done.stdout)
    assert review["cost"]["calls"] == server.count == len(played.asked)
    return review


def test_root_reads_a_small_change_in_one_dialogue(change: Repository) -> None:
    """The root's findings need no confirmation, and its answer is the summary."""
    played = Played(FOUND)
    review = reviewed(change, played)
    assert played.asked == ["turn"]
    assert (review["strategy"]["name"], [row["verdict"] for row in of(review, "new")]) == ("root", ["unproven"])
    assert "the root model reviews it and searches the repository" in review["strategy"]["reason"]
    assert review["summary"] == "It drops a check."
    assert review["coverage"]["complete"]


def test_refuted_finding_of_the_root_is_not_reported(change: Repository) -> None:
    """At effort high, a finding is confirmed by a separate call, which sees no verdict of the root."""
    review = read(change, Played(FOUND, verdict="refuted"), "--effort", "high")
    assert [row["status"] for row in review["findings"]] == ["refuted"]


LINK = {
    "path": "docs/index.md", "quote": "See [the rates](rates.md).", "title": "The index links to a removed page",
    "why": "docs/rates.md was removed.", "severity": "low", "consequence": "The link is broken.", "trigger": "a reader",
    "category": "other",
}  # fmt: skip


@pytest.mark.parametrize("moved", ["removed", "renamed"])
def test_forgotten_link_to_a_removed_document_is_shown_in_full(repository: Repository, moved: str) -> None:
    """A change that only removes or moves a document is searched, too, and a low finding needs no confirmation."""
    page = "# Rates\n\nEvery rate is a percentage of the amount that is charged.\n"
    index = "# Index\n\nSee [the rates](rates.md).\n"
    repository.commit({"docs/rates.md": page, "docs/index.md": index, "a.py": "A = 1\n"}, "before")
    repository.git("checkout", "-qb", "feature")
    repository.commit({"docs/rates.md": None} | ({"docs/prices.md": page} if moved == "renamed" else {}), "after")
    played = Played(LINK)
    review = read(repository, played)
    assert played.asked == ["turn"]
    assert "docs/index.md:3 contains" in played.seen[0]
    assert [(row["path"], row["start"], row["place"]) for row in of(review, "new")] == [("docs/index.md", 3, "outside")]


RATES = "".join(f"RATE_{n} = {n}\n" for n in range(60))
RENAMED = "def apply(rate, total):\n    return total * rate\n"


@pytest.mark.parametrize(
    ("push", "call"),
    [
        ({"shop/more.py": RATES[:300]}, "reading"),
        ({"shop/more.py": RATES}, "turn"),
        ({"shop/helper.py": RENAMED}, "turn"),
        ({"shop/more.py": "RATE = 1\n", "shop/gone.py": None}, "turn"),
    ],
    ids=["few lines", "many lines", "a word is gone", "taken back"],
)
def test_few_lines_of_a_later_push_are_read_in_one_call(
    change: Repository, push: Mapping[str, str | None], call: str
) -> None:
    """A longer push gets a search, and so does one after which a word is gone from a file."""
    change.commit({"shop/gone.py": "SOME_RATE = 1\n"}, "first push")
    previous = change.folder.parent / "previous.json"
    previous.write_text(json.dumps(read(change, Played(FOUND))))
    change.commit(push, "second push")
    played = Played()
    read(change, played, "--previous", str(previous))
    assert (played.asked, str(next(iter(push.values())))[:8] in played.seen[0]) == ([call], True)


def test_effort_none_calls_no_model(change: Repository) -> None:
    """Only static checks run, even if models are configured."""
    played = Played()
    review = reviewed(change, played, "--effort", "none")
    assert (review["strategy"]["name"], played.asked) == ("offline", [])
