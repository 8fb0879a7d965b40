"""What the probe in a sandbox reports, and whether the sandbox holds: nothing of network, home, environment or foreign processes."""

import os
from collections.abc import Sequence
from pathlib import Path

from bot.run.values import Run, Sandbox

# Variables of the script itself.
SHELL = {"PWD", "OLDPWD", "SHLVL", "_", "PLACES", "PROCESSES", "container", "HOSTNAME"}
NEEDED = ("net", "pid", "uid", "CapEff:", "NoNewPrivs:")


def places() -> dict[str, str]:
    """The folders of this machine that nobody in a sandbox may see: device and inode -> path."""
    names = dict.fromkeys(map(str, (Path.home(), Path.cwd(), "/root", "/home", "/var", "/etc")))
    return {identity: name for name in names if (identity := _identity(name))}


def reachable(report: Sequence[str], sandbox: Sandbox, run: Run) -> tuple[str, ...]:
    """Return what the probe has reached, as words; a report that lacks something has reached everything."""
    values: dict[str, list[str]] = {}
    for row in report:
        name, _, value = row.partition(" ")
        values.setdefault(name, []).append(value)
    missing = [name for name in NEEDED if not any(values.get(name, ()))]
    if missing:
        return (f"anything: its probe did not report {', '.join(missing)}",)
    seen = [known for row in values.get("place", ()) if (known := places().get(row.partition(" ")[0]))]
    extra = sorted({*values.get("variable", ())} - {*sandbox.environment()} - SHELL)
    online = values["net"] == [_namespace("net")] or bool({*values.get("interface", ())} - {"lo"})
    found = {
        "the network": online and not run.network,
        "foreign processes": values["pid"] == [_namespace("pid")],
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
        known = os.stat(name)  # noqa: PTH116 - beside `stat -c` of the script
    except OSError:
        return ""
    return f"{known.st_dev}:{known.st_ino}"
