"""The log of a step. The runner takes commands from it, and a title or a path may look like one: commands are switched off but for ours."""

import secrets
from collections.abc import Callable, Iterable, Mapping

from bot.values import Annotation

COMMAND_LEVELS = {"failure": "error", "warning": "warning", "notice": "notice"}
MAX_ANNOTATIONS = 10  # annotations of a kind that a step may make
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


class Console:
    """Where a step speaks. Not frozen: it knows the word that lets the runner listen again."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._stop_commands()

    def say(self, text: str) -> None:
        """Write words for people."""
        for line in text.splitlines():
            self._write(line)

    def annotate(self, annotations: Iterable[Annotation]) -> None:
        """Make annotations of files, worst first as they are given: as many of each kind as the runner takes."""
        counts = dict.fromkeys(COMMAND_LEVELS, 0)
        rows = []
        for annotation in annotations:
            counts[annotation.level] += 1
            if counts[annotation.level] <= MAX_ANNOTATIONS:
                where = {
                    "file": annotation.path,
                    "line": str(annotation.start),
                    "endLine": str(annotation.end),
                    "title": annotation.title,
                }
                rows.append(_command(COMMAND_LEVELS[annotation.level], annotation.message, where))
        self._send(rows)

    def headline(self, level: str, text: str) -> None:
        """Write one annotation of the whole step."""
        self._send([_command(level, text, {"title": "deeprepo"})])

    def end(self) -> None:
        """Let the runner listen again."""
        self._write(f"::{self._word}::")

    def _send(self, rows: Iterable[str]) -> None:
        self.end()
        for line in rows:
            self._write(line)
        self._stop_commands()

    def _stop_commands(self) -> None:
        self._word = secrets.token_hex(16)
        self._write(f"::stop-commands::{self._word}")


def _command(name: str, text: str, facts: Mapping[str, str]) -> str:
    fields = ",".join(f"{key}={value.translate(_PROPERTY)}" for key, value in facts.items())
    return f"::{name} {fields}::{text.translate(_DATA)}"
