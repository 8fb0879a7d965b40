"""ShellCheck over the changed shell scripts, by their suffix. It follows no `source` and reads no settings."""

import re
from collections.abc import Iterable, Sequence
from posixpath import splitext
from typing import Any

from bot.analyzers.linters import Directives, Ending, Linter, LintReport

SUFFIXES = frozenset({".sh", ".bash", ".ksh"})


def _name(path: str) -> str | None:
    suffix = splitext(path)[1].lower()
    return f"f{suffix}" if suffix in SUFFIXES else None


def _arguments(codes: Sequence[str], names: Sequence[str]) -> list[str]:
    numbers = ",".join(code.removeprefix("SC") for code in codes)
    return ["--norc", "--format", "json1", "--include", numbers, "--", *names]


def _read(output: Any) -> Iterable[LintReport]:  # noqa: ANN401 - JSON
    for row in output["comments"]:
        yield LintReport(row["file"], f"SC{row['code']}", row["line"], row["message"])


LINTER = Linter(
    "shellcheck",
    "shell scripts",
    ("shellcheck.toml",),
    _name,
    _arguments,
    _read,
    Directives(re.compile(rb"(?i)shellcheck"), b"#"),
    Ending(b"\n[ here = end ]\n", "SC2050"),
)
