import asyncio
import base64
import subprocess
from pathlib import Path

from sandbox_rig import Rig, rig

QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "PATH": "/usr/bin:/bin",
}


async def _git(at: Rig, folder: Path, *arguments: str, token: str = "") -> tuple[int, str]:
    """Status and output of a git command that shows the token as git does."""
    pair = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    env = QUIET | (
        {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"http.{at.repo.url}.extraHeader",
            "GIT_CONFIG_VALUE_0": f"Authorization: Basic {pair}",
        }
        if token
        else {}
    )
    done = await asyncio.create_subprocess_exec(
        "git", *arguments, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    out, _ = await done.communicate()
    return done.returncode or 0, out.decode()


async def test_git_needs_a_token_that_reads_contents(tmp_path: Path) -> None:
    """A private repository is cloned with contents:read, and with nothing less."""
    async with rig(tmp_path / "hub", private=True) as at:
        reader = at.gh.token({"contents": "read"}, (at.repo.id,))
        writer = at.gh.token({"pull_requests": "write"}, (at.repo.id,))
        found = [
            (await _git(at, tmp_path, "ls-remote", at.repo.url, token=t))[0] for t in (reader, writer, "", "ghs_x")
        ]
        assert [bool(status) for status in found] == [False, True, True, True]
        at.gh.pass_time(minutes=61)
        assert (await _git(at, tmp_path, "ls-remote", at.repo.url, token=reader))[0] != 0
