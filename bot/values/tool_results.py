"""Define the results of other tools."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from bot.levels import Severity


@dataclass(frozen=True, slots=True)
class ToolResult:
    """One result.

    `path` is relative to the repository, absolute as the tool saw it, or empty for a failed run. Lines are
    1-based, or 0 if the tool names none.
    """

    path: str
    start: int
    end: int
    tool: str
    rule: str
    message: str
    about: str  # what the rule is about; empty if the tool doesn't say
    severity: Severity
    security: bool
    sure: bool  # whether the tool calls it an error
    new: bool | None = None  # the result of a comparison with the base; None if there was none
    mark: str = ""  # identifies the result in another run
    is_unread: bool = False  # whether the tool says that it did not read the whole file

    def key(self) -> tuple[str, str, str]:
        """Return a key that identifies this result across runs of the tool, even if lines have moved."""
        return (self.tool, self.rule, f"{self.path}\0{self.mark or self.message}")


@dataclass(frozen=True, slots=True)
class ToolRun:
    """A finished run of a tool whose report was passed in.

    `files`: the files that it checked, or None if it doesn't say.

    `unread`: the files that it didn't read to the end. An empty path means an unnamed file.
    """

    tool: str
    files: tuple[str, ...] | None = None
    unread: tuple[str, ...] = ()

    def covers(self, path: str) -> bool:
        """Return whether it checked this file completely."""
        looked_at = self.files is None or _is_among(path, self.files)
        return looked_at and "" not in self.unread and not _is_among(path, self.unread)

    def about(self, paths: Iterable[str]) -> "ToolRun":
        """Return the run, limited to these files."""
        own = tuple(paths)
        files = None if self.files is None else tuple(path for path in own if _is_among(path, self.files))
        unread = ("",) if "" in self.unread else tuple(path for path in own if _is_among(path, self.unread))
        return replace(self, files=files, unread=unread)


def _is_among(path: str, names: Iterable[str]) -> bool:
    """Return whether a file is among a tool's names, by its relative path or as the tool saw it."""
    return any(name == path or (name[:1] == "/" and name.endswith(f"/{path}")) for name in names)
