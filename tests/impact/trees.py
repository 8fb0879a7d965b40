"""Run a report on a dictionary of files, with every line of one file as new."""

import asyncio
import re
from collections.abc import Mapping, Sequence

from deeprepo import impact
from deeprepo.impact.changes import Query, TreeEntry
from deeprepo.impact.values import Side


class Texts:
    """A tree made from dictionaries of texts, one for each side."""

    stopped_searches = ()

    def __init__(self, head: Mapping[str, str], base: Mapping[str, str] | None = None) -> None:
        self._files: Mapping[Side, Mapping[str, str]] = {"head": head, "base": base or {}}

    async def entries(self, side: Side = "head") -> Mapping[str, TreeEntry]:
        return {path: TreeEntry(path, "", "file", len(text)) for path, text in self._files[side].items()}

    async def read(self, path: str, side: Side = "head") -> bytes | None:
        return (await self.read_many([path], side)).get(path)

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        files = self._files[side]
        return {path: files[path].encode() for path in paths if path in files}

    async def grep(self, query: Query) -> frozenset[str]:
        held = re.compile("|".join(query.patterns), re.MULTILINE)
        return frozenset(path for path, text in self._files[query.side].items() if held.search(text))

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        raise NotImplementedError


def messages(files: Mapping[str, str], path: str) -> list[str]:
    """Return the locations as "line rule name", with the suggested names after a colon."""
    rows = []
    for one in asyncio.run(impact.report(Texts(files), every_line(files, path))).places:
        more = ", ".join(one.near)
        rows.append(f"{one.line} {one.rule} {one.name}" + (f": {more}" if more else ""))
    return rows


def verdicts(before: Mapping[str, str], after: Mapping[str, str], path: str) -> list[str]:
    """Return the locations as "line name certainty" if all lines of one file are new in a change of a tree."""
    report = asyncio.run(impact.report(Texts(after, before), every_line(after, path)))
    return [f"{one.line} {one.name} {one.certainty}" for one in report.places]


def every_line(files: Mapping[str, str], path: str) -> impact.Change:
    """Return the change that adds all lines of one file."""
    return {path: range(1, files[path].count("\n") + 2)}
