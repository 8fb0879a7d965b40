"""Zizmor over the changed workflows and actions of GitHub, without network."""

import re
from collections.abc import Collection, Iterable, Sequence
from posixpath import basename, dirname
from typing import Any

from bot.analyzers.linters import Linter, LintReport
from bot.analyzers.suppression import Directives

# What strangers write, by GitHub's own list of untrusted input. Zizmor also reports a workflow's own variables, secrets and inputs.
STRANGERS = re.compile(
    r"github\.head_ref\b|github\.event\.(?:[\w.*\[\]-]{1,80}\.)?"
    r"(?:body|title|message|page_name|default_branch|head_branch|head\.(?:ref|label)|(?:author|committer)\.(?:email|name))\b"
)

COMPLETED = re.compile(r" *INFO audit: zizmor: \S{1,4} completed \S+")
REFUSED = "WARN collect_inputs:"
# Printed once for a whole run, about steps that it reads like any others.
PARALLEL = re.compile(
    r' *WARN audit:audit\{ident="[\w-]+" input=\w+\(file://[^()\s]+\)\}: zizmor::models::workflow: one or more inputs .*'
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
        "--no-exit-codes",
        "--format",
        "json-v1",
        "--",
        *names,
    ]


def _read(output: Any) -> Iterable[LintReport]:  # noqa: ANN401 - JSON
    """The audit's own confidence decides whether a report stands without a second opinion."""
    for row in output:
        if row["ignored"]:
            continue
        place = next(each for each in row["locations"] if each["symbolic"]["kind"] == "Primary")
        span = place["concrete"]["location"]
        path = place["symbolic"]["key"]["Local"]["verbatim_path"]
        text = place["symbolic"]["annotation"] or row["desc"]
        if row["ident"] == "template-injection" and not STRANGERS.search(place["concrete"]["feature"]):
            continue
        sure = row["determinations"]["confidence"] == "High"
        yield LintReport(path, row["ident"], span["start_point"]["row"] + 1, span["end_point"]["row"] + 1, text, sure)


def _complete(log: str, names: Collection[str]) -> Collection[str]:
    """The files that it completed without a warning about them.

    A warning repeats text of the file, which may look like a line of the log: so the files that could not be taken in are counted too.
    """
    lines = log.splitlines()
    warnings = [line for line in lines if line.lstrip().startswith(("WARN", "ERROR")) and not PARALLEL.fullmatch(line)]
    complete = {
        name for name in names if any(COMPLETED.fullmatch(line) and line.endswith(f" {name}") for line in lines)
    }
    refusals = sum(REFUSED in line for line in warnings)
    if len(complete) + refusals != len(names):
        return frozenset()
    return {name for name in complete if not any(f"file://{name})" in line for line in warnings)}


LINTER = Linter(
    "zizmor",
    "GitHub workflows and actions",
    ("zizmor.toml",),
    _name,
    _arguments,
    _read,
    Directives(re.compile(rb"(?i)zizmor"), b"#"),
    _complete,
    silent=frozenset({1, 3}),
)
