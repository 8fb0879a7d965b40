"""Build the command lines of the sandboxes, and the script of the first process inside.

bubblewrap: separate namespaces for everything, a read-only /usr, and one writable folder in memory. docker
and podman: a read-only container without network or privileges, as an unprivileged user.

The first process probes the sandbox, waits for the tree, unpacks it, and runs the command. Nothing inside can
end it, because the kernel blocks signals from inside to a sandbox's first process. When it ends, everything
inside ends. It only uses a POSIX shell, `tar` and standard tools, so any image works. `command -p` finds the
system's tools, because folders of the tree come first in PATH.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.features.reproduction.values import BOX, WORK, Sandbox, SandboxRun

NOBODY = 65534  # id of the user that runs the code
SHM_BYTES = 64 << 20  # bytes of /dev/shm
DESCRIPTORS = 4_096  # open files per process, because the kernel buffers what is written to pipes and sockets
GRACE = 60  # seconds for the probe and unpacking; a container stops after these plus its time limit
SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")  # links into /usr on most systems
# Files in /etc with which programs find libraries and certificates. None of them contains an account, a host
# or a secret.
ETC_FILES = (
    "alternatives", "ca-certificates", "ca-certificates.conf", "java-11-openjdk", "java-17-openjdk", "java-21-openjdk", "java-25-openjdk",
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "maven", "pki/tls/certs", "ssl/certs", "ssl/openssl.cnf",
)  # fmt: skip
TMP = "/tmp"  # noqa: S108 - a folder inside the sandbox; tools of this machine may be below it
FILES: Mapping[str, str] = {
    "/etc/passwd": f"root:x:0:0::/:/bin/false\nbox:x:{NOBODY}:{NOBODY}::/box/home:/bin/sh\n",
    "/etc/group": f"root:x:0:\nbox:x:{NOBODY}:\n",
    "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}
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


def bubblewrap(
    sandbox: Sandbox,
    run: SandboxRun,
    variables: Mapping[str, str],
    descriptors: Mapping[str, int],
    filter_fd: int | None,
) -> list[str]:
    """Return bubblewrap's command line up to the script.

    `descriptors` maps each path in `FILES` to a file descriptor with its content. `filter_fd` is the
    descriptor of the system call filter.
    """
    online = ("resolv.conf",) if run.network else ()
    return [
        sandbox.program, "--unshare-all", "--unshare-user", "--disable-userns", *(["--share-net"] if run.network else []),
        "--die-with-parent", "--as-pid-1", "--new-session", "--clearenv",
        "--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "box", "--cap-drop", "ALL",
        "--ro-bind", "/usr", "/usr", *_system(),
        *_mounts("--ro-bind-try", [f"/etc/{name}" for name in (*ETC_FILES, *online)]),
        *(word for path, number in descriptors.items() for word in ("--ro-bind-data", str(number), path)),
        *_mounts("--ro-bind", [tool for tool in sandbox.tools if not tool.startswith(f"{TMP}/")]),
        "--proc", "/proc", "--dev", "/dev",
        "--perms", "1777", "--size", str(SHM_BYTES), "--tmpfs", "/dev/shm",  # noqa: S108 - in the sandbox
        "--remount-ro", "/dev",
        "--size", str(run.limits.disk), "--tmpfs", BOX,
        *(word for tool in sandbox.tools if tool.startswith(f"{TMP}/") for word in ("--ro-bind", tool, f"{BOX}{tool}")),
        "--symlink", f"{BOX}/tmp", TMP, "--dir", "/var", "--symlink", f"{BOX}/tmp", "/var/tmp",  # noqa: S108 - in the sandbox
        "--remount-ro", "/",
        *(["--seccomp", str(filter_fd)] if filter_fd is not None else []),
        "--chdir", BOX, "--", "/usr/bin/env", "-i", *(f"{key}={value}" for key, value in variables.items()), "/bin/sh",
    ]  # fmt: skip


def container(sandbox: Sandbox, run: SandboxRun, variables: Mapping[str, str], name: str) -> list[str]:
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


def _system() -> list[str]:
    words: list[str] = []
    for name in SYSTEM:
        path = Path(name)
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            words += ["--ro-bind", name, name]
    return words


def _mounts(how: str, paths: Sequence[str]) -> list[str]:
    return [word for path in paths for word in (how, path, path)]


def places() -> dict[str, str]:
    """Return the folders of this machine that must be invisible in a sandbox: device and inode -> path."""
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
