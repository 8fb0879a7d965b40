"""Hadolint over the changed Dockerfiles, with ShellCheck's rules for their RUN lines."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from bot.analyzers.linters import Directives, Ending, Linter, LintReport
from impact.text.paths import is_dockerfile


def _name(path: str) -> str | None:
    return "Dockerfile" if is_dockerfile(path) else None


def _arguments(_: Sequence[str], names: Sequence[str]) -> list[str]:
    return ["--config", "hadolint.yaml", "--no-fail", "--format", "json", *names]


def _read(output: Any) -> Iterable[LintReport]:  # noqa: ANN401 - JSON
    for row in output:
        yield LintReport(row["file"], row["code"], row["line"], row["message"])


LINTER = Linter(
    "hadolint",
    "Dockerfiles",
    ("hadolint.toml", "shellcheck.toml"),
    _name,
    _arguments,
    _read,
    Directives(re.compile(rb"(?i)hadolint|shellcheck"), b"#"),
    Ending(b"\nEXPOSE 65536\n", "DL3011"),
    {"hadolint.yaml": b"{}\n"},
)
