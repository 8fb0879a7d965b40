import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot import cli
from deeprepo.rlm.values import Message, Prompt, Schema, Usage
from deeprepo_evals.context.scripted import honest
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply, Server

Ran = tuple[int, str, str]
NEEDLES = ("--task", "needle", "--size", "8k", "--position", "0.1,0.5,0.9", "--method", "direct")


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run `deeprepo eval context` in an empty folder without a key; return exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, server: Server | None = None) -> Ran:
        if server is not None:
            monkeypatch.setenv("DEEPREPO_BASE_URL", server.openai_url)
        status = cli.main(["eval", "context", "--quiet", *arguments])
        return status, *capsys.readouterr()

    return run


def played(body: Mapping[str, Any]) -> Reply:
    """Answer like the scripted honest model, through a real server."""
    messages = tuple(Message(m["role"], m["content"] or "") for m in body["messages"])
    look = Schema("look", "", {}) if "response_format" in body else None
    said = honest.reply(Prompt(messages, look))
    return Reply(said) if isinstance(said, str) else Reply(data=said)


@pytest.mark.slow
def test_default_experiments_run_without_a_key(tmp_path: Path, ran: Callable[..., Ran]) -> None:
    """The default experiments print a table for all methods and leave no files in the folder."""
    status, out, err = ran("--method", "direct,fanout,rlm-only")
    assert (status, err) == (0, "")
    lines = {line.split()[0]: line.split() for line in out.split("\n\n")[0].split("\n")}
    assert [lines[name][1] for name in ("direct", "fanout", "rlm-only")] == ["9/18", "16/18", "18/18"]
    assert re.search(r"needle 1,000,000 +0/1 +1/1 +1/1", out)
    assert list(tmp_path.iterdir()) == []


def test_reached_cap_ends_the_run_and_keeps_paid_results(
    ran: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the cap and how to resume, and the exit code is 3."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended")
    dear = Usage(30_000, 100)
    with doubles.in_thread(Server(lambda body: replace(played(body), usage=dear))) as server:
        arguments = (*NEEDLES, "--model", "openai/gpt-5.4", "--max-usd", "0.05", "--out", "run.jsonl")
        status, _, err = ran(*arguments, server=server)
    assert status == 3
    assert "the cap of" in err
    assert "2 not done" in err
    assert "the same command resumes from run.jsonl" in err


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("a book", "line 1 is no problem"),
        ({"context": "a", "answer": 1}, "line 1 is no problem"),
        ({"question": "Who?", "answer": 1}, "line 1 needs a context, which is a text, or a path"),
        ({"path": "away", "question": "Who?", "answer": 1}, "line 1: the context"),
        ({"context": "a", "question": "Who?", "answer": [1, 2]}, "several texts of which one is enough"),
    ],
)
def test_invalid_line_in_a_problem_file_is_reported(
    tmp_path: Path, ran: Callable[..., Ran], line: object, says: str
) -> None:
    """An invalid line in a file of problems exits with 2 before any model call."""
    (tmp_path / "mine.jsonl").write_text(line if isinstance(line, str) else json.dumps(line))
    status, out, err = ran("--problems", "mine.jsonl")
    assert (status, out) == (2, "")
    assert says in " ".join(err.split())
