"""The files of a step: where the runner looks for outputs and the job summary, and what a workflow asks to be written."""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from bot.config.action import Inputs, RunnerVariables
from bot.errors import UsageError
from bot.findings import sarif_results
from bot.machine import files
from bot.stored import reviews


def put(path: Path | None, values: Mapping[str, str]) -> None:
    """Write the outputs. No value can end its own text: the line that does is drawn by lot."""
    ends = {name: secrets.token_hex(16) for name in values}
    append(path, "".join(f"{name}<<{ends[name]}\n{value}\n{ends[name]}\n" for name, value in values.items()))


def append(path: Path | None, text: str) -> None:
    """Append to the job summary."""
    if path is not None:
        with files.append(path, below=path.parent) as file:
            file.write(text)


def place(path_input: Path, runner: RunnerVariables) -> Path:
    """Return where a file of this name goes: below the workspace or the runner's temporary folder, through no link. Raises UsageError."""
    path, root = _home(path_input, runner)
    files.ready(path, below=root)
    return path


def previous(path_input: Path, runner: RunnerVariables) -> bytes | None:
    """Return the file of the last review, None if there is no such file. Raises UsageError."""
    path, home = _home(path_input, runner)
    return files.content(path, reviews.MAX_BYTES + 1, below=home, label="the input previous: ")


def write(path_input: Path, text: str, runner: RunnerVariables) -> Path:
    """Write a file, whole or not at all. Its path."""
    path, home = _home(path_input, runner)
    files.write(path, text, below=home)
    return path


def _home(path: Path, runner: RunnerVariables) -> tuple[Path, Path]:
    """The whole path of a file, and the folder that the workflow trusts above it."""
    whole = Path(os.path.normpath(runner.github_workspace / path))
    for folder in (runner.github_workspace, runner.runner_temp):
        if folder is not None and Path(os.path.normpath(folder)) in whole.parents:
            return whole, folder
    raise UsageError(f"{path} must be in the workspace or in the runner's temporary folder")


def deciding(inputs: Inputs, runner: RunnerVariables) -> tuple[tuple[str, str], ...]:
    """Return the input and the path of each file that decides what is read or reported. Raises UsageError."""
    sources = [("the input previous", inputs.previous)] if inputs.previous else []
    sources += [("the input sarif-reports", Path(name)) for name in _lines(inputs.sarif_reports)]
    return tuple((label, str(_home(path, runner)[0])) for label, path in sources)


def _lines(names: str) -> list[str]:
    return [*filter(None, map(str.strip, names.splitlines()))]


def reports(names: str, runner: RunnerVariables) -> tuple[tuple[str, bytes], ...]:
    """Return the name and the content of each file on a line, at most a byte more than is read. Raises UsageError."""
    contents = []
    for name in _lines(names):
        path, root = _home(Path(name), runner)
        data = files.content(path, sarif_results.MAX_SARIF_BYTES + 1, below=root, label="the input sarif-reports: ")
        if data is None:
            raise UsageError(f"the input sarif-reports: {name} cannot be read: there is no such file")
        contents.append((name, data))
    return tuple(contents)
