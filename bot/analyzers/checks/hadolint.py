"""Run Hadolint on changed Dockerfiles, with ShellCheck's rules for their RUN lines."""

from collections.abc import Iterable, Sequence
from types import MappingProxyType
from typing import Any

from bot.analyzers.linter_run import HASKELL_BYTES
from bot.analyzers.linters import Directives, Linter, LintReport, Sentinel
from bot.file_kinds import is_dockerfile


class Hadolint(Linter):
    """Checks Dockerfiles."""

    NAME = "hadolint"
    names = MappingProxyType({"Dockerfile": is_dockerfile})
    tables = ("hadolint.toml", "shellcheck.toml")
    comments = Directives(b"hadolint|shellcheck", b"#")
    sentinel = Sentinel(b"\nEXPOSE 65536\n", "DL3011")
    memory = HASKELL_BYTES
    cpu_seconds = 1  # a Dockerfile of 300 lines takes 0.3
    settings = MappingProxyType({"hadolint.yaml": b"{}\n"})

    def arguments(self, _codes: Sequence[str], names: Sequence[str], /) -> list[str]:
        """Return arguments that use only our configuration."""
        return ["--config", "hadolint.yaml", "--no-fail", "--format", "json", *names]

    def read(self, output: Any) -> Iterable[LintReport]:  # noqa: ANN401 - JSON
        """Yield its reports."""
        for entry in output:
            yield LintReport(entry["file"], entry["code"], entry["line"], entry["message"])


ANALYZER = Hadolint
