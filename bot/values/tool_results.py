"""What another tool has reported."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from bot.levels import Severity


@dataclass(frozen=True, slots=True)
class ToolResult:
    """One result. `path` is relative to the repository, or absolute as the tool saw it; "": of a run that failed. Lines are 1-based; 0: the tool names none."""

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
    is_unread: bool = False  # the tool says that it did not read the file, or not all of it

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
        """Return whether it looked at this file, and read all of it."""
        looked_at = self.files is None or _is_among(path, self.files)
        return looked_at and "" not in self.unread and not _is_among(path, self.unread)

    def about(self, paths: Iterable[str]) -> "ToolRun":
        """Return the same run, as far as it is about these files."""
        own = tuple(paths)
        files = None if self.files is None else tuple(path for path in own if _is_among(path, self.files))
        unread = ("",) if "" in self.unread else tuple(path for path in own if _is_among(path, self.unread))
        return replace(self, files=files, unread=unread)


def _is_among(path: str, names: Iterable[str]) -> bool:
    """Whether a file of the repository is one of those that a tool names, by their paths or as it saw them."""
    return any(name == path or (name[:1] == "/" and name.endswith(f"/{path}")) for name in names)
