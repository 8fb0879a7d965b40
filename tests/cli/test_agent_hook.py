"""A coding agent's Stop hook, run as an agent runs it: JSON on standard input, JSON or nothing as answer."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository

ROOT = Path(__file__).parents[2]
QUOTE = "def quote(weight, zone):\n    return weight * zone\n"
SHOP = {
    "shop/__init__.py": "",
    "shop/rates.py": QUOTE,
    "shop/cart.py": "from shop.rates import quote\n\n\ndef total(w):\n    return quote(w, 2)\n",
}
BROKEN = "def quote(weight):\n    return weight\n"


@pytest.fixture
def shop(repository: Repository) -> Repository:
    repository.commit(SHOP, "a shop")
    (repository.folder / "shop/rates.py").write_text(BROKEN)
    return repository


def stop(
    shop: Repository, session: str = "s1", *, active: bool, words: tuple[str, ...] = (), said: str | None = None
) -> Any:  # noqa: ANN401 - JSON
    """Run the hook and return its answer: None if empty, or exit code and standard error if it fails."""
    given = {
        "session_id": session,
        "transcript_path": "/home/ann/.claude/projects/shop/0001.jsonl",
        "cwd": str(shop.folder),
        "permission_mode": "acceptEdits",
        "hook_event_name": "Stop",
        "stop_hook_active": active,
        "last_assistant_message": "Done.",
    }
    env = {"PATH": os.environ["PATH"], "HOME": str(shop.folder.parent), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "bot", "agent-hook", *words],
        input=json.dumps(given) if said is None else said,
        cwd=shop.folder.parent,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return done.returncode, done.stderr
    return json.loads(done.stdout) if done.stdout else None


def test_agent_continues_until_its_findings_are_fixed(shop: Repository) -> None:
    """The agent gets its open findings as a prompt. Once they are fixed, it gets no answer.

    The work tree contains nothing that the agent didn't write.
    """
    first = stop(shop, active=False)
    assert first["decision"] == "block"
    assert "review 1 of at most 3" in first["reason"]
    assert "File: shop/cart.py\nLines: 5\n" in first["reason"]
    (shop.folder / "shop/cart.py").write_text(SHOP["shop/cart.py"].replace("quote(w, 2)", "quote(w)"))
    assert stop(shop, active=True) is None
    assert shop.git("status", "--porcelain").split() == ["M", "shop/cart.py", "M", "shop/rates.py"]


def test_reviews_stop_after_three_rounds_or_without_changes(shop: Repository) -> None:
    """Reviews stop if nothing changed, or after three; a later stop does not repeat the same change."""
    assert stop(shop, active=False)["decision"] == "block"
    assert stop(shop, active=True) is None
    assert stop(shop, active=False) is None
    for at, active in enumerate((False, True), 1):
        (shop.folder / "shop/rates.py").write_text(f"{BROKEN}# {at}\n")
        assert f"review {at} of at most 3" in stop(shop, active=active)["reason"]
    (shop.folder / "shop/rates.py").write_text(f"{BROKEN}# 3\n")
    assert stop(shop, active=True) is None
    (shop.folder / "shop/rates.py").write_text(f"{BROKEN}# 4\n")
    assert stop(shop, "another", active=True) is None  # another hook keeps the agent going


def test_todo_with_an_issue_number_settles_a_finding(shop: Repository) -> None:
    """A TODO with an issue number on a finding's line or the line above settles it; one without does not."""
    cart = SHOP["shop/cart.py"]
    (shop.folder / "shop/cart.py").write_text(cart.replace("    return", "    # TODO: later\n    return"))
    assert stop(shop, active=False)["decision"] == "block"
    (shop.folder / "shop/cart.py").write_text(cart.replace("    return", "    # TODO(#12): the zone\n    return"))
    assert stop(shop, active=True) is None


def test_errors_never_keep_the_agent_running(repository: Repository) -> None:
    """Exit code 2 would keep the agent going forever, so errors end with 1 and a sentence for its user."""
    repository.commit(SHOP, "a shop")
    assert stop(repository, active=False) is None
    assert stop(repository, active=False, said="no JSON")[0] == 1
    (repository.folder / ".git").rename(repository.folder / "gone")
    code, sentence = stop(repository, active=False)
    assert code == 1
    assert sentence.startswith("deeprepo: ")
