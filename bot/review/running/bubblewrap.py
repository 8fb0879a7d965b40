"""The command line of bubblewrap: namespaces of its own for everything, /usr read-only, and one folder in memory to write to."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.review.running.values import BOX, NOBODY, SHARED, Run, Sandbox

SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")  # links into /usr on most systems
# What programs need to find libraries, certificates and each other. They hold no account, no host and no secret.
SETTINGS = (
    "alternatives", "ca-certificates", "ca-certificates.conf", "java-11-openjdk", "java-17-openjdk", "java-21-openjdk", "java-25-openjdk",
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "maven", "php", "pki/tls/certs", "ssl/certs", "ssl/openssl.cnf",
)  # fmt: skip
TMP = "/tmp"  # noqa: S108 - a folder of the box inside the sandbox; tools of this machine may lie below it
ONLINE = ("resolv.conf", "hosts")  # for a run with the network
FILES: Mapping[str, str] = {
    "/etc/passwd": f"root:x:0:0::/:/bin/false\nbox:x:{NOBODY}:{NOBODY}::/box/home:/bin/sh\n",
    "/etc/group": f"root:x:0:\nbox:x:{NOBODY}:\n",
    "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}


def command(
    sandbox: Sandbox, run: Run, descriptors: Mapping[str, int], filter_fd: int | None = None, telling: int | None = None
) -> list[str]:
    """Return the arguments up to the program that is to run.

    `given`: a descriptor for each of `FILES`; `telling`: the one that the number of the first process inside is written to.
    """
    return [
        sandbox.program, "--unshare-all", "--unshare-user", "--disable-userns", *(["--share-net"] if run.network else []),
        "--die-with-parent", "--as-pid-1", "--new-session", "--clearenv",
        "--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "box", "--cap-drop", "ALL",
        "--ro-bind", "/usr", "/usr", *_system(),
        *_bound("--ro-bind-try", [f"/etc/{name}" for name in (*SETTINGS, *(ONLINE if run.network else ()))]),
        *(word for path, number in descriptors.items() for word in ("--ro-bind-data", str(number), path)),
        *_bound("--ro-bind", [tool for tool in sandbox.tools if not tool.startswith(f"{TMP}/")]),
        "--proc", "/proc", "--dev", "/dev",
        "--perms", "1777", "--size", str(SHARED), "--tmpfs", "/dev/shm",  # noqa: S108 - in the sandbox
        "--remount-ro", "/dev",
        "--size", str(run.limits.disk), "--tmpfs", BOX,
        *(word for tool in sandbox.tools if tool.startswith(f"{TMP}/") for word in ("--ro-bind", tool, f"{BOX}{tool}")),
        "--symlink", f"{BOX}/tmp", TMP, "--dir", "/var", "--symlink", f"{BOX}/tmp", "/var/tmp",  # noqa: S108 - in the sandbox
        "--remount-ro", "/",
        *(["--seccomp", str(filter_fd)] if filter_fd is not None else []),
        *(["--info-fd", str(telling)] if telling is not None else []),
        "--chdir", BOX, "--",
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


def _bound(how: str, paths: Sequence[str]) -> list[str]:
    return [word for path in paths for word in (how, path, path)]
