import json

import pytest
from fakes import Repository
from recorded import Ended, branches, deeprepo, scripted

from bot.review.strategies.estimate import ASKING, LIKELY_CHARS, LOOKED_UP
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Server


@pytest.fixture
def changed(repository: Repository) -> Repository:
    """Return the repository of the scripted review."""
    return branches(repository)


def estimated(changed: Repository, *arguments: str, **env: str) -> Ended:
    return deeprepo("estimate", "main..feature", *arguments, cwd=changed.folder, **env)


def test_estimate_sends_nothing_and_needs_no_key(changed: Repository) -> None:
    """The estimate lists calls, tokens, dollars and strategy of each effort."""
    with doubles.in_thread(scripted()) as server:
        done = estimated(changed, "--format", "json", DEEPREPO_BASE_URL=server.openai_url)
        assert server.count == 0
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert (told["units"], told["files"], told["strategy"]["name"]) == (4, 4, "root")
    rows = {row["effort"]: row for row in told["efforts"]}
    assert [(effort, row["strategy"]) for effort, row in rows.items()] == [
        ("low", "parts"),
        ("medium", "root"),
        ("high", "root"),
    ]
    assert 0 < rows["low"]["usd"] < rows["medium"]["usd"] <= rows["high"]["usd"]


def test_estimate_for_a_large_change_includes_workers_and_root(repository: Repository) -> None:
    """A pass's prompts are counted once. Without a root model, none of its cost is estimated."""
    repository.commit({"a.py": "A = 1\n"})
    repository.git("checkout", "-q", "-b", "feature")
    lines = "".join(f"def step_{n}(value):\n    return value + {n} * 3 - len(str(value))\n\n\n" for n in range(4_000))
    repository.commit({"a.py": lines})
    told = json.loads(estimated(repository, "--format", "json").stdout)
    low, medium, high = told["efforts"]
    assert [row["strategy"] for row in (low, medium, high)] == ["parts", "rlm", "rlm"]
    assert low["root_usd"] == 0.0
    assert 0 < low["usd"] < medium["usd"] < high["usd"]


@pytest.mark.parametrize("functions", [1, 40, 150, 600, 1_200])
@pytest.mark.parametrize("is_used", [True, False])
def test_higher_effort_never_costs_less(repository: Repository, functions: int, *, is_used: bool) -> None:
    """Costs rise with effort for changes of every size, with and without unchanged callers."""
    steps = "".join(
        f"def step_{n}(value):\n    return value + {n} * 3 - len(str(value))\n\n\n" for n in range(functions)
    )
    uses = "from a import step_0\n\n\ndef run(rows):\n    return [step_0(row) for row in rows]\n"
    repository.commit({"a.py": steps, **({"b.py": uses} if is_used else {})})
    repository.git("checkout", "-q", "-b", "feature")
    repository.commit({"a.py": steps.replace("(value):", "(value, base=0):").replace("return value", "return base")})
    rows = json.loads(estimated(repository, "--format", "json").stdout)["efforts"]
    assert [row["effort"] for row in rows] == ["low", "medium", "high"]
    assert 0 < rows[0]["usd"] <= rows[1]["usd"] <= rows[2]["usd"]


def test_estimated_worker_prompts_match_the_review(changed: Repository) -> None:
    """The estimate matches what the review sends, plus a share for second calls, which only some make."""
    options = ("--strategy", "parts", "--worker", "compatible/worker", "--no-verify")
    told = json.loads(estimated(changed, *options, "--format", "json").stdout)
    (row,) = told["efforts"]
    assert row["strategy"] == "parts"
    wish = {"kind": "uses", "name": "step_1", "path": "", "start": 0, "end": 0, "before": False}
    with doubles.in_thread(Server({"answer": "", "findings": [], "look_ups": [wish]})) as server:
        deeprepo("review", "main..feature", *options, cwd=changed.folder, DEEPREPO_BASE_URL=server.openai_url)
        assert (row["calls"], server.count) == (1, 2)
        sent = sum(len(message["content"]) for message in server.requests[0]["messages"])
    sent += len(json.dumps(server.requests[0]["response_format"]))
    first = row["weighed"]["input"]
    assert first == pytest.approx(sent / LIKELY_CHARS, rel=0.02)
    assert row["usage"]["input"] == pytest.approx(first + ASKING * (first + LOOKED_UP), abs=2)
    assert row["usage"]["cache_read"] == pytest.approx(ASKING * first, abs=2)
    assert row["usd"] is None


def test_unknown_price_is_not_shown_as_zero(changed: Repository) -> None:
    """The table says "price unknown"."""
    assert "price unknown" in estimated(changed, "--worker", "compatible/x").stdout
