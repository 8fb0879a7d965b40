"""Our agent for ReviewBench, started like the benchmark does: folders, RB_* variables and an exit code."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository
from reported import reported
from reviewed import BASE, OFF, RENAMED

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply, Server

AGENT = Path(__file__).parents[2] / "evals" / "reviewbench" / "agent.py"


class Runner:
    """The benchmark's runner: it prepares the folders, starts the agent and validates its output."""

    def __init__(self, place: Path, change: Mapping[str, str]) -> None:
        self.place = place
        clone = Repository(place / "repo")
        fork = clone.commit(dict(BASE), "first")
        self.head = clone.commit(dict(change), "wip")
        clone.git("checkout", "-q", fork)
        self.base = clone.commit({"README.md": "Later.\n"}, "main goes on")  # moves main past the merge base
        clone.git("checkout", "-q", "--detach", self.head)
        for name in ("pr", "out", "home"):
            (place / name).mkdir()
        pull = {"repo": "https://github.com/acme/shop", "pr_number": 7, "base": self.base, "head": self.head}
        told = {**pull, "nwo": "acme/shop", "title": "Totals without a head", "body": "Because of the **header** row."}
        (place / "pr" / "pr.json").write_text(json.dumps(told))

    def run(self, **more: str) -> tuple[int, str]:
        """Run the agent once, with only these environment variables, and return its exit code and output."""
        out = self.place / "out" / "findings.json"
        out.unlink(missing_ok=True)
        environment = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.place / "home"),
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            "RB_NWO": "acme/shop",
            "RB_PR_NUMBER": "7",
            "RB_BASE": self.base,
            "RB_HEAD": self.head,
            "RB_AGENT": "our-reviewer",
            "RB_REPO": str(self.place / "repo"),
            "RB_PR_JSON": str(self.place / "pr" / "pr.json"),
            "RB_OUT": str(out),
            "RB_ATTEMPT": "1",
            **more,
        }
        done = subprocess.run(
            [sys.executable, AGENT], env=environment, cwd=self.place, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr

    def findings(self) -> list[dict[str, Any]]:
        """Return the findings, validated as the benchmark does."""
        told = json.loads((self.place / "out" / "findings.json").read_bytes())
        assert (told["pr"]["head"], told["pr"]["pr_number"], told["agent"]) == (self.head, 7, "our-reviewer")
        for row in told["findings"]:
            assert set(row) == {"file", "start_line", "end_line", "message", "producer"}
            assert 1 <= row["start_line"] <= row["end_line"]
            assert not row["file"].startswith(("/", "./"))
        rows: list[dict[str, Any]] = told["findings"]
        return rows


def test_forgotten_caller_is_submitted_without_a_model(tmp_path: Path) -> None:
    """Static checks report the caller in a valid file, and leave the mounted repository unchanged."""
    runner = Runner(tmp_path, RENAMED)
    before = sorted(path.name for path in (tmp_path / "repo" / ".git").iterdir())
    code, said = runner.run(RB_CONFIG_EFFORT="none")
    assert code == 0, said
    (found,) = runner.findings()
    assert (found["file"], found["producer"]) == ("shop/labels.py", "our-reviewer")
    assert "quote" in found["message"]
    assert "effort=none" in said
    assert sorted(path.name for path in (tmp_path / "repo" / ".git").iterdir()) == before


def answer(body: Mapping[str, Any]) -> Reply:
    """Answer with one finding, and confirm it when asked."""
    form, text = json.dumps(body.get("response_format", body.get("tools", ""))), json.dumps(body["messages"])
    if "author_would_change" in form:
        return Reply(data={"verdict": "confirmed", "trigger": "t", "author_would_change": True, "reason": "r"})
    found = reported("shop/money.py", "    for row in rows[1:]:", 3, "The first row is skipped", severity="low")
    return Reply(data={"answer": "Read.", "findings": [found] if "rows[1:]" in text else []})


@pytest.mark.parametrize(
    "wrong",
    [
        {
            "RB_CONFIG_WORKER": "openai/gpt-5-mini",
            "RB_MODEL_BASE_URL": "http://127.0.0.1:9/v1",
            "OPENAI_API_KEY": "any",
        },
        {"RB_CONFIG_EFFORT": "some"},
    ],
)
def test_failed_review_submits_no_findings_file(wrong: dict[str, str], tmp_path: Path) -> None:
    """An unreachable provider or an invalid setting gives a non-zero exit code and no findings file."""
    runner = Runner(tmp_path, OFF)
    code, said = runner.run(**wrong)
    assert code not in (0, None), said
    assert not (tmp_path / "out" / "findings.json").exists()


def test_static_findings_are_submitted_when_the_time_is_up(tmp_path: Path) -> None:
    """If the model never answers, the static checks' findings are submitted within the time limit."""
    runner = Runner(tmp_path, RENAMED)
    with doubles.in_thread(Server(lambda _: Reply(fault="hang"))) as server:
        settings = {"RB_MODEL_BASE_URL": server.openai_url, "OPENAI_API_KEY": "any", "RB_CONFIG_SECONDS": "15"}
        code, said = runner.run(**settings, RB_CONFIG_WORKER="openai/gpt-5-mini", RB_CONFIG_EFFORT="low")
    assert code == 0, said
    assert [row["file"] for row in runner.findings()] == ["shop/labels.py"]
