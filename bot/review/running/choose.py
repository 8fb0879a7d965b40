"""Which sandbox is used: the one that the operator names, else the first that is there. Without one nothing runs."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.review.running.values import KINDS, Kind, Sandbox, SandboxRefused

PROGRAMS: Mapping[Kind, str] = {"bubblewrap": "bwrap", "docker": "docker", "podman": "podman"}
INSTALL = (
    "install bubblewrap (`apt install bubblewrap`, `dnf install bubblewrap`), or docker or podman and name an image in `run.image` "
    "of .deeprepo.yml"
)


def choose(
    request: str | None, image: str | None, tools: Sequence[str], folders: Sequence[str], client: Mapping[str, str]
) -> Sandbox:
    """Return the sandbox. `folders`: where programs are looked for. Raises SandboxRefused with what to install."""
    known = [kind for kind in KINDS if request in (None, kind)]
    for kind in known:
        program = _program(PROGRAMS[kind], folders)
        if program is None or (kind != "bubblewrap" and not image and request is None):
            continue
        if kind != "bubblewrap" and not image:
            raise SandboxRefused(f"nothing was run: {kind} needs an image: set `run.image` in .deeprepo.yml")
        if kind == "bubblewrap":
            return Sandbox(kind, program, tools=tuple(tools))
        return Sandbox(kind, program, image or "", client=client)
    if request is not None:
        raise SandboxRefused(
            f"nothing was run: {PROGRAMS[known[0]]} was not found, which DEEPREPO_RUN_SANDBOX names: {INSTALL}"
        )
    raise SandboxRefused(f"nothing was run: this machine has no sandbox: {INSTALL}")


def _program(name: str, folders: Sequence[str]) -> str | None:
    """The path of a program in absolute folders alone: an entry such as `.` would lead into the reviewed repository."""
    found = (Path(folder, name) for folder in folders if Path(folder).is_absolute())
    return next((str(path) for path in found if path.is_file() and os.access(path, os.X_OK)), None)
