import json
from pathlib import Path

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
    assert rows["high"]["calls"] >= rows["medium"]["calls"] > rows["low"]["calls"] > 0
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
    assert (low["root_usd"], medium["usd"]) == (0.0, high["usd"])
    assert medium["calls"] > low["calls"] > 0
    assert 0 < low["usd"] < medium["usd"]


@pytest.mark.parametrize("functions", [1, 8, 40, 150, 600, 1_200, 4_000])
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


def test_table_names_the_strategy_its_reason_and_the_assumptions(changed: Repository) -> None:
    """The table is for people; options without effect on cost are accepted as in `deeprepo review`."""
    done = estimated(
        changed, "--root", "openai/gpt-5.4", "--max-usd", "0.001", "--journal", "j", "--quota", "2", "--quiet"
    )
    assert done.returncode == 0, done.stderr
    for words in (
        "medium (selected)",
        "so the root model reviews it and searches the repository",
        "Models: root model openai/gpt-5.4, worker model",
        "(above the limit)",
        "an estimate from the averages of recorded reviews",
        "A review stops before it costs more than $0.00",
    ):
        assert words in " ".join(done.stdout.split()), words
    assert not (changed.folder / "j").exists()


def test_table_names_the_assumed_models_without_a_key(changed: Repository) -> None:
    """Without a key there is no model, so the table says that its models are only assumed."""
    done = estimated(changed)
    assert "No model is configured, so these figures assume root model anthropic/" in " ".join(done.stdout.split())
    assert "No model is configured" not in estimated(changed, OPENAI_API_KEY="planted").stdout


def test_unknown_price_is_not_shown_as_zero(changed: Repository) -> None:
    """The table says "price unknown"."""
    assert "price unknown" in estimated(changed, "--worker", "compatible/x").stdout


def test_empty_change_is_not_an_error(changed: Repository, tmp_path: Path) -> None:
    """For an empty change, the exit code is 0 and a message explains why."""
    done = deeprepo("estimate", "main..main", "--repo", str(changed.folder), cwd=tmp_path)
    assert (done.returncode, "main is compared with itself" in done.stderr) == (0, True)


def test_code_covered_by_an_earlier_review_is_not_counted_again(changed: Repository) -> None:
    """With --previous, unchanged code regions cost no calls, as in the review itself; --full counts them."""
    options = ("--strategy", "parts", "--worker", "compatible/worker", "--no-verify", "--format", "json")
    with doubles.in_thread(scripted()) as server:
        done = deeprepo("review", "main..feature", *options, cwd=changed.folder, DEEPREPO_BASE_URL=server.openai_url)
    last = changed.folder.parent / "last.json"
    last.write_text(done.stdout)
    for more, asked in (((), False), (("--full",), True)):
        told = json.loads(estimated(changed, *options, "--previous", str(last), *more).stdout)
        assert [row["calls"] > 0 for row in told["efforts"]] == [asked]


def test_all_review_options_are_accepted(changed: Repository) -> None:
    """All arguments of a review are accepted; options without effect on the cost change nothing."""
    given = ("--format", "json", "--quiet")
    ignored = (
        "--with",
        "../elsewhere",
        "--sarif",
        "report.sarif",
        "--fix",
        "--output",
        "out.json",
        "--fail-on",
        "high",
        "--journal",
        "j.jsonl",
    )
    plain, full = estimated(changed, *given), estimated(changed, *given, *ignored)
    assert (full.returncode, full.stderr) == (0, "")
    assert json.loads(full.stdout) == json.loads(plain.stdout)
    assert "--sarif" not in deeprepo("estimate", "--help", cwd=changed.folder).stdout


def test_unknown_model_is_reported_before_any_cost(changed: Repository) -> None:
    """The error comes before any work and suggests the nearest name. A cap or gateway allows new names."""
    for name, near in (
        ("anthropic/claude-sonet-5-5", "anthropic/claude-sonnet-5-5"),
        ("anthropic/claude-nope", "anthropic/claude-sonnet-5-5"),
        ("openai/gpt5.4", "openai/gpt-5.4"),
    ):
        sentence = f"{name}: unknown model. Did you mean {near}?"
        for words in (("review", "--root", name), ("review", "--worker", name), ("estimate", "--worker", name)):
            done = deeprepo(*words, "main..feature", cwd=changed.folder, ANTHROPIC_API_KEY="k", OPENAI_API_KEY="k")
            assert (done.returncode, done.stdout) == (2, "")
            assert sentence in done.stderr
    newer = estimated(changed, "--worker", "openai/gpt-99", "--max-usd", "5")
    assert (newer.returncode, "price unknown" in newer.stdout) == (0, True)
    with doubles.in_thread(Server({"answer": "", "findings": []})) as server:
        gateway = {"OPENAI_API_KEY": "k", "DEEPREPO_BASE_URL": server.openai_url}
        own = deeprepo("review", "main..feature", "--worker", "openai/our-own", "-q", cwd=changed.folder, **gateway)
        assert "unknown model" not in own.stderr
        assert server.count > 0
