import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from bot import cli
from deeprepo_evals.train import Task, policies, roll

TASK = Task(1, 10)


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a review by a root."""
    path = tmp_path_factory.mktemp("journals") / "one.jsonl"
    worker = policies.worker("scripted/reader", TASK)
    asyncio.run(roll(TASK, policies.root("scripted/honest"), worker, trace=path))
    return path


def exported(journal: Path, out: Path, *options: str) -> list[dict[str, Any]]:
    assert cli.run(["eval", "export-journals", str(journal), "--out", str(out), *options]) == 0
    return [json.loads(line) for line in out.read_text().splitlines()]


def test_a_roots_run_is_one_dialogue(journal: Path, tmp_path: Path) -> None:
    """The whole run of a root is one example, in the chat format: every turn with its call and what came back."""
    (one,) = exported(journal, tmp_path / "data.jsonl")
    roles = [message["role"] for message in one["messages"]]
    assert roles == ["system", "user", *["assistant", "tool"] * 3, "assistant"]
    said = one["messages"][2]["tool_calls"][0]
    assert said["function"]["name"] == one["tools"][0]["function"]["name"] == "execute_python"
    assert "prompts_of" in json.loads(said["function"]["arguments"])["code"]
    assert one["messages"][3]["tool_call_id"] == said["id"]
    assert "set_answer" in one["messages"][-1]["tool_calls"][0]["function"]["arguments"]


def test_what_an_example_says_of_its_review(journal: Path, tmp_path: Path) -> None:
    """The meta entry lets the reader choose: strategy, model, coverage, findings."""
    meta = exported(journal, tmp_path / "data.jsonl")[0]["meta"]
    assert (meta["strategy"], meta["model"], meta["role"], meta["coverage"]) == (
        "rlm-only",
        "scripted/honest",
        "root",
        1.0,
    )
    assert len(meta["findings"]) == len(TASK.code().labels)


def test_calls_of_workers(journal: Path, tmp_path: Path) -> None:
    """Each call of a worker is an example of its own, with the answer last."""
    rows = exported(journal, tmp_path / "data.jsonl", "--role", "worker")
    assert len(rows) > 1
    assert {row["meta"]["role"] for row in rows} == {"worker"}
    assert all(row["messages"][-1]["role"] == "assistant" and row["tools"] == [] for row in rows)
    everything = exported(journal, tmp_path / "all.jsonl", "--role", "all")
    assert len(everything) == len(rows) + 1


@pytest.mark.slow
def test_reviews_that_read_too_little_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A review that left units unread is exported only where that is asked for, and the count says so."""
    path, task = tmp_path / "lazy.jsonl", Task(2, 150)
    asyncio.run(roll(task, policies.root("scripted/empty"), policies.worker("scripted/reader", task), trace=path))
    assert len(exported(path, tmp_path / "a", "--partial")) == 1
    assert exported(path, tmp_path / "b") == exported(path, tmp_path / "c", "--partial", "--min-coverage", "1") == []
    assert "0 examples of 0 reviews" in capsys.readouterr().err


def test_an_interrupted_review_is_left_out(journal: Path, tmp_path: Path) -> None:
    """A review without its last line is not exported unless it is asked for."""
    cut = tmp_path / "cut.jsonl"
    cut.write_text(
        "".join(line + "\n" for line in journal.read_text().splitlines() if json.loads(line)["kind"] != "end")
    )
    assert exported(cut, tmp_path / "data.jsonl") == []
    assert len(exported(cut, tmp_path / "data.jsonl", "--partial")) == 1


def test_the_file_is_its_owners_alone(journal: Path, tmp_path: Path) -> None:
    """Reviewed code stands in the examples: nobody else may read them."""
    exported(journal, tmp_path / "data.jsonl")
    assert (tmp_path / "data.jsonl").stat().st_mode & 0o777 == 0o600
