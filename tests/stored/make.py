"""Add the data of one build to the museum: `python tests/stored/make.py NAME [PYTHON CHECKOUT]`, by default of this checkout.

A folder of the museum has what one build wrote about the same two changes:

- `server.json`: what `deeprepo serve` without a model left at GitHub (comments and checks) and in its database, as SQL.
- `review.json`, `journal.jsonl`, `killed.jsonl`: what `deeprepo review` wrote about the demonstration, with a scripted model.
- `ignore.yml`: what `deeprepo ignore` wrote for each finding of `review.json` that a static check has found.
"""

import asyncio
import json
import os
import secrets
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from whole import BASE, WORSE

from deeprepo_sandbox import demo, providers
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.demo import model

MUSEUM = Path(__file__).parent / "museum"
CHECKOUT = Path(__file__).parents[2]
PATIENCE = 600.0  # seconds
RANGE = "main..pull-request"
ADDRESS = "http://127.0.0.1:"


def main(name: str, python: str = sys.executable, checkout: str = str(CHECKOUT)) -> None:
    """Write the folder of a build."""
    place, build = MUSEUM / name, (python, checkout)
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        server = asyncio.run(_server(build, Path(scratch)))
    (place / "server.json").write_text(json.dumps(server, indent=1, ensure_ascii=False) + "\n")
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(_command_line(build, place, Path(scratch)))


def _environment(build: tuple[str, str], home: Path, **more: object) -> dict[str, str]:
    own = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": build[1], "COLUMNS": "160"}
    return {**own, **{name: str(value) for name, value in more.items()}}


async def _server(build: tuple[str, str], scratch: Path) -> dict[str, Any]:
    async with sandbox.github(scratch / "github", secret=secrets.token_hex(20), check=False) as gh:
        repo = await gh.repository("acme", "shop", files=BASE, private=True)
        client, secret = gh.client
        usual = {"APP_ID": gh.app_id, "CLIENT_ID": client, "CLIENT_SECRET": secret, "PRIVATE_KEY": gh.private_key}
        usual |= {"WEBHOOK_SECRET": gh.secret, "GITHUB_API": gh.api, "DATA": scratch / "data", "PORT": 0}
        usual |= {"DEBOUNCE": 0, "WRITE_PAUSE": 0}
        (scratch / "data").mkdir(mode=0o700)
        process = await asyncio.create_subprocess_exec(
            build[0], "-P", "-m", "bot", "serve", cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=_environment(build, scratch, **{f"DEEPREPO_{name}": value for name, value in usual.items()}),
        )  # fmt: skip
        assert process.stdout is not None
        line = b""
        while ADDRESS not in line.decode():
            line = await asyncio.wait_for(process.stdout.readline(), PATIENCE)
            assert line, "the server ended"
        port = line.decode().partition(ADDRESS)[2][:5]
        drained = asyncio.ensure_future(process.stdout.read())
        gh.listen(f"{ADDRESS}{''.join(filter(str.isdigit, port))}/webhook")
        await repo.commit("feature", WORSE)
        number = await repo.open_pull("feature", title="Prices without tax", body="Tax is added elsewhere.")
        await gh.until(lambda: any(one.status == "completed" for one in gh.pull(number).checks), PATIENCE)
        process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(process.wait(), PATIENCE)
        drained.cancel()
        pull = gh.pull(number)
        with sqlite3.connect(scratch / "data" / "deeprepo.db") as database:
            tables = [*database.iterdump()]
        return {
            "comments": [one.body for one in pull.comments],
            "line_comments": [{"path": one.path, "line": one.line, "body": one.body} for one in pull.review_comments],
            "checks": [
                {"conclusion": one.conclusion, "title": one.title, "summary": one.summary} for one in pull.checks
            ],
            "database": tables,
        }


async def _command_line(build: tuple[str, str], place: Path, scratch: Path) -> None:
    repo = scratch / "repo"
    repo.mkdir()
    demo.build(str(repo))
    async with providers.openai_server(model.answer) as double:
        keys = {"OPENAI_API_KEY": "sk-pretended-and-long-enough", "DEEPREPO_BASE_URL": double.base_url}
        keys |= {"DEEPREPO_ROOT": model.NAME, "DEEPREPO_WORKER": model.NAME}
        environment = _environment(build, scratch, **keys)

        async def run(*words: str, until: Path | None = None) -> None:
            command = (build[0], "-P", "-m", "bot", *words)
            process = await asyncio.create_subprocess_exec(*command, env=environment, cwd=repo)
            end = time.monotonic() + PATIENCE
            while until is not None and process.returncode is None and time.monotonic() < end:
                if '"kind": "call"' in await asyncio.to_thread(_content, until):
                    with suppress(ProcessLookupError):  # it ended at this moment
                        process.kill()
                await asyncio.sleep(0.02)
            await process.wait()

        review, journal, killed = (place / name for name in ("review.json", "journal.jsonl", "killed.jsonl"))
        for file in (journal, killed):
            file.unlink(missing_ok=True)
        usual = ("review", "--effort", "medium", "--strategy", "fanout", "--format", "json")
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
