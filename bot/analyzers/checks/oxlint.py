"""Run Oxlint on changed JavaScript and TypeScript files."""

from collections.abc import Iterable, Sequence
from types import MappingProxyType
from typing import Any

from bot.analyzers.linters import Directives, Linter, LintReport, Sentinel
from deeprepo.impact.text.lines import RETURNS

OPTIONS = ["-c", "oxlint.json", "--disable-nested-config", "--no-ignore", "--format", "json", "-A", "all"]
CONFIG = b'{"plugins": ["oxc", "typescript", "unicorn"], "categories": {}, "rules": {}}'


class Oxlint(Linter):
    """Checks JavaScript and TypeScript files."""

    NAME = "oxlint"
    suffixes = frozenset({".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"})
    tables = ("oxlint.toml",)
    comments = Directives(rb"(?:ox|es)lint-(?:disable|enable)")
    sentinel = Sentinel(b"debugger;\n", "no-debugger")
    settings = MappingProxyType({"oxlint.json": CONFIG})
    ends = RETURNS

    def arguments(self, codes: Sequence[str], _names: Sequence[str], /) -> list[str]:
        """Return arguments that select the rules and use only our configuration."""
        flags = [part for code in codes for part in ("-D", code)]
        return [*OPTIONS, *flags, "."]

    def read(self, output: Any) -> Iterable[LintReport]:  # noqa: ANN401 - JSON
        """Yield each report at its last label, which is the faulty location. Syntax errors have no code."""
        for entry in output["diagnostics"]:
            code = (entry.get("code") or "").partition("(")[2].removesuffix(")")  # of "eslint(no-dupe-keys)"
            if code and entry["labels"]:
                line = max(label["span"]["line"] for label in entry["labels"])
                yield LintReport(entry["filename"], code, line, entry["message"])


ANALYZER = Oxlint
