import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository
from reported import reported

from bot.values import Review, TypedChange
from bot.wiring.review import local_review
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import PerModel, Reply, Server

HELPER = "def apply(rate, amount):\n    if amount < 0:\n        raise ValueError(amount)\n    return amount * rate\n"
USER = "from shop.helper import apply\n\n\ndef total(rows):\n    return sum(apply(0.2, row) for row in rows)\n"
BEFORE: dict[str, str | bytes | None] = {"shop/__init__.py": "", "shop/helper.py": HELPER, "shop/user.py": USER}
AFTER: dict[str, str | bytes | None] = {
    "shop/helper.py": HELPER.replace("    if amount < 0:\n        raise ValueError(amount)\n", ""),
    "shop/notes.py": "".join(f"def note_{n}(text):\n    return text + '{n}'\n\n\n" for n in range(40)),
}
LINE = "    return amount * rate"
FOUND = reported(
    "shop/helper.py",
    LINE,
    2,
    "A negative amount is no longer refused",
    evidence=[{"path": "shop/user.py", "quote": "    return sum(apply(0.2, row) for row in rows)"}],
)
CONFIRMED = {"verdict": "confirmed", "trigger": "apply(0.2, -1) gives -0.2", "author_would_change": True, "reason": "r"}


def worker(body: Mapping[str, Any]) -> Reply:
    """Report the removed check if the prompt shows its function; confirm every finding."""
    text = str(body["messages"])
    if "The claim, about" in text:
        return Reply(data=CONFIRMED)
    return Reply(data={"answer": "Read.", "findings": [FOUND] if "apply(rate, amount)" in text else []})


@pytest.fixture
def pull(repository: Repository) -> TypedChange:
    """A branch that removes a check and adds a module."""
    repository.commit(BEFORE, "before")
    repository.git("checkout", "-qb", "feature")
    repository.commit(AFTER, "after")
    return TypedChange(str(repository.folder))


@pytest.fixture
def reviewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401 - a function that reviews
    """Return a function that reviews a request with a loopback model server, as the CLI would."""

    def review(request: TypedChange, server: Server | None, **flags: Any) -> Review:  # noqa: ANN401
        if server is not None:
            monkeypatch.setenv("DEEPREPO_BASE_URL", server.openai_url)
            flags = {"worker": "compatible/worker", **flags}
        scratch = tmp_path / "scratch"
        scratch.mkdir(exist_ok=True)
        return asyncio.run(local_review(request, flags, str(scratch)))

    return review


def said(review: Review) -> list[tuple[str, int, str]]:
    """Return the path, line and verdict of each reported finding."""
    return [(p.finding.path, p.finding.start, p.finding.verdict) for p in review.reported]


def test_fanout_reads_every_region_and_confirms_the_finding(pull: TypedChange, reviewed: Any) -> None:  # noqa: ANN401
    """Each region was in a prompt, the finding was confirmed, and the caller was shown."""
    with doubles.in_thread(Server(worker)) as server:
        review = reviewed(pull, server, strategy="parts")
    assert said(review) == [("shop/helper.py", 2, "confirmed")]
    assert review.reported[0].place == "inline"
    assert review.coverage.complete
    assert review.coverage.count("unit") == review.coverage.count("unit", "reviewed") > 1
    assert review.cost.calls == server.count
    assert any("def total(rows)" in str(body) for body in server.requests)


def test_finding_with_an_unknown_quote_is_dropped(pull: TypedChange, reviewed: Any) -> None:  # noqa: ANN401
    """A finding whose quote doesn't exist is dropped without a confirmation call."""
    invented = {"answer": "", "findings": [{**FOUND, "quote": "never written"}]}
    with doubles.in_thread(Server(invented)) as server:
        review = reviewed(pull, server, strategy="parts")
    assert said(review) == []
    assert review.dropped > 0
    assert not any("The claim, about" in str(body) for body in server.requests)


def test_rlm_root_adds_a_finding_and_the_summary(pull: TypedChange, reviewed: Any) -> None:  # noqa: ANN401
    """The root sees the workers' finding, reports another one, and writes the summary."""
    report = (
        "hits = search('apply')\nprint(len(hits), findings()[0]['path'])\n"
        "print(report('shop/user.py', '    return sum(apply(0.2, row) for row in rows)', 'Totals go wrong', 'why', severity='medium'))"
    )
    root = [doubles.code(report), doubles.code("set_answer('The change drops a check.')")]
    with doubles.in_thread(Server(PerModel({"root": lambda body: root_reply(body, root), "worker": worker}))) as server:
        review = reviewed(pull, server, strategy="rlm", root="compatible/root")
    assert review.summary == "The change drops a check."
    assert ("shop/helper.py", 2, "confirmed") in said(review)
    assert ("shop/user.py", 5, "confirmed") in said(review)
    assert review.turns[0].observation.output.startswith("3 shop/helper.py")
    assert review.cost.calls == server.count


def root_reply(body: Mapping[str, Any], turns: list[Reply]) -> Reply:
    """Return the scripted root's next turn, or its verdict if it is asked to confirm a finding."""
    return (
        doubles.verdict(body, CONFIRMED)
        if "The claim, about" in str(body["messages"])
        else turns.pop(0)
        if len(turns) > 1
        else turns[0]
    )


def test_offline_review_makes_no_model_call(pull: TypedChange, reviewed: Any) -> None:  # noqa: ANN401
    """Static checks cover every region without any model call; a place they can't judge is only listed."""
    review = reviewed(pull, None)
    assert (review.strategy.name, review.strategy.reason) == ("offline", "no model is configured")
    assert review.coverage.count("unit") == review.coverage.count("unit", "reviewed") > 0
    assert review.coverage.open == ()
    assert [(row.path, row.line) for row in review.coverage.relying] == [("shop/user.py", 5)]
    assert (review.cost.calls, review.cost.usd) == (0, 0.0)
    assert review.turns == ()


def test_call_limit_of_zero_leaves_every_region_unread(pull: TypedChange, reviewed: Any) -> None:  # noqa: ANN401
    """With a limit of 0 calls, no request is sent, and the review counts as failed."""
    with doubles.in_thread(Server(worker)) as server:
        request = TypedChange(pull.repo)
        Path(pull.repo, ".deeprepo.yml").write_text("budget: {calls: 0}\n")
        repo = Repository(Path(pull.repo))
        repo.git("checkout", "-q", "main")
        repo.git("add", ".deeprepo.yml")
        repo.git("commit", "-qm", "settings")
        repo.git("checkout", "-q", "feature")
        review = reviewed(request, server, strategy="parts")
    assert server.count == 0
    assert review.cut.partial
    assert not review.coverage.complete
    assert review.cut.fault == "provider"
    assert any("limit of 0 calls" in note for note in review.notes)


def test_every_region_in_a_large_change_is_reviewed(repository: Repository, reviewed: Any) -> None:  # noqa: ANN401
    """Every region in a change of 100 files is reviewed."""
    body = "".join(f"def f{n}(x):\n    return x + {n}\n\n\n" for n in range(25))
    repository.commit({"README": "x"})
    repository.git("checkout", "-qb", "feature")
    repository.commit({f"pkg/m{n}.py": body for n in range(100)})
    review = reviewed(TypedChange(str(repository.folder)), None)
    assert len(review.files) == 100
    assert review.coverage.complete
