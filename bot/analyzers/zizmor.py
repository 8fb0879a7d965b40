"""Zizmor over the changed workflows and actions of GitHub, without network."""

from collections.abc import Iterable, Sequence
from posixpath import basename, dirname
from typing import Any

from bot.analyzers.linters import Linter, LintReport


def _name(path: str) -> str | None:
    if dirname(path) == ".github/workflows" and path.endswith((".yml", ".yaml")):
        return ".github/workflows/w.yml"
    return "action.yml" if basename(path) in ("action.yml", "action.yaml") else None


def _arguments(_: Sequence[str], names: Sequence[str]) -> list[str]:
    return [
        "--offline",
        "--no-config",
        "--no-progress",
        "--quiet",
        "--no-exit-codes",
        "--format",
        "json-v1",
        "--",
        *names,
    ]


def _read(printed: Any) -> Iterable[LintReport]:  # noqa: ANN401 - JSON
    """The audit's own confidence decides whether a report stands without a second opinion."""
    for row in printed:
        if row["ignored"]:
            continue
        place = next(each for each in row["locations"] if each["symbolic"]["kind"] == "Primary")
        span = place["concrete"]["location"]
        path = place["symbolic"]["key"]["Local"]["verbatim_path"]
        said = place["symbolic"]["annotation"] or row["desc"]
        sure = row["determinations"]["confidence"] == "High"
        yield LintReport(path, row["ident"], span["start_point"]["row"] + 1, span["end_point"]["row"] + 1, said, sure)


LINTER = Linter(
    "zizmor", "GitHub workflows and actions", ("zizmor.toml",), _name, _arguments, _read, silent=frozenset({1, 3})
)
