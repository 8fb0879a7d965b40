"""What another tool has reported."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from bot.values.finding import Severity


@dataclass(frozen=True, slots=True)
class ToolResult:
    """One result. `path` is relative to the repository, or absolute as the tool saw it. Lines are 1-based; 0: the tool names none."""

    path: str
    start: int
    end: int
    tool: str
    rule: str
    message: str
    about: str  # what the rule is about, "" if the tool does not say
    severity: Severity
    security: bool
    sure: bool  # the tool calls it an error
    new: bool | None = None  # as a comparison with the base says; None: nobody has compared
    mark: str = ""  # what recognises it in another run
    address: str = ""  # as the tool wrote it, where the path was read out of it; "" once the file is known

    def key(self) -> tuple[str, str, str]:
        """The same for the same result of another run of the tool; lines may have moved."""
        return (self.tool, self.rule, f"{self.address or self.path}\0{self.mark or self.message}")


@dataclass(frozen=True, slots=True)
class ToolRun:
    """A run of a tool that came to its end, and whose report was handed in. `files`: what it looked at; None if it does not say."""

    tool: str
    files: tuple[str, ...] | None = None

    def covers(self, path: str) -> bool:
        """Whether it looked at this file."""
        return self.files is None or any(
            one == path or (one[:1] == "/" and one.endswith(f"/{path}")) for one in self.files
        )

    def about(self, paths: Iterable[str]) -> "ToolRun":
        """The same run, as far as it is about these files."""
        return self if self.files is None else replace(self, files=tuple(path for path in paths if self.covers(path)))
