"""Hadolint over the changed Dockerfiles, with ShellCheck's rules for their RUN lines."""

from collections.abc import Iterable, Sequence
from posixpath import basename
from typing import Any

from bot.analyzers.linters import Linter, LintReport


def _name(path: str) -> str | None:
    name = basename(path)
    return "Dockerfile" if name in ("Dockerfile", "Containerfile") or name.endswith(".Dockerfile") else None


def _arguments(_: Sequence[str], names: Sequence[str]) -> list[str]:
    return ["--config", "hadolint.yaml", "--no-fail", "--format", "json", *names]


def _read(printed: Any) -> Iterable[LintReport]:  # noqa: ANN401 - JSON
    for row in printed:
        yield LintReport(row["file"], row["code"], row["line"], row["line"], row["message"])


LINTER = Linter(
    "hadolint",
    "Dockerfiles",
    ("hadolint.toml", "shellcheck.toml"),
    _name,
    _arguments,
    _read,
    {"hadolint.yaml": b"{}\n"},
)
