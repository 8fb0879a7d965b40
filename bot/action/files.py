"""The files of a step: where the runner looks for outputs and the job summary, and what a workflow asks to be written."""

import errno
import os
import secrets
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bot.config.action import RunnerVariables
from bot.errors import UsageError
from bot.findings import reported


def put(path: Path | None, values: Mapping[str, str]) -> None:
    """The outputs. No value can end its own text: the line that does is drawn by lot."""
    if path is None:
        return
    with path.open("a", encoding="utf-8") as file:
        for name, value in values.items():
            end = secrets.token_hex(16)
            file.write(f"{name}<<{end}\n{value}\n{end}\n")


def append(path: Path | None, text: str) -> None:
    """The job summary."""
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)


def place(wanted: Path, runner: RunnerVariables) -> Path:
    """Where a file of this name goes. Links that the workspace holds lead nowhere else. Raises UsageError."""
    path = runner.github_workspace / wanted
    try:
        folder, taken = path.parent.resolve(strict=True), path.is_dir()
    except OSError as error:
        said = error.strerror if error.errno == errno.ENAMETOOLONG else f"there is no folder {wanted.parent}"
        raise UsageError(f"{wanted} cannot be written: {said}") from None
    homes = [home.resolve() for home in (runner.github_workspace, runner.runner_temp) if home is not None]
    if not any(folder.is_relative_to(home) for home in homes):
        raise UsageError(
            f"{wanted} cannot be written: it is neither in the workspace nor in the runner's temporary folder"
        )
    if taken:
        raise UsageError(f"{wanted} cannot be written: it is a folder")
    return folder / path.name


def reports(names: str, runner: RunnerVariables) -> tuple[tuple[str, bytes], ...]:
    """The name and the content of each file on a line, at most a byte more than is read. Raises UsageError."""
    found = []
    for name in filter(None, map(str.strip, names.splitlines())):
        path = place(Path(name), runner)
        try:
            if not path.resolve(strict=True).is_relative_to(path.parent):
                raise UsageError(f"the input sarif-reports: {name} leads to another folder")
            with path.open("rb") as file:
                found.append((name, file.read(reported.MOST_BYTES + 1)))
        except OSError as error:
            raise UsageError(f"the input sarif-reports: {name} cannot be read: {error.strerror}") from error
    return tuple(found)


def write(path: Path, text: str) -> None:
    """A file, whole or not at all; a link of this name is replaced, not followed."""
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".deeprepo-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    Path(scratch).chmod(0o644)
    Path(scratch).replace(path)
