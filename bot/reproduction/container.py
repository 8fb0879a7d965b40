"""Build the command line of the container, and the script of the first process inside.

docker and podman take the same command line: a read-only container without network or privileges, as an
unprivileged user, with one writable folder in memory.

The first process probes the container, waits for the tree, unpacks it, and runs the command. It only uses a
POSIX shell, `tar` and standard tools, so any image works. `command -p` finds the system's tools, because
folders of the tree come first in PATH.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.errors import DeepRepoError
from bot.values.reproduction import BOX, WORK, RunPermission, Sandbox, SandboxRun

PROGRAMS = ("docker", "podman")  # in order of preference; both take the same command line
NOBODY = 65534  # id of the user that runs the code
SHM_BYTES = 64 << 20  # bytes of /dev/shm
DESCRIPTORS = 4_096  # open files per process, because the kernel buffers what is written to pipes and sockets
GRACE = 60  # seconds for the probe and unpacking; a container stops after these plus its time limit
# Output lines of the script: after the probe's report, and after the setup.
REPORTED, READY = "deeprepo: probed", "deeprepo: ready"
SETUP = 125  # exit status if the tree could not be unpacked
# Variables that shells and containers set, and the rows that the probe must report.
SHELL = {"PWD", "OLDPWD", "SHLVL", "_", "PROCESSES", "container", "HOSTNAME"}
REQUIRED_PROBES = ("net", "pid", "uid", "CapEff:", "NoNewPrivs:")
SCRIPT = rf"""
umask 022
ulimit -c 0
ulimit -n {DESCRIPTORS} 2>/dev/null
ulimit -t unlimited 2>/dev/null
ulimit -d unlimited 2>/dev/null
ulimit -u "$PROCESSES" 2>/dev/null || ulimit -p "$PROCESSES" 2>/dev/null
echo 1000 2>/dev/null > /proc/self/oom_score_adj
cd {BOX} && mkdir -p work home tmp || exit {SETUP}
echo "net $(readlink /proc/self/ns/net)"
echo "pid $(readlink /proc/self/ns/pid)"
echo "uid $(id -u)"
while read -r row; do case "$row" in *:*) echo "interface ${{row%%:*}}";; esac; done < /proc/net/dev
env | while IFS='=' read -r name _; do echo "variable $name"; done
IFS= read -r places
for place in $places; do echo "place $(stat -c %d:%i "$place" 2>/dev/null) $place"; done
for folder in / /usr /etc /dev /proc/sys/kernel /sys; do
  ( : > "$folder/.deeprepo-probe" ) 2>/dev/null && echo "writes $folder"
