"""Oxlint over the changed JavaScript and TypeScript files."""

import re
from collections.abc import Iterable, Sequence
from posixpath import splitext
from typing import Any

from bot.analyzers.linters import Directives, Ending, Linter, LintReport
from impact.text.lines import RETURNS

SUFFIXES = frozenset({".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"})
CONFIG = b'{"plugins": ["oxc", "typescript", "unicorn"], "categories": {}, "rules": {}}'
CODE = re.compile(r"(?:\w[\w-]*)\(([\w-]+)\)")  # "eslint(no-dupe-keys)"


def _name(path: str) -> str | None:
    suffix = splitext(path)[1].lower()
    return f"f{suffix}" if suffix in SUFFIXES else None


def _arguments(codes: Sequence[str], _: Sequence[str]) -> list[str]:
    flags = [part for code in codes for part in ("-D", code)]
    return [
        "-c",
        "oxlint.json",
        "--disable-nested-config",
        "--no-ignore",
        "--format",
        "json",
        "-A",
        "all",
        *flags,
        ".",
    ]


def _read(output: Any) -> Iterable[LintReport]:  # noqa: ANN401 - JSON
    """The last label is the place that is wrong: earlier ones name what it contradicts. Syntax errors have no code."""
    for row in output["diagnostics"]:
        match = CODE.fullmatch(row.get("code") or "")
        if match and row["labels"]:
            line = max(label["span"]["line"] for label in row["labels"])
            yield LintReport(row["filename"], match[1], line, row["message"])


LINTER = Linter(
    "oxlint",
    "JavaScript and TypeScript files",
    ("oxlint.toml",),
    _name,
    _arguments,
    _read,
    Directives(re.compile(rb"(?i)(?:ox|es)lint-(?:disable|enable)")),
    Ending(b"debugger;\n", "no-debugger"),
    {"oxlint.json": CONFIG},
    ends=RETURNS,
)
