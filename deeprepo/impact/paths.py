"""Look up paths in a tree."""

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import takewhile


class Paths:
    """The files and folders of a tree."""

    def __init__(self, entries: Mapping[str, bool]) -> None:
        self.files = frozenset(path for path, is_file in entries.items() if is_file)
        self._names: dict[str, set[str]] = defaultdict(set)  # folder -> the names in it
        for path in entries:
            at = path
            while at:
                folder, _, name = at.rpartition("/")
                if name in self._names[folder]:
                    break
                self._names[folder].add(name)
                at = folder

    def names(self, folder: str) -> frozenset[str]:
        """Return the names in a folder, which may not exist."""
        return frozenset(self._names.get(folder, ()))

    def is_folder(self, path: str) -> bool:
        """Return whether a path is a folder with files."""
        return path in self._names


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
