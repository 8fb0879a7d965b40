import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import waits
from fakes import Repository
from families import few

from bot.values import ToolCall
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Modes, Reply, Server
from deeprepo_sandbox.providers.modes import Form

TURNS = 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "form"),
    few(
        [
            ("anthropic/claude-sonnet-5-5", "blocks"),
            ("gemini/gemini-3-pro-preview", "thought_signature"),
            ("deepseek/deepseek-reasoner", "reasoning_content"),
        ],
        0,
    ),
)
def test_a_killed_dialogue_goes_on_with_its_thinking(
    repository: Repository, tmp_path: Path, model: str, form: Form
) -> None:
    """After kill -9 in the third turn the thinking of the first two goes back word for word, and no turn is paid again."""
    repository.commit({"calc.py": "def div(a, n):\n    return a\n"}, "before")
    repository.commit({"calc.py": "def div(a, n):\n    return a / n\n"}, "after")
    third = Event()
    begun: list[int] = []

    def answer(body: Mapping[str, Any]) -> Reply:
        if not body.get("tools") or "Python REPL" not in str([body.get("system"), body["messages"][0]]):
            return Reply(data={"answer": "Read.", "findings": []})
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        begun.append(turn)
        if turn == 2 and not third.is_set():
            third.set()
            return Reply(fault="hang")
        code = "set_answer('done')" if turn == TURNS - 1 else f"print(search('div{turn}'))"
        return Reply(calls=(ToolCall("c", "", {"code": code}),))

    server = Server(answer, modes=Modes(thinks=50, thinking=form, wants_thinking=True))
    with doubles.in_thread(server):
        provider = model.partition("/")[0].upper()
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "PYTHONPATH": str(Path(__file__).parents[2]),
            f"{provider}_API_KEY": "a-key",
            f"DEEPREPO_BASE_URL_{provider}": server.anthropic_url if form == "blocks" else server.openai_url,
        }
        options = ["HEAD~1..HEAD", "--root", model, "--worker", model, "--strategy", "rlm", "--format", "json"]
        command = [sys.executable, "-m", "bot", "review", *options, "--journal", str(tmp_path / "journal")]
        started = subprocess.Popen(
            command, cwd=repository.folder, env=env, stdout=subprocess.DEVNULL, start_new_session=True
        )
        with waits.ended(started):
            assert third.wait(60)
            os.killpg(started.pid, signal.SIGKILL)
        done = subprocess.run(
            command, cwd=repository.folder, env=env, capture_output=True, text=True, check=False, timeout=60
        )
    review = json.loads(done.stdout)
    assert (done.returncode, review["fault"], review["conclusion"]) == (0, "", "clean"), done.stdout + done.stderr
    assert begun == [0, 1, 2, 2, 3, 4]
    assert review["cost"]["calls"] == server.count
