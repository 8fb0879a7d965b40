"""`deeprepo eval` on published benchmarks, with clones of made-up ones."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository
from reported import reported
from reviewed import BASE, OFF, WORDS, told

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply, Server

JUDGE = '''
JUDGE_PROMPT = """Golden Comment: {golden_comment}
Candidate Issue: {candidate}
Respond with ONLY a JSON object: {{"match": true/false}}"""
SYSTEM = {"role": "system", "content": "You are a precise evaluator."}
'''
COMPARISON = '''
SEMANTIC_COMPARISON_PROMPT_TEMPLATE = """Review Comment 1: {comment1}
Review Comment 2: {comment2}
"""
'''
URL = "https://github.com/acme/shop/pull/{}"
SKIPPED, MADE_UP = "The first row is skipped", "The total may overflow"
QUOTES = {SKIPPED: "    for row in rows[1:]:", MADE_UP: "        amount += row.price"}
FOUND = [reported("shop/money.py", quote, 3, title) for title, quote in QUOTES.items()]


def provider(body: Mapping[str, Any]) -> Reply:
    """Answer as a worker with two findings, and as a judge that matches only one of them."""
    form, text = json.dumps(body.get("response_format", body.get("tools", ""))), json.dumps(body["messages"])
    if "match_result" in form:
        return Reply(data={"reasoning": "r", "match": SKIPPED in text and "Golden: head" in text, "confidence": 0.9})
    if "author_would_change" in form:
        return Reply(data={"verdict": "confirmed", "trigger": "t", "author_would_change": True, "reason": "r"})
    return Reply(data={"answer": "Read.", "findings": FOUND if "rows[1:]" in text else []})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    """A server that answers as worker and judge."""
    monkeypatch.chdir(tmp_path)
    with doubles.in_thread(Server(provider)) as running:
        monkeypatch.setenv("DEEPREPO_BASE_URL", running.openai_url)
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        yield running


@pytest.fixture
def shop(tmp_path: Path) -> dict[str, str]:
    """A clone with one pull request merged as a commit, one as a reference, and a third missing."""
    clone = Repository(tmp_path / "clones" / "acme" / "shop")
    base = clone.commit(dict(BASE), "first")
    head = clone.commit(dict(OFF), "Skip the head (#1)")
    clone.git("checkout", "-q", base)
    words = clone.commit(dict(WORDS), "words")
    clone.git("update-ref", "refs/pull/2/head", words)
    clone.git("checkout", "-q", "main")
    return {"base": base, "head": head, "words": words}


def command(set_name: str, place: Path, *options: str) -> list[str]:
    given = ("--repos", str(place / "clones"), "--worker", "openai/gpt-5-mini", "--effort", "low", "--quiet")
    return ["eval", set_name, str(place / set_name), *given, "--judge", "openai/gpt-5", *options]


def row(out: str, name: str) -> list[str]:
    return next(line for line in out.splitlines() if line.startswith(name)).split()


def test_review_and_published_tool_are_scored_on_the_same_pull_requests(
    shop: dict[str, str], tmp_path: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    """The review and a published tool are scored on the same pull requests, without the missing one."""
    golden = [{"comment": "Golden: head", "severity": "High"}, {"comment": "Golden: other", "severity": "Low"}]
    rows = [{"pr_title": f"PR {n}", "url": URL.format(n), "comments": golden if n == 1 else []} for n in (1, 2, 3)]
    counted = {"total_candidates": 4, "tp": 1, "fp": 3, "fn": 1, "skipped": False}
    judged = {URL.format(1): {"peer": counted}, URL.format(3): {"peer": counted}}
    Repository(tmp_path / "martian").commit(
        {
            "offline/golden_comments/shop.json": json.dumps(rows),
            "offline/code_review_benchmark/step3_judge_comments.py": JUDGE,
            "offline/results/one/evaluations.json": json.dumps(judged),
        }
    )
    code, out, err = told(capsys, command("martian", tmp_path, "--peers", "one"))
    assert code == 0, err
    for reviewer in ("deeprepo", "diff-only"):
        assert row(out, reviewer)[1:4] == ["2", "2", "1.0"]
        assert (row(out, reviewer)[4], row(out, reviewer)[7]) == ("0.50", "0.50")
    assert row(out, "peer (published)")[2:7:2] == ["1", "4.0", "[0.25,"]
    assert "2 of 3 pull requests can be built" in err
    asked = [str(body["messages"]) for body in server.requests if "Golden Comment" in str(body["messages"])]
    assert len(asked) == 4
    plain = [str(body) for body in server.requests if "nothing else of the repository" in str(body["messages"])]
    assert plain
    assert not any("look_ups" in text for text in plain)
    assert all("You are a precise evaluator." in text and '{"match": true/false}' in text for text in asked)


def test_aacr_findings_match_known_comments_per_context_level(
    shop: dict[str, str], tmp_path: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    """A finding matches one known comment, at its lines only, and results are shown per context level."""

    def comment(note: str, line: int, level: str, category: str = "Code Defect") -> dict[str, Any]:
        place = {"path": "shop/money.py", "side": "right", "from_line": line, "to_line": line}
        return {"note": note, "context": f"{level} Level", "category": category, **place}

    known = [comment("Golden: head", 3, "Diff"), comment("Golden: head, far away", 1, "Repo")]
    known.append(comment("Golden: head, in other words", 1, "Repo", "Maintainability and Readability"))
    pull = {"githubPrUrl": URL.format(1), "source_commit": shop["base"], "target_commit": shop["head"]}
    other = {**pull, "githubPrUrl": URL.format(2), "target_commit": "0" * 40}
    accepted = [{**pull, "comments": known}, {**other, "comments": known}]
    Repository(tmp_path / "aacr").commit(
        {
            "dataset/positive_samples.json": json.dumps(accepted),
            "dataset/negative_samples.json": json.dumps(
                [{**pull, "comments": [comment("Golden: head too", 3, "File")]}]
            ),
            "evaluator_runner/core/match_base.py": COMPARISON,
        }
    )
    code, out, err = told(capsys, command("aacr", tmp_path, "--reviewer", "deeprepo", "--exact"))
    assert code == 0, err
    assert row(out, "deeprepo")[1:5] == ["1", "3", "2.0", "0.50"]
    levels = out.splitlines()[-1]
    assert levels.split()[1] == "1.00"
    assert [levels.count(f"of {count}  ") for count in (1, 2)] == [2, 1]
    assert levels.endswith("of 1")
    code, _, err = told(capsys, command("aacr", tmp_path, "--reviewer", "deeprepo"))
    assert "1 of them only at a later head than the known comments are about" in err
