"""Run ShellCheck on changed shell scripts, by suffix. It follows no `source` and reads no settings."""

from collections.abc import Iterable, Sequence
from typing import Any

from bot.analyzers.linter_run import HASKELL_BYTES
from bot.analyzers.linters import Directives, Linter, LintReport, Sentinel


class ShellCheck(Linter):
    """Checks shell scripts."""

    NAME = "shellcheck"
    suffixes = frozenset({".sh", ".bash", ".ksh"})
    tables = ("shellcheck.toml",)
    comments = Directives(b"shellcheck", b"#")
    sentinel = Sentinel(b"\n[ here = end ]\n", "SC2050")
    memory = HASKELL_BYTES

    def arguments(self, codes: Sequence[str], names: Sequence[str], /) -> list[str]:
        """Return arguments that select the rules and read no settings."""
        numbers = ",".join(code.removeprefix("SC") for code in codes)
        return ["--norc", "--format", "json1", "--include", numbers, "--", *names]

    def read(self, output: Any) -> Iterable[LintReport]:  # noqa: ANN401 - JSON
        """Yield its comments. Their codes are numbers."""
        for entry in output["comments"]:
            yield LintReport(entry["file"], f"SC{entry['code']}", entry["line"], entry["message"])


ANALYZER = ShellCheck
