"""Run a report on a dictionary of files, with every line of one file as new."""

import asyncio
import re
from collections.abc import Mapping, Sequence

from deeprepo import impact


class Texts:
    """A tree made from a dictionary of texts. A path that starts with `@` is a link."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    async def paths(self) -> Mapping[str, bool]:
        return {path.removeprefix("@"): not path.startswith("@") for path in self._files}

    async def read(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        return {path: self._files[path].encode() for path in paths if path in self._files}

    async def holding(self, pattern: str, under: str = "") -> Sequence[str]:
        held = re.compile(pattern, re.MULTILINE)
        return [path for path, text in self._files.items() if path.startswith(under) and held.search(text)]


def places(files: Mapping[str, str], path: str) -> list[impact.Place]:
    """Return the report's locations if all lines of one file are new."""
    change = {path: range(1, files[path].count("\n") + 2)}
    return list(asyncio.run(impact.report(Texts(files), change)).places)


def messages(files: Mapping[str, str], path: str) -> list[str]:
    """Return the locations as "line rule name", with the suggested names after a colon."""
    rows = []
    for one in places(files, path):
        more = ", ".join(one.near)
        rows.append(f"{one.line} {one.rule} {one.name}" + (f": {more}" if more else ""))
    return rows


def verdicts(before: Mapping[str, str], after: Mapping[str, str], path: str) -> list[str]:
    """Return the locations as "line name certainty" if all lines of one file are new in a change of a tree."""
    change = {path: range(1, after[path].count("\n") + 2)}
    report = asyncio.run(impact.report(Texts(after), change, Texts(before)))
    return [f"{one.line} {one.name} {one.certainty}" for one in report.places]
