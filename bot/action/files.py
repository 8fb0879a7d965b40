"""Read and write a step's files: outputs and job summary for the runner, and files named in inputs."""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from bot.config.action import Inputs, RunnerVariables
from bot.errors import UsageError
from bot.findings import sarif_results
from bot.machine import files
from bot.stored import reviews


def write_outputs(path: Path | None, values: Mapping[str, str]) -> None:
    """Write the step's outputs. Delimiters are random, so that no value can contain its own."""
    delimiters = {name: secrets.token_hex(16) for name in values}
    append(
        path, "".join(f"{name}<<{delimiters[name]}\n{value}\n{delimiters[name]}\n" for name, value in values.items())
    )


def append(path: Path | None, text: str) -> None:
    """Append to a file that the runner reads, such as the job summary. Do nothing if `path` is None."""
    if path is not None:
        with files.append(path, below=path.parent) as file:
            file.write(text)


def writable_path(path_input: Path, runner: RunnerVariables) -> Path:
    """Return the absolute path of a file that the step will write. Raises UsageError if it can't be written.

    The file must be in the workspace or in the runner's temporary folder, and no part of its path may be a
    link.
    """
    path, root = _resolve(path_input, runner)
    files.ready(path, below=root)
    return path


def previous(path_input: Path, runner: RunnerVariables) -> bytes | None:
    """Return the contents of the previous review's file, or None if it doesn't exist. Raises UsageError."""
    path, root = _resolve(path_input, runner)
    return files.content(path, reviews.MAX_BYTES + 1, below=root, label="the input previous: ")


def write(path_input: Path, text: str, runner: RunnerVariables) -> Path:
    """Write a file atomically, and return its absolute path. Raises UsageError."""
    path, root = _resolve(path_input, runner)
    files.write(path, text, below=root)
    return path


def _resolve(path: Path, runner: RunnerVariables) -> tuple[Path, Path]:
    """Return a file's absolute path, and the trusted folder that contains it. Raises UsageError."""
    whole = Path(os.path.normpath(runner.github_workspace / path))
    for folder in (runner.github_workspace, runner.runner_temp):
        if folder is not None and Path(os.path.normpath(folder)) in whole.parents:
            return whole, folder
    raise UsageError(f"{path} must be in the workspace or in the runner's temporary folder")


def deciding(inputs: Inputs, runner: RunnerVariables) -> tuple[tuple[str, str], ...]:
    """Return the files that affect what is read or reported, as input and path. Raises UsageError."""
    sources = [("the input previous", inputs.previous)] if inputs.previous else []
    sources += [("the input sarif-reports", Path(name)) for name in _lines(inputs.sarif_reports)]
    return tuple((label, str(_resolve(path, runner)[0])) for label, path in sources)


def _lines(names: str) -> list[str]:
    return [*filter(None, map(str.strip, names.splitlines()))]


def reports(names: str, runner: RunnerVariables) -> tuple[tuple[str, bytes], ...]:
    """Return the name and contents of each SARIF file. `names` has one name per line. Raises UsageError.

    Files above the size limit are cut one byte after it, so that the parser notices.
    """
    contents = []
    for name in _lines(names):
        path, root = _resolve(Path(name), runner)
        data = files.content(path, sarif_results.MAX_SARIF_BYTES + 1, below=root, label="the input sarif-reports: ")
        if data is None:
            raise UsageError(f"the input sarif-reports: {name} cannot be read: there is no such file")
        contents.append((name, data))
    return tuple(contents)
