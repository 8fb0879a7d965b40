"""Run git: argument lists, no shell, no prompt, no pager, nothing from the reviewed repository is executed."""

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from bot.errors import GitError

# What a repository's own configuration could make git execute or fetch is switched off for every command.
SAFE = (
    "--no-replace-objects",
    "--no-optional-locks",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false",
    "-c", "core.quotePath=false",
    "-c", "protocol.allow=never",
    "-c", "core.bigFileThreshold=2m",  # a larger file has no patch and is not searched: tree.MAX_FILE_BYTES
)  # fmt: skip
ENVIRONMENT = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
INHERITED = ("PATH", "HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "TMPDIR", "SYSTEMROOT")
# What a fetch needs of the machine: the way out, and whom to believe.
OUTWARD = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "SSL_CERT_FILE")


MOST_SECONDS = 300.0  # of one command; a search has less
CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Done:
    """A finished command. `stopped`: it was ended before it was done, because it took too long or had written enough."""

    status: int
    out: bytes
    err: str
    stopped: bool = False


def environment(extra: Mapping[str, str] | None = None, *, online: bool = False) -> dict[str, str]:
    """The environment of a git process: only what git itself needs, so that no secret of ours reaches it."""
    names = (*INHERITED, *OUTWARD, *(name.lower() for name in OUTWARD)) if online else INHERITED
    inherited = {name: os.environ[name] for name in names if name in os.environ}
    return {**inherited, **ENVIRONMENT, **(extra or {})}


async def start(
    *arguments: str, cwd: str, env: Mapping[str, str] | None = None, online: bool = False
) -> asyncio.subprocess.Process:
    """Start git with pipes on its three streams. `online`: it starts others, and leads them as a group that can be ended."""
    pipe = asyncio.subprocess.PIPE
    try:
        return await asyncio.create_subprocess_exec(
            "git", *SAFE, *arguments,
            cwd=cwd, env=environment(env, online=online), stdin=pipe, stdout=pipe, stderr=pipe,
            process_group=0 if online else None,
        )  # fmt: skip
    except FileNotFoundError as error:
        raise GitError("git was not found: install it, or put it on PATH") from error


async def run(
    *arguments: str,
    cwd: str,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    seconds: float = MOST_SECONDS,
) -> Done:
    """Run one git command to its end; the caller judges the status. Raises GitError when it takes too long."""
    process = await start(*arguments, cwd=cwd, env=env)
    try:
        async with asyncio.timeout(seconds):
            out, err = await process.communicate(stdin)
    except TimeoutError:
        raise GitError(f"git {arguments[0]} took longer than {seconds:g} s and was ended") from None
    finally:
        await _end(process)
    return Done(process.returncode or 0, out, err.decode("utf-8", "replace").strip())


async def search(
    *arguments: str,
    cwd: str,
    env: Mapping[str, str] | None,
    seconds: float,
    rows: int | None,
    most: int,
    row_end: bytes = b"\n",
) -> Done:
    """Run a command until it is done, has written so many rows or bytes, or takes too long: what it wrote until then counts."""
    process = await start(*arguments, cwd=cwd, env=env)
    out, lines, stopped = bytearray(), 0, False
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise GitError("git has no pipes")
    process.stdin.close()
    said = asyncio.ensure_future(process.stderr.read())
    try:
        async with asyncio.timeout(seconds):
            while chunk := await process.stdout.read(CHUNK):
                out += chunk
                lines += chunk.count(row_end) if rows is not None else 0
                if len(out) > most or (rows is not None and lines >= rows):
                    return Done(0, bytes(out), "", stopped=len(out) > most)
            await process.wait()
    except TimeoutError:
        stopped = True
    finally:
        await _end(process)
        err = await said
    return Done(process.returncode or 0, bytes(out), err.decode("utf-8", "replace").strip(), stopped)


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a command that still runs: nobody waits for it any more."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def output(
    *arguments: str,
    cwd: str,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    ok: tuple[int, ...] = (0,),
) -> bytes:
    """The standard output of a git command that must succeed."""
    done = await run(*arguments, cwd=cwd, env=env, stdin=stdin)
    if done.status not in ok:
        raise GitError(f"git {arguments[0]} failed: {done.err[:400] or f'status {done.status}'}")
    return done.out
