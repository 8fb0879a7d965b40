"""The command lines of docker and podman, which are the same: a container that is read-only, alone, and nobody."""

from collections.abc import Mapping

from bot.review.running.values import BOX, NOBODY, SHARED, Run, Sandbox

GRACE = 60  # seconds for the probe and for unpacking; the container ends by itself after these and its own


def command(sandbox: Sandbox, run: Run, name: str, variables: Mapping[str, str]) -> list[str]:
    """Return the arguments up to the program that is to run. The first process is `timeout`, which nothing inside can kill.

    So the container ends even if the process that started it was killed.
    """
    caps = run.limits
    return [
        sandbox.program, "run", "--rm", "--interactive", "--name", name, "--pull", "never", "--log-driver", "none",
        "--network", "bridge" if run.network else "none", "--ipc", "private", "--hostname", "box",
        "--read-only", "--user", f"{NOBODY}:{NOBODY}", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
        "--pids-limit", str(caps.processes), "--memory", str(caps.memory + caps.disk), "--memory-swap", str(caps.memory + caps.disk),
        "--shm-size", str(SHARED), "--ulimit", "core=0:0",
        "--tmpfs", f"{BOX}:rw,exec,nosuid,nodev,size={caps.disk},mode=1777",
        "--tmpfs", f"/tmp:rw,exec,nosuid,nodev,size={SHARED},mode=1777",  # noqa: S108 - in the sandbox
        *(word for key, value in variables.items() for word in ("--env", f"{key}={value}")),
        "--workdir", BOX, "--entrypoint", "timeout", sandbox.image, "-s", "KILL", f"{caps.seconds + GRACE:.0f}",
    ]  # fmt: skip


def ending(sandbox: Sandbox, name: str) -> list[str]:
    """Return the command that ends a container and removes it."""
    return [sandbox.program, "rm", "--force", name]
