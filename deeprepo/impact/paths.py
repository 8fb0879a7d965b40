"""Look up paths in a tree, including paths that a build may create."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORES = ".gitignore"


class Paths:
    """The files and folders of a tree, and the paths that its .gitignore files exclude."""

    def __init__(self, entries: Mapping[str, bool]) -> None:
        self.files = frozenset(path for path, is_file in entries.items() if is_file)
        self._closed = frozenset(path for path, is_file in entries.items() if not is_file)
        self._names: dict[str, set[str]] = defaultdict(set)  # folder -> the names in it
        for path in entries:
            at = path
            while at:
                folder, _, name = at.rpartition("/")
                if name in self._names[folder]:
                    break
                self._names[folder].add(name)
                at = folder
        self._ignored: dict[str, GitIgnoreSpec] = {}
        self._patterns: dict[str, Sequence[str]] = {}

    def ignore(self, sources: Mapping[str, bytes]) -> None:
        """Add .gitignore files, by path."""
        for path, source in sources.items():
            lines = source.decode("utf-8", "replace").splitlines()
            self._ignored[posixpath.dirname(path)], self._patterns[posixpath.dirname(path)] = _spec(lines), lines

    def names(self, folder: str) -> frozenset[str]:
        """Return the names in a folder, which may not exist."""
        return frozenset(self._names.get(folder, ()))

    def is_folder(self, path: str) -> bool:
        """Return whether a path is a folder with files."""
        return path in self._names

    def is_open(self, path: str) -> bool:
        """Return whether a path may exist outside the tree: as a build output, or through a link or submodule."""
        if path.startswith("../"):
            return True
        return any(above in self._closed for above in (path, *above_of(path))) or self._is_ignored(path)

    def _is_ignored(self, path: str) -> bool:
        return any(
            spec.match_file(path[len(folder) :].lstrip("/"))
            for folder, spec in self._ignored.items()
            if not folder or path.startswith(f"{folder}/")
        )


def _samples(patterns: Sequence[str], ending: str) -> Iterator[str]:
    """Yield sample names with a suffix for the patterns of a .gitignore file."""
    for pattern in patterns:
        name = re.sub(r"\[(.)[^\[\]]*\]|[*?]+", lambda found: found[1] or "x", pattern.strip().rpartition("/")[2])
        if name and not pattern.startswith(("#", "!")):
            yield (
                name if name.endswith(ending) else f"{name}{ending}" if pattern.rstrip().endswith("*") else f"x{ending}"
            )


def _spec(lines: Sequence[str]) -> "GitIgnoreSpec":
    """Return the patterns of a .gitignore file; invalid ones are ignored, as in git."""
    # it takes longer to load than a small change, and many trees have no such file
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines([line for line in lines if _is_pattern(line)])


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def above_of(path: str) -> Iterator[str]:
    """Yield the parent folders of a path, nearest first, without the root."""
    while (at := path.rfind("/")) > 0 and (path := path[:at].rstrip("/")):
        yield path


def is_below(path: str, folder: str) -> bool:
    """Return whether a path is a folder or inside it; "" is the root."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def shared_folders(one: str, two: str) -> int:
    """Return how many leading folders two files share."""
    pairs = zip(one.split("/")[:-1], two.split("/")[:-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def joined(folder: str, path: str) -> str:
    """Return a path relative to a folder, normalized; the root is ""."""
    whole = posixpath.normpath(posixpath.join(folder, path))
    return "" if whole == "." else whole
