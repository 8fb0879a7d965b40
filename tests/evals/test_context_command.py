import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from families import few

from bot import cli
from bot.values import Message, Prompt, Schema, Usage
from deeprepo_evals import results
from deeprepo_evals.context.scripted import honest
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply, Server

ROOT = Path(__file__).parents[2]
Ran = tuple[int, str, str]
NEEDLES = ("--task", "needle", "--size", "8k", "--position", "0.1,0.5,0.9", "--method", "direct")


def started(*arguments: str, cwd: Path, **env: str) -> "subprocess.Popen[str]":
    """`deeprepo eval context` as a process of its own."""
    given = {"PATH": os.environ["PATH"], "HOME": str(cwd), "PYTHONPATH": str(ROOT), **env}
    command = [sys.executable, "-m", "bot", "eval", "context", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=cwd, env=given, stdout=pipe, stderr=pipe, text=True)


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """The same in this process, in an empty folder and without a key: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def run(*arguments: str, server: Server | None = None) -> Ran:
        if server is not None:
            monkeypatch.setenv("DEEPREPO_BASE_URL", server.openai_url)
        status = cli.run(["eval", "context", "--quiet", *arguments])
        return status, *capsys.readouterr()

    return run


def played(body: Mapping[str, Any]) -> Reply:
    """The honest model behind a real server, without a REPL: what it is sent is all that it knows."""
    messages = tuple(Message(m["role"], m["content"] or "") for m in body["messages"])
    look = Schema("look", "", {}) if "response_format" in body else None
    said = honest.reply(Prompt(messages, look))
    return Reply(said) if isinstance(said, str) else Reply(data=said)


@pytest.mark.slow
def test_the_seeds_experiments_run_without_a_key(tmp_path: Path, ran: Callable[..., Ran]) -> None:
    """The default command: every method, a table with intervals, nothing is left behind in the folder."""
    status, out, err = ran("--method", "direct,fanout,rlm-only", "--format", "table")
    assert (status, err) == (0, "")
    lines = {line.split()[0]: line.split() for line in out.split("\n\n")[0].split("\n")}
    assert [lines[name][1] for name in ("direct", "fanout", "rlm-only")] == ["9/18", "16/18", "18/18"]
    assert re.search(r"needle 1,000,000 +0/1 +1/1 +1/1", out)
    assert list(tmp_path.iterdir()) == []


def test_json_holds_every_row(ran: Callable[..., Ran]) -> None:
    """With the verdict, the answer, and the figures of each method."""
    status, out, _ = ran(*NEEDLES, "--format", "json")
    document = json.loads(out)
    assert status == 0
    assert [row["result"]["verdict"] for row in document["rows"]] == ["right"] * 3
    assert document["methods"][0]["right"] == 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--size", "100"], "4,000 to 20,000,000 characters, not 100"),
        (["--size", "8x"], "not a length of a text"),
        (["--task", "noodle"], "unknown task 'noodle'"),
        (["--position", "1.5"], "from 0.0 to 1.0"),
        (["--position", "end"], "not a position"),
        (["--method", "magic"], "unknown methods magic"),
        (["--seed", "x"], "not a seed"),
        (["--model", "gpt"], "names no model"),
        (["--model", "openai/gpt-5.4"], "set OPENAI_API_KEY"),
        (["--model", "scripted/liar"], "unknown scripted model"),
        (["--model", "scripted/honest", "--root", "scripted/honest"], "give --model for both"),
        (["--out", "."], "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    tmp_path: Path, ran: Callable[..., Ran], arguments: list[str], says: str
) -> None:
    """Exit code 2, before a file is made or anything is sent."""
    status, out, err = ran(*arguments)
    assert (status, out) == (2, "")
    assert says in err
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_the_provider_does_not_know_is_refused_at_once(tmp_path: Path, ran: Callable[..., Ran]) -> None:
    """One request, exit code 2; it is not recorded as a row of wrong answers."""
    with doubles.in_thread(Server(Reply(status=404, text="no such model"))) as server:
        status, _, err = ran(*NEEDLES, "--model", "compatible/m", "--out", "run.jsonl", server=server)
    assert (status, server.count) == (2, 1)
    assert "compatible/m cannot be used" in err
    assert results.read([tmp_path / "run.jsonl"]) == []


def test_a_real_server_is_asked_and_its_results_are_kept(tmp_path: Path, ran: Callable[..., Ran]) -> None:
    """Over HTTP, direct and by readers; the same command again asks nobody."""
    arguments = ("--task", "needle,none", "--size", "8k", "--method", "direct,fanout", "--model", "compatible/m")
    with doubles.in_thread(Server(played)) as server:
        status, first, err = ran(*arguments, server=server)
        asked = server.count
        again = ran(*arguments, server=server)
    assert (status, again[0], server.count) == (0, 0, asked), err
    assert again[1] == first
    assert "eval-context.jsonl" in err
    assert {row.result["verdict"] for row in results.read([tmp_path / "eval-context.jsonl"])} == {"right"}
    assert {row.result["usd"] for row in results.read([tmp_path / "eval-context.jsonl"])} == {None}


def _broken_off(tmp_path: Path, how: signal.Signals) -> tuple[int, str, str]:
    """Two questions are answered, the third one hangs, and the process is sent a signal."""
    third, answered = threading.Event(), []

    def hangs(body: Mapping[str, Any]) -> Reply:
        answered.append(body)
        if len(answered) <= 3:  # a greeting and two questions
            return played(body)
        third.set()
        return Reply(fault="hang")

    with doubles.in_thread(Server(hangs)) as server:
        arguments = (*NEEDLES, "--model", "compatible/m", "--out", "run.jsonl")
        with started(*arguments, cwd=tmp_path, DEEPREPO_BASE_URL=server.openai_url) as process:
            try:
                assert third.wait(60)
                process.send_signal(how)
                out, err = process.communicate(timeout=60)
            finally:
                process.kill()
    return process.returncode, out, err


@pytest.mark.slow
@pytest.mark.parametrize("how", few([signal.SIGINT, signal.SIGKILL], 1))
def test_what_was_finished_before_a_signal_is_kept_and_not_asked_again(
    tmp_path: Path, how: signal.Signals, ran: Callable[..., Ran]
) -> None:
    """After Ctrl-C with the table so far and 130; after kill -9 without a word. The same command asks the third only."""
    status, out, err = _broken_off(tmp_path, how)
    if how is signal.SIGINT:
        assert (status, "2/2" in out, "1 not done (interrupted)" in err) == (130, True, True), err
    assert len(results.read([tmp_path / "run.jsonl"])) == 2
    with doubles.in_thread(Server(played)) as server:
        arguments = (*NEEDLES, "--model", "compatible/m", "--out", "run.jsonl")
        status, out, err = ran(*arguments, server=server)
    assert (status, server.count, "3/3" in out) == (0, 2, True), err


def test_a_provider_that_fails_leaves_the_problem_open(tmp_path: Path, ran: Callable[..., Ran]) -> None:
    """It is no wrong answer: exit code 3, the sentence, and what was answered is in the table."""
    turns = iter(["ok", "fine"])

    def falls(body: Mapping[str, Any]) -> Reply:
        return played(body) if next(turns, None) else Reply(status=400, text="context length exceeded")

    with doubles.in_thread(Server(falls)) as server:
        arguments = (*NEEDLES, "--model", "compatible/m", "--format", "json", "--out", "run.jsonl")
        status, out, _ = ran(*arguments, server=server)
    assert status == 0
    assert [row["result"]["verdict"] for row in json.loads(out)["rows"]] == ["right", "refused", "refused"]


def test_a_cap_ends_the_run_and_keeps_what_was_paid(
    tmp_path: Path, ran: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence names the cap, exit code 3."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended")
    dear = Usage(30_000, 100)
    with doubles.in_thread(Server(lambda body: replace(played(body), usage=dear))) as server:
        arguments = (*NEEDLES, "--model", "openai/gpt-5.4", "--max-usd", "0.05", "--out", "run.jsonl")
        status, _, err = ran(*arguments, server=server)
    assert status == 3
    assert "the cap of" in err
    assert "2 not done" in err
    assert "the same command resumes from run.jsonl" in err


def test_a_trace_shows_the_calls_of_a_problem(tmp_path: Path, ran: Callable[..., Ran]) -> None:
    """One file for each, in the form that `deeprepo trace` reads."""
    trace = tmp_path / "traces"
    status, _, err = ran("--task", "hop1", "--size", "8k", "--method", "rlm-only", "--trace", str(trace))
    assert status == 0, err
    (file,) = trace.iterdir()
    kinds = [json.loads(line)["kind"] for line in file.read_text().splitlines()]
    assert {"review", "request", "call", "turn"} <= set(kinds)
