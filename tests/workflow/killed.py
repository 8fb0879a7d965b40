"""Run `deeprepo serve` as a separate process that a test can kill and restart."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import waits

from deeprepo_sandbox import github as sandbox

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def serving(folder: Path, gh: sandbox.GitHub, **settings: str) -> AsyncIterator["subprocess.Popen[str]"]:
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
    popen = subprocess.Popen(  # noqa: ASYNC220 - runs alongside the test
        [sys.executable, "-m", "bot", "serve"],
        env={**os.environ, **ours, "OPENAI_API_KEY": "sk-pretended", "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
    )
    with waits.ended(popen):
        assert popen.stdout is not None
        found = await asyncio.to_thread(waits.Output(popen.stdout).wait_for, r"listening.*?(http://[^\s\"]+)")
        gh.listen(f"{found[1]}/webhook")
        try:
            yield popen
        finally:
            gh.listen(None)
