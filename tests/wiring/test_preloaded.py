"""The fork server preloads modules, so that children don't load them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import child_tasks as tasks
import pytest
from fakes import Repository

from bot.wiring import child
from deeprepo.impact.filetypes import filetypes
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Server

REVIEW = """
import asyncio, json, sys
from bot.wiring import preload, review
from bot.values import TypedChange

before = set(sys.modules)
folder, base, head, scratch = sys.argv[1:]
done = asyncio.run(review.local_review(TypedChange(folder, "range", base, head), {}, scratch))
print(json.dumps([done.cost.calls, sorted(set(sys.modules) - before)]))
"""


def test_review_in_a_child_imports_no_more_modules(repository: Repository, tmp_path: Path) -> None:
    """All grammars, the Python linter, the secret patterns and the model client are preloaded."""
    paths = list({one.folder: f"{one.folder}{one.suffixes[0]}" for one in filetypes() if one.folder}.values())
    pull = repository.change(dict.fromkeys(paths, ""), dict.fromkeys(paths, 'password = "k3ks8fh2lskd93"\n'))
    (tmp_path / "scratch").mkdir()
    with doubles.in_thread(Server({"answer": "Read.", "findings": []})) as server:
        environment = {
            **os.environ,
            "DEEPREPO_WORKER": "compatible/worker",
            "DEEPREPO_EFFORT": "low",
            "DEEPREPO_BASE_URL": server.openai_url,
        }
        arguments = (str(repository.folder), pull.base, pull.head, str(tmp_path / "scratch"))
        done = subprocess.run(
            [sys.executable, "-c", REVIEW, *arguments], env=environment, capture_output=True, text=True, check=True
        )
    calls, imported = json.loads(done.stdout)
    assert calls > 0
    assert imported == []


@pytest.mark.skipif(sys.platform != "linux", reason="only on Linux are children forked")
def test_children_never_import_the_github_client() -> None:
    """Only parents use GitHub's client, which takes half a second to load."""
    assert not child.call(tasks.loaded, "githubkit", caps=tasks.CAPS)
