"""Write to the log of a step.

The runner executes workflow commands that it finds in the log, and a title or a path could look like one.
That is why commands are stopped except while we write our own.
"""

import secrets
from collections.abc import Callable, Iterable, Mapping

from bot.values import Annotation

COMMAND_LEVELS = {"failure": "error", "warning": "warning", "notice": "notice"}
MAX_ANNOTATIONS = 10  # GitHub's limit for each level in a step
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


class Console:
    """Writes to the step's log. It is mutable, because it remembers the token that resumes commands."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._stop_commands()

    def say(self, text: str) -> None:
        """Write text for people."""
        for line in text.splitlines():
            self._write(line)

    def annotate(self, annotations: Iterable[Annotation]) -> None:
        """Annotate files. Of each level, only the first annotations up to GitHub's limit are written."""
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
        """Write an annotation for the whole step."""
        self._send([_command(level, text, {"title": "deeprepo"})])

    def resume_commands(self) -> None:
        """Let the runner execute commands again."""
        self._write(f"::{self._token}::")

    def _send(self, rows: Iterable[str]) -> None:
        self.resume_commands()
        for line in rows:
            self._write(line)
        self._stop_commands()

    def _stop_commands(self) -> None:
        self._token = secrets.token_hex(16)
        self._write(f"::stop-commands::{self._token}")


def _command(name: str, text: str, facts: Mapping[str, str]) -> str:
    fields = ",".join(f"{key}={value.translate(_PROPERTY)}" for key, value in facts.items())
    return f"::{name} {fields}::{text.translate(_DATA)}"
