"""What the probe in a sandbox reports, and whether the sandbox holds: nothing of network, home, environment or foreign processes."""

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.review.running.values import Run, Sandbox

FEW = 24  # processes that a sandbox has while it is probed
SHELL = {
    "PWD",
    "OLDPWD",
    "SHLVL",
    "_",
    "PLACES",
    "PORT",
    "PROCESSES",
    "container",
    "HOSTNAME",
}  # variables of the script itself
NEEDED = ("net", "pid", "uid", "processes", "CapEff:", "NoNewPrivs:")


@dataclass(frozen=True, slots=True)
class Outside:
    """What this machine is seen from outside of the sandbox."""

    net: str
    pid: str
    places: tuple[tuple[str, str], ...]  # of folders that nobody may see: device and inode, path
    port: int  # somebody listens there


@contextmanager
def outside() -> Iterator[Outside]:
    """What the probe must not reach. While it works a socket listens on loopback."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        own = Path("/proc/self/ns")
        names = dict.fromkeys(map(str, (Path.home(), Path.cwd(), "/root", "/home", "/var", "/etc")))
        places = [(about, name) for name in names if (about := _identity(name))]
        yield Outside(
            str((own / "net").readlink()) if own.exists() else "",
            str((own / "pid").readlink()) if own.exists() else "",
            tuple(places),
            listener.getsockname()[1],
        )


def reachable(report: Sequence[str], outer: Outside, sandbox: Sandbox, run: Run) -> tuple[str, ...]:
    """Return what the probe has reached, as words; a report that lacks something has reached everything."""
    rows = [row.partition(" ")[::2] for row in report]
    values: dict[str, list[str]] = {}
    for name, value in rows:
        values.setdefault(name, []).append(value)
    missing = [name for name in NEEDED if not any(values.get(name, ()))]
    if missing:
        return (f"anything: its probe did not report {', '.join(missing)}",)
    known = dict(outer.places)
    seen = [known[about] for value in values.get("place", ()) if (about := value.partition(" ")[0]) in known]
    extra = sorted(set(values.get("variable", ())) - set(sandbox.environment(run)) - SHELL)
    privileged = int(values["CapEff:"][0], 16) or values["NoNewPrivs:"] != ["1"] or values["uid"] == ["0"]
    alone = values["pid"] != [outer.pid] and int(values["processes"][0]) <= FEW
    online = values["net"] == [outer.net] or bool(set(values.get("interface", ())) - {"lo"})
    found = {
        "the network": online and not run.network,
        f"a socket of this machine ({values.get('connects', [''])[0]})": "connects" in values and not run.network,
        "foreign processes": not alone,
        f"environment variables ({', '.join(extra)})": extra,
        f"folders of this machine ({', '.join(seen)})": seen,
        f"files outside of its own folder ({', '.join(values.get('writes', ()))})": "writes" in values,
        "privileges": privileged,
    }
    return tuple(words for words, reachable in found.items() if reachable)


def _identity(name: str) -> str:
    try:
        known = os.stat(name)  # noqa: PTH116 - beside `stat -c` of the script
    except OSError:
        return ""
    return f"{known.st_dev}:{known.st_ino}"
