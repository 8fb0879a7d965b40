"""Run Zizmor on changed GitHub workflows and actions, without network access."""

import re
from collections.abc import Collection, Iterable, Sequence
from types import MappingProxyType
from typing import Any

from bot.analyzers.linters import Directives, Linter, LintReport
from bot.file_kinds import is_action
from deeprepo.impact.text.paths import is_workflow

# Values that strangers control, by GitHub's list of untrusted input; zizmor also reports values that only owners set.
TEXTS = r"(?:issue|comment|review\w*|discussion|pull_request(?!\.base\b)|head_commit|commits|pages|workflow_run)\b"
STRANGERS = re.compile(
    rf"\bgithub\.(?:head_ref\b|event(?:\.{TEXTS}(?:[\w.*-]{{0,200}}\.(?:body|title|message|page_name|default_branch|head_branch|ref|label|email|name)\b"
    r"|(?![\w.-]))|(?![\w.-])))"
)
INDEX = re.compile(r"\[\s?'?([\w*-]{1,80})'?\s?\]")
COMPLETED = re.compile(r" *INFO audit: zizmor: \S{1,4} completed \S+")
REFUSED = "WARN collect_inputs:"
# Printed once per run, about steps that it checks like any others.
PARALLEL = re.compile(
    r' *WARN audit:audit\{ident="[\w-]+" input=\w+\(file://[^()\s]+\)\}: zizmor::models::workflow: one or more inputs .*'
)


def _is_of_strangers(text: str) -> bool:
    """Return whether an expression in a text has a value that strangers control: `github.event['issue'].title`."""
    expressions = [part.partition("}}")[0] for part in text.split("${{")[1:]] or [text]
    return any(STRANGERS.search(INDEX.sub(r".\1", one.lower())) for one in expressions)


class Zizmor(Linter):
    """Checks workflows and actions."""

    NAME = "zizmor"
    names = MappingProxyType({".github/workflows/w.yml": is_workflow, "action.yml": is_action})
    tables = ("zizmor.toml",)
    comments = Directives(b"zizmor", b"#")
    silent = frozenset({1, 3})

    def arguments(self, _codes: Sequence[str], names: Sequence[str], /) -> list[str]:
        """Return arguments for an offline run without settings."""
        return ["--offline", "--no-config", "--no-progress", "--no-exit-codes", "--format", "json-v1", "--", *names]

    def read(self, output: Any) -> Iterable[LintReport]:  # noqa: ANN401 - JSON
        """Yield the reports. The audit's own confidence decides whether a report needs a confirmation."""
        for entry in output:
            if entry["ignored"]:
                continue
            place = next(each for each in entry["locations"] if each["symbolic"]["kind"] == "Primary")
            span = place["concrete"]["location"]
            path = place["symbolic"]["key"]["Local"]["verbatim_path"]
            text = place["symbolic"]["annotation"] or entry["desc"]
            if entry["ident"] == "template-injection" and not _is_of_strangers(place["concrete"]["feature"]):
                continue
            sure = entry["determinations"]["confidence"] == "High"
            yield LintReport(path, entry["ident"], span["start_point"]["row"] + 1, text, sure)

    def completed(self, log: str, names: Collection[str], /) -> Collection[str]:
        """Return the files that were completed without a warning.

        A warning quotes text of the file, which may resemble a line of the log. So refused files are counted
        too.
        """
        lines = log.splitlines()
        warnings = [
            line for line in lines if line.lstrip().startswith(("WARN", "ERROR")) and not PARALLEL.fullmatch(line)
        ]
        complete = {
            name for name in names if any(COMPLETED.fullmatch(line) and line.endswith(f" {name}") for line in lines)
        }
        refusals = sum(REFUSED in line for line in warnings)
        if len(complete) + refusals != len(names):
            return frozenset()
        return {name for name in complete if not any(f"file://{name})" in line for line in warnings)}


ANALYZER = Zizmor
