"""Running a command in a sandbox: limits, outcomes and cleanup."""

import asyncio
import time
from pathlib import Path

import pytest
import waits
from boxes import LIMITS, box, member, missing, run, tar
from waits import patience

from bot.reproduction import container
from bot.reproduction.container import SandboxRefused
from bot.reproduction.execute import execute, readable
from bot.values.reproduction import RunLimits, Sandbox, SandboxRun
from deeprepo_sandbox.processes import alive

boxed = pytest.mark.skipif(bool(missing()), reason=missing() or "-")


@boxed
def test_command_runs_over_its_tree() -> None:
    """The files are written over the tree, and the exit status and output are returned."""
    outcome = run("cat a.txt b/c.txt; exit 3", {"b/c.txt": "over\n"}, tree=tar((member("a.txt"), b"tree\n")))
    assert (outcome.ending, outcome.status, outcome.output) == ("exit", 3, "tree\nover\n")


@boxed
@pytest.mark.parametrize(
    ("ending", "command", "limits"),
    [
        ("seconds", "sleep 30", RunLimits(seconds=0.3)),
        ("output", "yes", RunLimits(output=100_000)),
        ("memory", "python3 -c 'b = [bytearray(1 << 20) for _ in range(4000)]'", RunLimits(memory=100 << 20)),
    ],
)
def test_reached_limit_ends_the_run(ending: str, command: str, limits: RunLimits) -> None:
    """The outcome names the limit, and the run ends soon after reaching it."""
    began = time.monotonic()
    assert run(command, limits=limits).ending == ending
    assert time.monotonic() - began < patience(8)


@boxed
def test_output_is_limited_and_has_no_escape_sequences() -> None:
    """The beginning and the end of the output are kept, without terminal escapes."""
    found = run("printf '\\033[31mfirst\\033[0m\\n'; yes | head -c 300000; printf '\\033]0;title\\007last\\n'")
    assert found.output.startswith("first\n")
    assert found.output.endswith("last\n")
    assert len(found.output) < 40_000
    assert readable(b"a\x1b]8;;http://x\x07b\x1b]8;;\x07\xe2\x80\xaec\r\n") == "abc\n"


def _wait_for(mark: str) -> None:
    """Wait until a `sleep` with this argument runs."""
    waits.until(lambda: [row for row in alive(mark) if row.startswith("sleep")], "the command was started")


@boxed
def test_cancelled_run_leaves_no_process() -> None:
    """Cancelling a run returns only after all its processes have ended."""
    mark = "4444.4444"

    async def given_up() -> None:
        task = asyncio.create_task(execute(box(), SandboxRun(b"", f"sleep {mark}")))
        await asyncio.to_thread(_wait_for, mark)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(given_up())
    assert alive(mark) == []


HIDDEN = next(one for one, name in container.places().items() if name == "/etc")
GOOD = ["net net:[2]", "pid pid:[2]", "uid 65534", "interface lo", "variable HOME", "place 9:9 /etc", "CapEff: 0000000000000000", "NoNewPrivs: 1"]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "instead", "reached"),
    [
        (f"net {Path('/proc/self/ns/net').readlink()}", "net", "the network"),
        ("interface eth0", "interface", "the network"),
        (f"pid {Path('/proc/self/ns/pid').readlink()}", "pid", "other processes"),
        ("variable AWS_SECRET_ACCESS_KEY", "", "environment variables (AWS_SECRET_ACCESS_KEY)"),
        (f"place {HIDDEN} /etc", "", "folders of this machine (/etc)"),
        ("writes /usr", "", "files outside of its own folder (/usr)"),
        ("CapEff: 0000000000000020", "CapEff:", "privileges"),
        ("NoNewPrivs: 0", "NoNewPrivs:", "privileges"),
        ("uid 0", "uid", "privileges"),
        ("", "net", "anything"),
        ("", "CapEff:", "anything"),
    ],
)
def test_probe_that_reaches_anything_is_refused(row: str, instead: str, reached: str) -> None:
    """Everything that the probe reaches is named, and an incomplete report is refused."""
    report = [*(one for one in GOOD if not instead or not one.startswith(instead)), *filter(None, [row])]
    found = container.reachable(report, box(), SandboxRun(b"", ""))
    assert len(found) == 1
    assert found[0].startswith(reached)
    assert container.reachable(GOOD, box(), SandboxRun(b"", "")) == ()


def test_leaking_sandbox_is_refused_before_files_are_copied(tmp_path: Path) -> None:
    """A fake docker that doesn't isolate is detected by the probe before any file is copied."""
    removed, marker = tmp_path / "removed", tmp_path / "ran"
    program = tmp_path / "docker"
    program.write_text(f"""#!/bin/sh
[ "$1" = run ] || {{ echo "$@" > {removed}; exit 0; }}
while [ "$1" != KILL ]; do [ "$1" = --env ] && export "$2"; shift; done; shift 2
exec sh -c "$(printf %s "$3" | sed "s#/box#{tmp_path}#g")" sh "$5"
""")
    program.chmod(0o755)
    sandbox = Sandbox(str(program), "any", client={"PATH": "/usr/bin:/bin", "AWS_SECRET_ACCESS_KEY": "x"})
    with pytest.raises(SandboxRefused) as refused:
        asyncio.run(execute(sandbox, SandboxRun(b"", f"touch {marker}", {"a": ""})))
    for part in ("the network", "other processes", "AWS_SECRET_ACCESS_KEY", "folders of this machine"):
        assert part in str(refused.value)
    assert not marker.exists()
    assert not (tmp_path / "work" / "a").exists()
    assert removed.read_text().startswith("rm --force deeprepo-run-")


def test_container_arguments_isolate_the_run() -> None:
    """The container has no network, capabilities or writable disk, an unprivileged user and all limits."""
    sandbox = Sandbox("docker", "python:3.13-slim")
    words = container.arguments(sandbox, SandboxRun(b"", "x", limits=LIMITS), sandbox.environment(), "deeprepo-run-1")
    told = " ".join(words)
    for part in (
        "docker run --rm --interactive --name deeprepo-run-1", "--network none", "--read-only", "--user 65534:65534", "--cap-drop ALL",
        "--security-opt no-new-privileges", f"--pids-limit {LIMITS.processes}", f"--memory {LIMITS.memory + LIMITS.disk}",
        f"--tmpfs /box:rw,exec,nosuid,nodev,size={LIMITS.disk},mode=1777", "--pull never", "--ulimit core=0:0",
    ):  # fmt: skip
        assert part in told
    assert not {"-v", "--volume", "--mount", "--privileged", "--pid", "--device"} & set(words)
    assert words[words.index("--entrypoint") :] == [
        "--entrypoint",
        "timeout",
        "python:3.13-slim",
        "-s",
        "KILL",
        "70",
        "sh",
    ]
