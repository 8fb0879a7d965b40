"""`deeprepo eval reviewbench` on a made-up pull request, with true and false labels and a scripted judge."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository
from reported import reported
from reviewed import BASE, OFF, told

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply, Server

PATH = "shop/money.py"
SKIPPED, MADE_UP, NEW = "The first row is skipped", "The total may overflow", "An empty list is not refused"
SEEN = {SKIPPED: "    for row in rows[1:]:", MADE_UP: "        amount += row.price", NEW: "    amount = 0"}
HEAD_LOST, FAR, WRONG = "Golden: the head is lost", "Golden: rates are not rounded", "Golden: overflow"
TRUE_LABELS = {
    HEAD_LOST: ("high", "diff-only", 3),
    "Golden: head too": ("low", "related files", 3),
    FAR: ("medium", "broader", 1),
}


class Model:
    """Answer as worker, judge and joiner. The third single call misses the skipped row."""

    plain = 0

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        form, text = json.dumps(body.get("response_format", body.get("tools", ""))), json.dumps(body["messages"])
        if "which findings match" in form:
            found, known = (
                re.findall(r"(\d+)\. \(lines [^)]*\) ([A-Z][a-z :]+)", part) for part in text.split("--- known")
            )
            of = {SKIPPED: "head", MADE_UP: "overflow", NEW: "nothing"}
            same = {int(n): [int(k) for k, label in known if of[said] in label] for n, said in found}
            return Reply(data={"reasoning": "r", "matches": [{"finding": n, "known": ks} for n, ks in same.items()]})
        if "worth" in form:
            if "What you asked to see" not in text:
                wish = {"kind": "lines", "name": "", "path": "shop/rates.py", "start": 1, "end": 2, "before": False}
                return Reply(data={**JUDGED, "look_ups": [wish]})
            return Reply(
                data={**JUDGED, "worth": "true" if "def quote" in text and NEW in text else "false", "look_ups": []}
            )
        if "about one issue" in form:
            said = re.findall(r"(\d+)\. [^ ]+: ([A-Z][a-z ]+)", text)
            groups = [
                [int(n) for n, title in said if title == one] for one in dict.fromkeys(title for _, title in said)
            ]
            return Reply(data={"groups": groups})
        if "author_would_change" in form:
            return Reply(data={"verdict": "confirmed", "trigger": "t", "author_would_change": True, "reason": "r"})
        self.plain += "nothing else of the repository" in text
        titles = [one for one in SEEN if one != SKIPPED or self.plain % 3 or "nothing else of the" not in text]
        return Reply(
            data={
                "answer": "Read.",
                "findings": [reported(PATH, SEEN[one], 3, one) for one in titles] if "rows[1:]" in text else [],
            }
        )


JUDGED = {"reason": "r", "worth": "false", "severity": "low", "scope": "introduced", "context": "diff-only"}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    """A server that answers for all models."""
    monkeypatch.chdir(tmp_path)
    with doubles.in_thread(Server(Model())) as running:
        monkeypatch.setenv("DEEPREPO_BASE_URL", running.openai_url)
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        yield running


@pytest.fixture
def commits(tmp_path: Path) -> tuple[str, str]:
    """The base and head commits of the pull request, in a clone."""
    clone = Repository(tmp_path / "clones" / "acme" / "shop")
    return clone.commit(dict(BASE), "first"), clone.commit(dict(OFF), "Skip the head")


def labelled(tmp_path: Path, commits: tuple[str, str]) -> Path:
    """Write a folder of labels in the short format."""
    rows = [
        {
            "file": PATH if said != FAR else "shop/rates.py",
            "start": at,
            "end": at,
            "what": said,
            "verdict": "tp",
            "severity": severity,
        }
        | {"context": context, "scope": "introduced", "side": "head"}
        for said, (severity, context, at) in TRUE_LABELS.items()
    ]
    rows.append({**rows[0], "what": WRONG, "verdict": "fp", "start": 4, "end": 4, "severity": "low"})
    folder = tmp_path / "labels"
    folder.mkdir()
    pull = {
        "repo": "acme/shop",
        "number": 7,
        "base_sha": commits[0],
        "head_sha": commits[1],
        "title": "Skip",
        "body": "Why.",
    }
    (folder / "shop.json").write_text(json.dumps({**pull, "findings": rows}))
    return folder


def command(labels: Path, place: Path, *options: str) -> list[str]:
    return ["eval", "reviewbench", str(labels), "--repos", str(place / "clones"), "--quiet", *options]


def cells(out: str, name: str, table: int = 0) -> list[str]:
    """Return a row's figures without intervals; `table` selects among the tables that have such a row."""
    line = [line for line in out.splitlines() if line.startswith(name)][table]
    return re.sub(r"\[[^]]*\]", "", line.removeprefix(name)).split()


def test_findings_are_matched_by_meaning_and_new_ones_are_judged(
    commits: tuple[str, str], tmp_path: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    """A finding matches two true labels, one a false label, and one is new, judged by reading the code."""
    models = ("--worker", "openai/gpt-5-mini", "--effort", "low", "--judge", "openai/gpt-5")
    asked = command(labelled(tmp_path, commits), tmp_path, *models, "--quota", "1", "--rounds", "2")
    code, out, err = told(capsys, asked)
    assert code == 0, err
    shares = ["0.50", "0.67", "0.57", "0.67", "0.75", "0.71"]
    assert cells(out, "deeprepo, with folded") == ["2", "3.0", "2", "of", "3", "1", *shares]
    assert cells(out, "3 plain calls, with folded") == ["1", "3.0", "2", "of", "3", "1", *shares]
    assert cells(out, "3 plain calls, in full")[:6] == ["1", "1.0", "0", "of", "3", "1"]  # found by all three calls
    assert cells(out, "diff-only, with folded")[:8] == ["3", "2.7", "1.33", "of", "3", "1", "0.40", "0.44"]
    by_severity = ["0.67", "of", "1;", "0", "0.00", "of", "1;", "0", "0.67", "of", "1;", "1"]
    assert cells(out, "diff-only, with folded", 1) == by_severity
    assert cells(out, "diff-only, with folded", 2)[:4] == ["0.67", "of", "1;", "1"]
    assert "plain calls at its cost (" in out
    assert cells(out, "3 plain calls  ")[1] == "4"  # including the call that joins them
    assert "Not comparable" in out
    count = len(server.requests)
    assert told(capsys, asked)[1] == out
    assert len(server.requests) == count
    judged = [str(body["messages"]) for body in server.requests if "the remark, about" in str(body["messages"])]
    assert judged
    assert all("Why." in text and "rows[1:]" in text for text in judged)
