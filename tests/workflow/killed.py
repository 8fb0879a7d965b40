"""Run `deeprepo serve` as a separate process that a test can kill and restart."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from waits import patience

from deeprepo_sandbox import github as sandbox

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def serving(folder: Path, gh: sandbox.GitHub, **settings: str) -> AsyncIterator["subprocess.Popen[bytes]"]:
    """Start the server, wait until it listens, and point GitHub's webhook at it.

    `settings` are more environment variables, without the prefix `DEEPREPO_`.
    """
    env = {
        "APP_ID": gh.app_id,
        "PRIVATE_KEY": gh.private_key,
        "WEBHOOK_SECRET": gh.secret,
        "GITHUB_API": gh.api,
        "DATA": str(folder / "data"),
        "PORT": "0",
        "DEBOUNCE": "0",
        "WRITE_PAUSE": "0",
        **settings,
    }
    ours = {f"DEEPREPO_{name}": value for name, value in env.items()}
    log = folder / "log"
    with log.open("wb") as out:
        popen = subprocess.Popen(  # noqa: ASYNC220 - runs alongside the test
            [sys.executable, "-m", "bot", "serve"],
            env={**os.environ, **ours, "OPENAI_API_KEY": "sk-pretended", "PYTHONPATH": str(ROOT)},
            stdout=out,
            stderr=out,
            cwd=folder,
        )
    try:
        async with asyncio.timeout(patience()):
            while not (found := re.search(r"listening.*?(http://[^\s\"]+)", log.read_text())):
                assert popen.poll() is None, log.read_text()
                await asyncio.sleep(0.02)
        gh.listen(f"{found[1]}/webhook")
        yield popen
    finally:
        gh.listen(None)
        popen.kill()
        popen.wait()
