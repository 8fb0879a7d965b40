"""Run a command in another root, with mounts that nobody else sees and that go when it ends."""

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"}  # of the base image
MEMORY = "size=1g,mode=0700,uid={uid},gid={uid}"


def run(
    root: Path,
    command: Sequence[str],
    folder: str,
    environment: Mapping[str, str],
    *,
    binds: Sequence[str] = (),
) -> subprocess.CompletedProcess[str]:
    """Run a command as root, as a RUN instruction does: with the network, /proc and the devices."""
    there = [path for path in ("/etc/resolv.conf", *binds) if Path(path).exists()]
    mounts = [f"mount --bind {path} {_place(root, path, path)}" for path in there]
    return subprocess.run(
        _unshared([*_common(root), *mounts], [*_chroot(root), *_env(folder, environment), *command]),
        check=False, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Use:
    """How a container is started: its user without privileges, its folder, what is writable, what is mounted to be read."""

    user: int
    folder: str
    memory: str = "/data"  # the one place that can be written
    mounts: Mapping[str, str] = field(default_factory=dict)  # folders of this machine, by the place where they are seen


def container(root: Path, command: Sequence[str], environment: Mapping[str, str], use: Use) -> list[str]:
    """The command line of what a container runs: one user without privileges, a read-only root."""
    shown = [f"mount --bind {path} {_place(root, place, path)}" for place, path in use.mounts.items()]
    fixed = [f"mount -o remount,bind,ro {root}{place}" for place in use.mounts]
    memory = f"mount -t tmpfs -o {MEMORY.format(uid=use.user)} tmpfs {root}{use.memory}"
    steps = [f"mount --bind {root} {root}", *_common(root), *shown, *fixed, memory, f"mount -o remount,bind,ro {root}"]
    dropped = ["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"]
    to_user = ["setpriv", f"--reuid={use.user}", f"--regid={use.user}", "--clear-groups", *dropped]
    return _unshared(steps, [*_chroot(root), *to_user, *_env(use.folder, environment), *command])


def _common(root: Path) -> list[str]:
    return [
        f"mount -t proc proc {root}/proc",
        f"mount --rbind /dev {root}/dev",
    ]


def _place(root: Path, where: str, path: str) -> Path:
    """The place in the root where a path of this machine is to be seen, made where it is not there yet."""
    place = root / where.lstrip("/")
    if Path(path).is_file():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    else:
        place.mkdir(parents=True, exist_ok=True)
    return place


def _chroot(root: Path) -> list[str]:
    return ["chroot", str(root)]


def _env(folder: str, environment: Mapping[str, str]) -> list[str]:
    return [
        "env",
        "--ignore-environment",
        f"--chdir={folder}",
        *(f"{key}={value}" for key, value in environment.items()),
    ]


def _unshared(steps: Sequence[str], command: Sequence[str]) -> list[str]:
    script = " && ".join([*steps, 'exec "$@"'])
    alone = ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child"]
    return [*alone, "sh", "-c", script, "sh", *command]