done
while read -r name value; do case "$name" in CapEff:|NoNewPrivs:) echo "$name $value";; esac; done < /proc/self/status
unset places
echo "{REPORTED}"
tar -x -o -f - -C {BOX} 2>/dev/null || exit {SETUP}
unset PROCESSES OLDPWD
cd {WORK} || exit {SETUP}
echo "{READY}"
"""
RUN = 'command -p nice -n 5 /bin/sh -c "$1" </dev/null 2>&1\nexit $?\n'
# The command's files go to standard output, and its output to standard error.
KEEP = (
    f'command -p nice -n 5 /bin/sh -c "$1" </dev/null >&2 2>&1 || exit $?\ncommand -p tar -c -f - -C {BOX} work home\n'
)


def script(*, keep: bool) -> str:
    """Return the script of the first process. The script's first argument is the command to run.

    With `keep`, the script writes an archive of the files that the command leaves to standard output.
    """
    return SCRIPT + (KEEP if keep else RUN)


def arguments(sandbox: Sandbox, run: SandboxRun, variables: Mapping[str, str], name: str) -> list[str]:
    """Return the container's command line up to the script. `name` is the container's name.

    The first process is `timeout`, which nothing inside can kill. So the container ends even if the process
    that started it is killed.
    """
    caps = run.limits
    return [
        sandbox.program, "run", "--rm", "--interactive", "--name", name, "--pull", "never", "--log-driver", "none",
        "--network", "bridge" if run.network else "none", "--ipc", "private", "--hostname", "box",
        "--read-only", "--user", f"{NOBODY}:{NOBODY}", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
        "--pids-limit", str(caps.processes), "--memory", str(caps.memory + caps.disk), "--memory-swap", str(caps.memory + caps.disk),
        "--shm-size", str(SHM_BYTES), "--ulimit", "core=0:0",
        "--tmpfs", f"{BOX}:rw,exec,nosuid,nodev,size={caps.disk},mode=1777",
        "--tmpfs", f"/tmp:rw,exec,nosuid,nodev,size={SHM_BYTES},mode=1777",  # noqa: S108 - in the sandbox
        *(word for key, value in variables.items() for word in ("--env", f"{key}={value}")),
        "--workdir", BOX, "--entrypoint", "timeout", sandbox.image, "-s", "KILL", f"{caps.seconds + GRACE:.0f}", "sh",
    ]  # fmt: skip


def places() -> dict[str, str]:
    """Return the folders of this machine that must be invisible in a container: device and inode -> path."""
    names = dict.fromkeys(map(str, (Path.home(), Path.cwd(), "/root", "/home", "/var", "/etc")))
    return {identity: name for name in names if (identity := _identity(name))}


def reachable(report: Sequence[str], sandbox: Sandbox, run: SandboxRun) -> tuple[str, ...]:
    """Return phrases for what the probe could reach. An incomplete report counts as reaching everything."""
    values: dict[str, list[str]] = {}
    for line in report:
        name, _, value = line.partition(" ")
        values.setdefault(name, []).append(value)
    missing = [name for name in REQUIRED_PROBES if not any(values.get(name, ()))]
    if missing:
        return (f"anything: its probe did not report {', '.join(missing)}",)
    seen = [known for row in values.get("place", ()) if (known := places().get(row.partition(" ")[0]))]
    extra = sorted({*values.get("variable", ())} - {*sandbox.environment()} - SHELL)
    online = values["net"] == [_namespace("net")] or bool({*values.get("interface", ())} - {"lo"})
    found = {
        "the network": online and not run.network,
        "other processes": values["pid"] == [_namespace("pid")],
        f"environment variables ({', '.join(extra)})": extra,
        f"folders of this machine ({', '.join(seen)})": seen,
        f"files outside of its own folder ({', '.join(values.get('writes', ()))})": "writes" in values,
        "privileges": int(values["CapEff:"][0], 16) or values["NoNewPrivs:"] != ["1"] or values["uid"] == ["0"],
    }
    return tuple(words for words, reached in found.items() if reached)


def _namespace(kind: str) -> str:
    path = Path("/proc/self/ns", kind)
    return str(path.readlink()) if path.exists() else ""


def _identity(name: str) -> str:
    try:
        known = os.stat(name)  # noqa: PTH116 - matches `stat -c` in the script
    except OSError:
        return ""
    return f"{known.st_dev}:{known.st_ino}"


class SandboxRefused(DeepRepoError):  # noqa: N818 - an outcome of the probe
    """Nothing was run, for example because there is no working sandbox. The message says what to do.

    `output` is the output of the install command if that failed.
    """

    def __init__(self, sentence: str, output: str = "") -> None:
        super().__init__(sentence)
        self.output = output


def choose(permission: RunPermission, image: str | None) -> Sandbox:
    """Return docker, or podman if docker is not installed. Raises SandboxRefused if neither can be used."""
    if not image:
        raise SandboxRefused("no tests were run: name an image in `run.image` of .deeprepo.yml")
    programs = (_program(name, permission.programs.get("PATH", "")) for name in PROGRAMS)
    if (program := next(filter(None, programs), None)) is None:
        raise SandboxRefused("no tests were run: neither docker nor podman was found. Install one of them")
    return Sandbox(program, image, permission.programs)


def _program(name: str, path: str) -> str | None:
    """Relative folders are ignored, because they could be in the repository."""
    found = (Path(folder, name) for folder in path.split(":") if Path(folder).is_absolute())
    return next((str(one) for one in found if one.is_file() and os.access(one, os.X_OK)), None)
