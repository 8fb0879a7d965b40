"""The double of `make bench NAME=review`: every reviewer is told the same, nothing found, in the form that it asks for."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from benchmarks import beside

TOOL = {"type": "function", "function": {"name": "task_done", "parameters": {"type": "object", "properties": {}}}}
FILES = "[0] MODIFIED   src/a.py (+1/-0)\n[1] ADDED   tests/b.py (+9/-0)\n[2] MODIFIED   src/deep/c.py (+1/-1)\n"


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Any]:
    """What it answers to a request with this text and these fields."""
    with beside.double(tmp_path / "log") as (url, _):

        def ask(text: str, **more: object) -> Any:  # noqa: ANN401 - a stranger's JSON
            body = {"model": "m", "messages": [{"role": "user", "content": text}], **more}
            answer = httpx2.post(f"{url}/chat/completions", json=body, headers={"authorization": "Bearer none"})
            return answer.json()["choices"][0]["message"]

        yield ask


def test_each_form_of_a_request_gets_its_form_of_nothing(asked: Any) -> None:  # noqa: ANN401
    """A schema its smallest value, pr-agent YAML, OCR the end of its task and groups of files that hold each file once."""
    schema = {"type": "object", "properties": {"findings": {"type": "array"}}, "required": ["findings"]}
    wanted = {"type": "json_schema", "json_schema": {"name": "found", "schema": schema}}
    assert json.loads(asked("type $PRReview is in the change", response_format=wanted)["content"]) == {"findings": []}
    assert "key_issues_to_review: []" in asked("answer as type $PRReview")["content"]
    assert "code_suggestions: []" in asked("answer as type $PRCodeSuggestions")["content"]
    assert asked("Review.", tools=[TOOL])["tool_calls"][0]["function"]["name"] == "task_done"
    groups = json.loads(asked(f"You are a file grouping assistant.\n{FILES}")["content"])
    assert sorted(file for group in groups for file in group["files"]) == [0, 1, 2]


def test_a_peer_that_is_not_there_is_left_out(tmp_path: Path) -> None:
    """Ours is measured all the same, and installing says in one sentence what is missing."""
    assert beside.starts(tmp_path) == {}
    command = [sys.executable, "-m", "benchmarks.peers", str(tmp_path / "peers"), "--only", "OCR"]
    env = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run(command, cwd=Path(__file__).parents[2], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "OCR was not installed: npm was not found: install Node.js\n"
