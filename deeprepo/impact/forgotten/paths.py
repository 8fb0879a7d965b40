"""Decide which files and folders a text may refer to."""

import posixpath
from collections import defaultdict
from collections.abc import Collection, Mapping

from deeprepo.impact.paths import above_of, joined


class PathIndex:
    """The files and folders of one side whose last part, without its suffix, is of interest."""

    def __init__(self, paths: Collection[str], stems: Collection[str]) -> None:
        self._by_stem: dict[str, set[str]] = defaultdict(set)
        for path in paths if stems else ():
            for one in (path, *above_of(path)):
                if (stem := stem_of(one)) in stems:
                    self._by_stem[stem].add(one)

    def leads(self, text: str, asker: str) -> Mapping[str, bool]:
        """Return the paths that a text in a file may refer to, and whether it is a path from its folder or the root.

        Others are in another folder. Documents and imports may omit the suffix of a path.
        """
        text = text.rstrip("/")
        is_short = "/" in text and "." not in posixpath.basename(text)
        ways = joined(posixpath.dirname(asker), text), text.lstrip("./")
        return {
            path: form in ways
            for path in self._by_stem.get(stem_of(text), ())
            for form in {path, posixpath.splitext(path)[0] if is_short else path}
            if form in ways or f"/{form}".endswith(f"/{ways[1]}")
        }


def stem_of(path: str) -> str:
    """Return the last part of a path without its suffixes and without a dot at its start."""
    return posixpath.basename(path.rstrip("/")).lstrip(".").partition(".")[0]
