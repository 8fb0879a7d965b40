"""Processes of this machine, as tests and benches look for those that should be gone."""

from pathlib import Path


def alive(mark: str) -> list[str]:
    """List the arguments of each process that have a word in them, zombies left out."""
    rows = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (entry / "cmdline").read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if mark in arguments:
            rows.append(arguments)
    return rows
