"""Run git without a shell, prompts, pagers, or secrets in its environment."""

import asyncio
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.errors import GitError
from bot.machine.processes import end_process, start_process

# A second line of defense. Commands that read a change run without its repository's configuration anyway
# (`own_git_dir`). For other commands, such as the evaluation's, these options prevent a configuration from
# making git execute or fetch anything.
SAFE = (
    "--no-replace-objects",
    "--no-optional-locks",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false",
    "-c", "core.quotePath=false",
    "-c", "log.showSignature=false",
    "-c", "protocol.allow=never",
    "-c", "core.bigFileThreshold=2m",  # larger files have no patch and are not searched: tree.MAX_FILE_BYTES
)  # fmt: skip
ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    # Overrides a repository's protocol.NAME.allow; Git before 2.45 has no GIT_NO_LAZY_FETCH.
    "GIT_ALLOW_PROTOCOL": "none",
    "LC_ALL": "C",
}
INHERITED = ("PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "SYSTEMROOT")
# Variables with the locations of the user's and the system's configuration
PERSONAL = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
NO_CONFIGURATION = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
# Variables for proxies and certificates, which a fetch needs
NETWORK = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "SSL_CERT_FILE")
MISSING_OBJECT = re.compile(
    r"unable to read (?:tree )?\(?[0-9a-f]{40}|missing (blob|tree|object)|bad object [0-9a-f]{40}|could not get object info"
    r"|not a tree object|could not fetch [0-9a-f]{40} from promisor remote"
)


MAX_SECONDS = 300.0  # per command; searches have a shorter limit
CHUNK_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class GitResult:
    """The result of a command. `was_stopped`: the command took too long, or wrote more than the limit."""

    status: int
    out: bytes
    err: str
    was_stopped: bool = False


def environment(
    extra: Mapping[str, str] | None = None, *, online: bool = False, personal: bool = False
) -> dict[str, str]:
    """Return the environment for a git process, without secrets.

    `online`: add what a fetch needs. `personal`: use the user's and the system's configuration.
    """
    network = (*NETWORK, *(name.lower() for name in NETWORK)) if online else ()
    names = (*INHERITED, *network, *(PERSONAL if personal else ()))
    variables = {name: os.environ[name] for name in names if name in os.environ}
    # Remove relative entries, because git would use them to search the repository's folder for programs.
    if "PATH" in variables:
        entries = variables["PATH"].split(os.pathsep)
        variables["PATH"] = os.pathsep.join(entry for entry in entries if os.path.isabs(entry))  # noqa: PTH117 - texts
    return {**variables, **ENVIRONMENT, **({} if personal else NO_CONFIGURATION), **(extra or {})}


async def start(
    *arguments: str, cwd: str, env: Mapping[str, str] | None = None, online: bool = False, personal: bool = False
) -> asyncio.subprocess.Process:
    """Start git with pipes for its three streams. With `online`, it gets its own process group."""
    process_env = environment(env, online=online, personal=personal)
    try:
        return await start_process(
            "git", *SAFE, *arguments, cwd=cwd, env=process_env, process_group=0 if online else None
        )
    except FileNotFoundError as error:
        if error.filename == cwd:
            raise GitError(f"there is no folder {cwd}") from error
        raise GitError("git was not found. Install it, or add it to PATH") from error


async def run(
    *arguments: str,
    cwd: str,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    personal: bool = False,
    seconds: float = MAX_SECONDS,
) -> GitResult:
    """Run a git command, whose status the caller must check. Raises GitError after a timeout."""
    process = await start(*arguments, cwd=cwd, env=env, personal=personal)
    try:
        async with asyncio.timeout(seconds):
            out, err = await process.communicate(stdin)
    except TimeoutError:
        raise GitError(f"git {arguments[0]} was stopped after {seconds:g} s") from None
    finally:
        await end_process(process, process.stdout, process.stderr)
    return GitResult(process.returncode or 0, out, err.decode("utf-8", "replace").strip())


async def search(
    *arguments: str,
    cwd: str,
    env: Mapping[str, str] | None,
    most: int,
    seconds: float = MAX_SECONDS,
    rows: int | None = None,
    row_end: bytes = b"\n",
    stdin: bytes = b"",
) -> GitResult:
    """Run a command until it ends, reaches a limit, or takes too long. Return what it wrote until then.

    `most` is the maximum number of bytes, and `rows` the number of rows that are enough.
    """
    process = await start(*arguments, cwd=cwd, env=env)
    out, lines, was_stopped = bytearray(), 0, False
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise GitError("git has no pipes")
    process.stdin.write(stdin)
    process.stdin.close()
    stderr = asyncio.ensure_future(process.stderr.read())
    try:
        async with asyncio.timeout(seconds):
            while chunk := await process.stdout.read(CHUNK_BYTES):
                out += chunk
                lines += chunk.count(row_end) if rows is not None else 0
                if len(out) > most or (rows is not None and lines >= rows):
                    return GitResult(0, bytes(out), "", was_stopped=len(out) > most)
            await process.wait()
    except TimeoutError:
        was_stopped = True
    finally:
        await end_process(process, process.stdout)
        err = await stderr
    return GitResult(process.returncode or 0, bytes(out), err.decode("utf-8", "replace").strip(), was_stopped)


async def output(
    *arguments: str,
    cwd: str,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    ok: tuple[int, ...] = (0,),
) -> bytes:
    """Return a git command's output. Raises GitError if its exit status is not in `ok`."""
    result = await run(*arguments, cwd=cwd, env=env, stdin=stdin)
    if result.status not in ok:
        raise failure(arguments[0], result)
    return result.out


def failure(command: str, result: GitResult) -> GitError:
    """Return the error for a failed git command."""
    if MISSING_OBJECT.search(result.err):
        return GitError(
            "the clone lacks objects of this change. In a partial clone, run `git fetch --refetch --filter=blob:limit=1g`; "
            f"in a damaged clone, run `git fsck` ({result.err[:200]})"
        )
    return GitError(f"git {command} failed: {result.err[:400] or f'status {result.status}'}")
