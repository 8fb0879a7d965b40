import asyncio
import base64
import gc
import secrets
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
    """Run git with the token in a header; return its exit status and output."""
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


async def test_clone_requires_a_token_with_contents_read(tmp_path: Path) -> None:
    """Cloning a private repository requires a token with contents:read."""
    async with rig(tmp_path / "hub", private=True) as at:
        reader = at.gh.token({"contents": "read"}, (at.repo.id,))
        writer = at.gh.token({"pull_requests": "write"}, (at.repo.id,))
        found = [
            (await _git(at, tmp_path, "ls-remote", at.repo.url, token=t))[0] for t in (reader, writer, "", "ghs_x")
        ]
        assert [bool(status) for status in found] == [False, True, True, True]
        at.gh.pass_time(minutes=61)
        assert (await _git(at, tmp_path, "ls-remote", at.repo.url, token=reader))[0] != 0


async def test_git_stops_when_the_client_disconnects(tmp_path: Path) -> None:
    """If a client disconnects during a fetch, git is stopped, and no unclosed pipe causes a warning."""
    async with rig(tmp_path / "hub") as at:
        commit = await at.repo.commit("large", {"large.txt": secrets.token_hex(4_000_000)})
        token = at.gh.token({"contents": "read"}, (at.repo.id,))
        lines = (f"want {commit} no-progress\n", "", "done\n")
        body = b"".join(b"%04x%s" % (len(line) + 4 if line else 0, line.encode()) for line in lines)
        host = at.gh.api.split("/")[2]
        head = (
            "POST /acme/shop.git/git-upload-pack HTTP/1.1",
            f"Host: {host}",
            f"Authorization: Basic {base64.b64encode(f'x-access-token:{token}'.encode()).decode()}",
            "Content-Type: application/x-git-upload-pack-request",
            f"Content-Length: {len(body)}",
        )
        for wanted in (1, 1_000_000):  # bytes to read before disconnecting
            reader, writer = await asyncio.open_connection(*host.split(":"))
            writer.write("\r\n".join((*head, "", "")).encode() + body)
            await reader.readexactly(wanted)
            writer.transport.abort()
    await asyncio.sleep(1)  # the server's git processes need a moment to end
    gc.collect()
