"""Network connections of a review: none without a model, and only to the provider's address with one."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from fakes import Repository

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply, Server

# Python runs this at startup, in the command and in all of its child processes.
LISTENER = """
import os, sys

def listen(event, arguments):
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        text = f"{arguments[1][0]}:{arguments[1][1]}"
    elif event in ("socket.getaddrinfo", "socket.gethostbyname") and arguments[0]:
        text = f"name {arguments[0]}"
    else:
        return
    with open(os.environ["CONNECTIONS"], "a") as log:
        log.write(text + "\\n")

sys.addaudithook(listen)
open(os.environ["CONNECTIONS"], "a").close()
"""
OFFLINE = ("--effort", "none")


def connections(repository: Repository, folder: Path, *options: str, **environment: str) -> set[str]:
    """Review a change with a forgotten caller, and return all addresses and host names that it contacted."""
    repository.commit(
        {"lib.py": "def total(a):\n    return a\n", "app.py": "from lib import total\n\ntotal(1)\n"}, "before"
    )
    repository.git("checkout", "-qb", "feature")
    repository.commit({"lib.py": "def total(a, b):\n    return a + b\n"}, "after")
    (folder / "start").mkdir()
    (folder / "start" / "sitecustomize.py").write_text(LISTENER)
    log = folder / "connections"
    keys = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_PROXY", "_proxy"))}
    done = subprocess.run(
        [sys.executable, "-m", "bot", "review", "--repo", str(repository.folder), *options],
        env={**keys, "PYTHONPATH": str(folder / "start"), "CONNECTIONS": str(log), **environment},
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "total() has a new signature" in done.stdout, done.stderr
    return set(log.read_text().splitlines())


def test_no_connection_is_opened_without_a_model(repository: Repository, tmp_path: Path) -> None:
    """Without a model, there is no connection at all: no telemetry and no check for a newer version."""
    assert connections(repository, tmp_path, *OFFLINE) == set()


def test_only_the_model_provider_is_contacted(repository: Repository, tmp_path: Path) -> None:
    """Code is only sent to the configured provider."""
    with doubles.in_thread(Server(lambda _: Reply(data={"answer": "Read.", "findings": []}))) as server:
        address = urlsplit(server.openai_url)
        found = connections(
            repository, tmp_path, "--effort", "low", "--worker", "compatible/any",
            DEEPREPO_BASE_URL=server.openai_url,
        )  # fmt: skip
        assert server.count
    assert found - {f"name {address.hostname}"} == {f"{address.hostname}:{address.port}"}
