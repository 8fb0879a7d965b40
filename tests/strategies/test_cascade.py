"""One pass first, and a root model only for open questions: run on the command line with a local provider."""

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
CLAIM, OPEN = "The claim, about", "Open are:"
REPORT = (
    "drop(findings()[0]['id'], 'again, with what decides')\n"
    "print(report('shop/helper.py', '    return amount * rate', 'A negative amount is no longer refused', 'total() hands on what it is given', "
    f"severity='high', category='logic', evidence={[[row['path'], row['quote']] for row in MORE]!r}))"
)


@pytest.fixture
def change(repository: Repository) -> Repository:
    """Commit a branch that removes a check that unchanged code depends on."""
    repository.commit({"shop/__init__.py": "", "shop/helper.py": HELPER, "shop/user.py": USER}, "before")
    repository.git("checkout", "-qb", "feature")
    dropped = HELPER.replace("    if amount < 0:\n        raise ValueError(amount)\n", "")
    repository.commit({"shop/helper.py": dropped}, "after")
    return repository


class Played:
    """A model in all roles: pass, confirmation and root turns. `asked` lists its calls in order."""

    def __init__(self, *found: Mapping[str, Any], verdict: str = "confirmed") -> None:
        self.found, self.verdict = found, verdict
        self.asked: list[str] = []

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        """Return the next reply."""
        text = str(body["messages"])
        if CLAIM in text:
            self.asked.append("opinion")
            sure = "total() hands on" in text or self.verdict == "confirmed"
            verdict = "confirmed" if sure else self.verdict
            told = {"verdict": verdict, "trigger": "apply(0.2, -1)", "author_would_change": True, "reason": ""}
            ground = {} if verdict == "confirmed" else {"ground": "a negative number is refused before", "by": "code"}
            return doubles.verdict(body, told | ground)
        if not body.get("tools") or "Python REPL" not in text:
            self.asked.append("reading")
            return Reply(data={"answer": "It drops a check.", "findings": list(self.found)})
        self.asked.append("turn, open" if OPEN in text else "turn")
        first = sum(message["role"] == "assistant" for message in body["messages"]) == 0
        return Reply(calls=doubles.code(REPORT if first and self.found else "set_answer('Looked up.')").calls)


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


def test_pass_without_open_questions_ends_the_review(change: Repository) -> None:
    """One pass and one confirmation, which is paid once although it is requested twice."""
    played = Played(FOUND)
    review = reviewed(change, played)
    assert played.asked == ["reading", "opinion"]
    assert (review["strategy"]["name"], [row["verdict"] for row in of(review, "new")]) == ("cascade", ["confirmed"])
    assert "no questions remained, so the root model did not run" in review["strategy"]["reason"]
    assert review["summary"] == "It drops a check."


def test_root_settles_an_unproven_finding(change: Repository) -> None:
    """The root is told which finding is open; its new report with evidence gets its own confirmation."""
    played = Played(FOUND, verdict="unproven")
    review = reviewed(change, played)
    assert played.asked == ["reading", "opinion", "turn, open", "turn, open", "opinion"]
    assert [(row["verdict"], len(row["evidence"])) for row in of(review, "new")] == [("confirmed", 1)]
    assert "1 question remained, and the root model continued" in review["strategy"]["reason"]


SUSPICION = "Whether Ledger.post in shop/ledger.py refuses a negative amount."


@pytest.mark.parametrize(("effort", "asked"), [("medium", ["reading"]), ("high", ["reading", "turn, open"])])
def test_suspicion_without_a_finding_starts_no_root(change: Repository, effort: str, asked: list[str]) -> None:
    """A suspicion starts no root, which costs several times as much; at effort high, the root is told."""
    seen: list[str] = []

    class Suspecting(Played):
        def __call__(self, body: Mapping[str, Any]) -> Reply:
            reply = super().__call__(body)
            seen.append(str(body["messages"]))
            if self.asked[-1] == "reading":
                return Reply(data={"answer": "It drops a check.", "findings": [], "unsettled": [SUSPICION]})
            return reply

    played = Suspecting()
    read(change, played, "--effort", effort)
    assert played.asked == asked
    assert [SUSPICION in text for text in seen] == [False, True][: len(asked)]


def test_findings_that_the_root_reports_are_confirmed_after_its_run(change: Repository) -> None:
    """The confirmation comes after the run, so the root does not see it."""

    class Closing(Played):
        def __call__(self, body: Mapping[str, Any]) -> Reply:
            reply = super().__call__(body)
            last = self.asked[-1].startswith("turn")
            return Reply(calls=doubles.code(f"{REPORT}\nset_answer('Done.')").calls) if last else reply

    played = Closing(FOUND, verdict="unproven")
    review = read(change, played)
    assert played.asked == ["reading", "opinion", "turn, open", "opinion"]
    assert [row["verdict"] for row in of(review, "new")] == ["confirmed"]


def test_confirmations_wait_for_a_root_that_continues_anyway(change: Repository) -> None:
    """Each remaining finding gets one confirmation, and the root is told that it will follow."""
    seen: list[str] = []

    class Looking(Played):
        def __call__(self, body: Mapping[str, Any]) -> Reply:
            reply = super().__call__(body)
            if self.asked[-1].startswith("turn"):
                seen.append(str(body["messages"]))
                return Reply(calls=doubles.code("set_answer('Seen.')" if len(seen) > 1 else "print(findings())").calls)
            return reply

    played = Looking(FOUND)
    review = reviewed(change, played, "--effort", "high")
    assert played.asked == ["reading", "turn", "turn", "opinion"]
    assert "needs a second opinion" in seen[0]
    assert "not confirmed yet: a second model call follows automatically" in seen[1]
    assert [row["verdict"] for row in of(review, "new")] == ["confirmed"]


def test_effort_decides_whether_a_root_continues(change: Repository) -> None:
    """Effort low never starts a root; effort high does, even if no question is open."""
    low, high = Played(), Played()
    assert reviewed(change, low, "--effort", "low")["strategy"]["name"] == "direct"
    assert low.asked == ["reading"]
    reviewed(change, high, "--effort", "high")
    assert high.asked == ["reading", "turn"]


def test_effort_none_calls_no_model(change: Repository) -> None:
    """Only static checks run, even if models are configured."""
    played = Played()
    review = reviewed(change, played, "--effort", "none")
    assert (review["strategy"]["name"], played.asked) == ("offline", [])
