"""The results of other tools, such as linters, that are passed to a review."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from bot.levels import Severity


@dataclass(frozen=True, slots=True)
class ToolResult:
    """One result of a tool.

    `path` is relative to the repository, absolute on the tool's machine, or empty for a failed run. Lines are
    1-based, or 0 if the tool reports none.
    """

    path: str
    start: int
    end: int
    tool: str
    rule: str
    message: str
    about: str  # the rule's description; empty if the tool has none
    severity: Severity
    security: bool
    sure: bool  # whether the tool reports it at the level "error"
    # Whether a comparison with the base says that it is new; None without a comparison.
    new: bool | None = None
    mark: str = ""  # an ID that is the same in other runs; empty if the tool has none
    is_unread: bool = False  # whether it reports that the tool did not read the whole file

    def key(self) -> tuple[str, str, str]:
        """Return a key that identifies this result across runs of the tool, even if lines have moved."""
        return (self.tool, self.rule, f"{self.path}\0{self.mark or self.message}")


@dataclass(frozen=True, slots=True)
class ToolRun:
    """A finished run of a tool.

    `files` are the paths that it checked, or None if the report doesn't list them. `unread` are the paths of
    files that it didn't read to the end. An empty path means that the report doesn't say which file.
    """

    tool: str
    files: tuple[str, ...] | None = None
    unread: tuple[str, ...] = ()

    def covers(self, path: str) -> bool:
        """Return whether the tool checked this file completely."""
        is_checked = self.files is None or _is_among(path, self.files)
        return is_checked and "" not in self.unread and not _is_among(path, self.unread)

    def about(self, paths: Iterable[str]) -> "ToolRun":
        """Return the run, limited to these files."""
        own = tuple(paths)
        files = None if self.files is None else tuple(path for path in own if _is_among(path, self.files))
        unread = ("",) if "" in self.unread else tuple(path for path in own if _is_among(path, self.unread))
        return replace(self, files=files, unread=unread)


def _is_among(path: str, names: Iterable[str]) -> bool:
    """Return whether a path is among these, which are relative or absolute on the tool's machine."""
    return any(name == path or (name[:1] == "/" and name.endswith(f"/{path}")) for name in names)
