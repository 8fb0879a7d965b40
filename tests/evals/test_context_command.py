import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot import cli
from deeprepo.rlm.values import Message, Prompt, Schema, Usage
from deeprepo_evals.context import problems
from deeprepo_evals.context.problems import Task
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
        status = cli.run(["eval", "context", "--quiet", *arguments])
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


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--size", "100"], "4,000 to 20,000,000 characters, not 100"),
        (["--size", "8x"], "not a length of a text"),
        (["--task", "noodle"], "unknown task 'noodle'"),
        (["--position", "1.5"], "from 0.0 to 1.0"),
        (["--position", "end"], "not a position"),
        (["--method", "magic"], "unknown methods magic"),
        (["--method", "majority"], "name rlm-only or rlm too"),
        (["--seed", "x"], "not a seed"),
        (["--model", "gpt"], "is not a full model name"),
        (["--model", "openai/gpt-5.4"], "Set OPENAI_API_KEY"),
        (["--model", "scripted/liar"], "unknown scripted model"),
        (["--model", "scripted/honest", "--root", "scripted/honest"], "give --model for both"),
        (["--out", "."], "cannot be written"),
        (["--depth", "6"], "from 0 (nobody to ask) to 5"),
        (["--seed", "3-1"], "not a range of seeds"),
        (["--problems", "none.jsonl"], "cannot be read"),
    ],
)
def test_invalid_arguments_exit_with_2(
    tmp_path: Path, ran: Callable[..., Ran], arguments: list[str], says: str
) -> None:
    """Invalid arguments exit with 2 before anything is written or sent."""
    status, out, err = ran(*arguments)
    assert (status, out) == (2, "")
    assert says in err
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


def test_each_problem_has_its_own_trace(tmp_path: Path, ran: Callable[..., Ran]) -> None:
    """Each problem gets its own journal in the trace folder."""
    trace = tmp_path / "traces"
    status, _, err = ran("--task", "hop1", "--size", "8k", "--method", "rlm-only", "--trace", str(trace))
    assert status == 0, err
    (file,) = trace.iterdir()
    kinds = [json.loads(line)["kind"] for line in file.read_text().splitlines()]
    assert {"review", "request", "call", "turn"} <= set(kinds)


def test_custom_problems_run_at_every_depth(tmp_path: Path, ran: Callable[..., Ran]) -> None:
    """Contexts come from the line or a file, near answers score partly, and each depth has its own row."""
    needle = problems.make(Task("needle", 30_000, 0.9))
    (tmp_path / "book.txt").write_text(needle.text)
    lines = [
        {"task": "book", "path": "book.txt", "question": needle.question, "answer": int(needle.expected[0]) + 1},
        {"context": needle.text, "question": needle.question, "answer": [needle.expected[0]]},
        {"context": "Nobody says it.", "question": needle.question, "answer": None, "comment": "ignored"},
    ]
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    arguments = ("--problems", "mine.jsonl", "--method", "direct,rlm-only", "--depth", "0,1")
    status, out, err = ran(*arguments, "--out", "run.jsonl")
    assert status == 0
    assert err == "A scripted model knows the problems that are made here, not yours: name --root and --worker.\n"
    assert re.findall(r"^(direct|rlm-only depth \d) +2/3 +\S+ +91\.7", out, re.MULTILINE) == [
        "direct",
        "rlm-only depth 0",
        "rlm-only depth 1",
    ]
    assert re.findall(r"^(book|mine) .*", out, re.MULTILINE) == ["book", "mine"]
    rows = [json.loads(line)["result"] for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert [row["calls"] - row["turns"] > 0 for row in rows if row["turns"]] == [False, True] * 3
    assert ran(*arguments, "--out", "run.jsonl") == (0, out, err)


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


def test_root_prompt_matches_the_method_and_hides_the_text(tmp_path: Path, ran: Callable[..., Ran]) -> None:
    """The prompts offer only the method's functions, and never contain the text beyond the window."""
    arguments = ("--task", "needle", "--size", "20k", "--window", "5000", "--position", "0.1")
    told = {}
    for name in ("codeact-calls", "codeact-bm25"):
        status, _, err = ran(*arguments, "--method", name, "--trace", name)
        assert (status, err) == (0, "")
        (file,) = (tmp_path / name).iterdir()
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        told[name] = "\n".join(row["text"] for row in rows if row["kind"] == "message" and row["role"] != "assistant")
    text = problems.make(Task("needle", 20_000, 0.1)).text
    offers = {
        name: ["- llm_query(" in said, "- bm25_search(" in said, text[:5_000] in said] for name, said in told.items()
    }
    assert offers == {"codeact-calls": [True, False, True], "codeact-bm25": [False, True, False]}
    assert text[-500:] not in told["codeact-calls"]
