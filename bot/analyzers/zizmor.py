"""Zizmor over the changed workflows and actions of GitHub, without network."""

import re
from collections.abc import Iterable, Sequence
from posixpath import basename, dirname
from typing import Any

from bot.analyzers.linters import Linter, LintReport

# What strangers write, by GitHub's own list of untrusted input. Zizmor also reports a workflow's own variables, secrets and inputs.
STRANGERS = re.compile(
    r"github\.head_ref\b|github\.event\.(?:[\w.*\[\]-]{1,80}\.)?"
    r"(?:body|title|message|page_name|default_branch|head_branch|head\.(?:ref|label)|(?:author|committer)\.(?:email|name))\b"
)


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
        if row["ident"] == "template-injection" and not STRANGERS.search(place["concrete"]["feature"]):
            continue
        sure = row["determinations"]["confidence"] == "High"
        yield LintReport(path, row["ident"], span["start_point"]["row"] + 1, span["end_point"]["row"] + 1, said, sure)


LINTER = Linter(
    "zizmor", "GitHub workflows and actions", ("zizmor.toml",), _name, _arguments, _read, silent=frozenset({1, 3})
)
