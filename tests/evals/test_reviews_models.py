"""Evaluate reviews by models, with a local server as the provider of workers and judges."""

import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from reported import reported
from reviewed import Folder, figures, told

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply, Server

FOUND = reported("shop/money.py", "    for row in rows[1:]:", 3, "The first row is skipped")
SAYS = {"answer": "Read.", "findings": [FOUND]}
SILENT = {"answer": "Read.", "findings": []}
CONFIRMED = {"verdict": "confirmed", "trigger": "any list", "author_would_change": True, "reason": "it is so"}


class Providers:
    """A worker that reports the skipped row if it is in the prompt, and judges that answer as configured."""

    def __init__(self) -> None:
        self.worker: Reply | None = None  # if set, the answer to every other prompt
        self.judges: dict[str, bool] = {}
        self.asked = threading.Event()

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        self.asked.set()
        text, form = json.dumps(body["messages"]), json.dumps(body.get("response_format", body.get("tools", "")))
        if "same underlying problem" in form:
            return Reply(data={"same": self.judges[body["model"]], "reason": "because"})
        if self.worker is not None:
            return self.worker
        if "author_would_change" in form:
            return Reply(data=CONFIRMED)
        return Reply(data=SAYS if "rows[1:]" in text else SILENT)


@pytest.fixture
def providers() -> Providers:
    """The scripted models."""
    return Providers()


@pytest.fixture
def server(providers: Providers, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    """A running server, configured through the environment."""
    monkeypatch.chdir(tmp_path)
    with doubles.in_thread(Server(providers)) as running:
        monkeypatch.setenv("DEEPREPO_BASE_URL", running.openai_url)
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        yield running


WORKER = ("--worker", "openai/gpt-5-mini")


def test_model_score_includes_its_cost(shop: Folder, server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    """Recall, findings, dollars and tokens are reported, also for a single call with the diff."""
    command = shop.command(*WORKER, "--strategy", "parts", "--baseline", "diff-only", "--kind", "natural,clean")
    found = figures(capsys, command)
    for reviewer in ("parts", "diff-only"):
        assert found["natural", reviewer, "recall", ""] == 1
        assert found["natural", reviewer, "$ per PR", ""] > 0
        assert found["clean", reviewer, "findings per PR", ""] == 0
    assert found["natural", "diff-only", "prompt tokens per PR, median", ""] == 100
    assert found["natural", "parts", "units read", ""] == 1


def test_failing_provider_leaves_the_case_open(
    shop: Folder, tmp_path: Path, server: Server, providers: Providers, capsys: pytest.CaptureFixture[str]
) -> None:
    """The case doesn't count as missed: the exit code is 3, and the same command finishes it later."""
    providers.worker = Reply(status=401, text="no such key")
    out = tmp_path / "run.jsonl"
    command = shop.command(
        *WORKER, "--baseline", "diff-only", "--strategy", "parts", "--kind", "natural", "--out", str(out)
    )
    code, _, err = told(capsys, command)
    assert code == 3
    assert "0 of 2 reviews are finished" in err
    assert "left open: " in err
    assert out.read_text() == ""
    providers.worker = None
    code, _, err = told(capsys, command)
    assert (code, err) == (0, "")
    assert len(out.read_text().splitlines()) == 2
