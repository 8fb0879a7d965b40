"""Run Zizmor on changed GitHub workflows and actions, without network access."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from bot.analyzers.linters import Directives, Linter, LintReport
from bot.file_kinds import is_action
from deeprepo.impact.text.paths import is_workflow

# Values that strangers control, by GitHub's list of untrusted input.
STRANGERS = re.compile(
    r"github\.head_ref\b|github\.event(?:\.[\w*-]{1,80}){0,8}?\."
    r"(?:body|title|message|page_name|default_branch|head_branch|head\.(?:ref|label)|(?:author|committer)\.(?:email|name))\b"
    r"|^github(?:\.event(?:\.(?:issue|comment|pull_request|review|discussion|head_commit|workflow_run|(?:commits|pages)(?:\.\*)?))?)?$"
)
# Values that strangers cannot choose, although zizmor reports them: a workflow's own values, numbers, hashes,
# names of accounts and of the owner's branches, and what only people with write access set, such as the
# default branch, a release or a payload sent with a token.
OWN_AUDITS = re.compile(
    r"(?:env|vars|secrets|inputs|matrix|steps|needs|jobs|job|runner|strategy)(?:\..*)?|true|false|null"
    r"|github\.(?!head_ref|event\b)[\w-]+"
    r"|github\.event\.(?:inputs|repository|organization|enterprise|installation|client_payload|release|milestone|label|schedule|deployment\w*)(?:\..*)?"
    r"|github\.event(?:\.[\w*-]+)*?\.base(?:\..*)?"
    r"|github\.event(?:\.[\w*-]+)*?\.(?:action|after|before|sha|number|id|node_id|url|html_url|login|state|draft|merged|full_name|tag_name|labels?(?:\.\*)?\.name|\w+_(?:at|id|sha|url|count))"
)
TEXT = re.compile(r"'(?:[^']|'')*'")
INDEX = re.compile(r"\[\s?'([\w*-]{1,80})'\s?\]")
ANY_INDEX = re.compile(r"\[[^\[\]]{0,200}\]")
REFERENCE = re.compile(r"[a-z_][\w-]*+(?:\s?\.\s?[\w*-]+)*+(?!\s?\()")

COMPLETED = re.compile(r" *INFO audit: zizmor: \S{1,4} completed \S+")
REFUSED = "WARN collect_inputs:"
# Printed once per run, about steps that it checks like any others.
PARALLEL = re.compile(
    r' *WARN audit:audit\{ident="[\w-]+" input=\w+\(file://[^()\s]+\)\}: zizmor::models::workflow: one or more inputs .*'
)


def _references(text: str) -> list[str]:
    """Return the values in a text's expressions, in one spelling.

    For example, `github.EVENT['issue'].title` becomes `github.event.issue.title`.
    """
    expression = " ".join(part.partition("}}")[0] for part in text.split("${{")[1:]) or text
    text = ANY_INDEX.sub(lambda match: f".* {match[0][1:-1]} ", INDEX.sub(r".\1", expression.lower()))
    # Includes those within an index.
    return ["".join(name.split()) for name in REFERENCE.findall(TEXT.sub(" ", text))]


class Zizmor(Linter):
    """Checks workflows and actions."""

    NAME = "zizmor"
    READS = "GitHub workflows and actions"
    tables = ("zizmor.toml",)
    comments = Directives(re.compile(rb"(?i)zizmor"), b"#")
    silent = frozenset({1, 3})

    def name(self, path: str) -> str | None:
        """Return a name that distinguishes workflows from actions."""
        if is_workflow(path):
            return ".github/workflows/w.yml"
        return "action.yml" if is_action(path) else None

    def arguments(self, _codes: Sequence[str], names: Sequence[str], /) -> list[str]:
        """Return arguments for an offline run without settings."""
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

    def read(self, output: Any) -> Iterable[LintReport]:  # noqa: ANN401 - JSON
        """Yield the reports. The audit's own confidence decides whether a report needs a confirmation."""
        for entry in output:
            if entry["ignored"]:
                continue
            place = next(each for each in entry["locations"] if each["symbolic"]["kind"] == "Primary")
            span = place["concrete"]["location"]
            path = place["symbolic"]["key"]["Local"]["verbatim_path"]
            text = place["symbolic"]["annotation"] or entry["desc"]
            references = _references(place["concrete"]["feature"]) if entry["ident"] == "template-injection" else None
            if references is not None and all(map(OWN_AUDITS.fullmatch, references)):
                continue
            sure = entry["determinations"]["confidence"] == "High"
            sure &= references is None or any(
                STRANGERS.search(reference) and not OWN_AUDITS.fullmatch(reference) for reference in references
            )
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


LINTER = Zizmor()
