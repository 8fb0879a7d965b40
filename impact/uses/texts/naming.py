"""Names that only a framework resolves: parts of templates, routes, elements of pages, views. The rows are in `naming.toml`."""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from impact.changes import ChangedFile
from impact.text.lines import is_comment
from impact.text.paths import uses_nothing

LONG_LINE = 2_000  # characters; of a longer one the beginning is read


@dataclass(frozen=True, slots=True)
class Naming:
    """How a framework names something: by what lines give it, or by the path of its file; and how others ask for it."""

    what: str
    asks: str
    gives: str = ""
    path: str = ""
    mark: str = "/"  # between the parts of a name that is made of a path

    def names_in(self, lines: Collection[str]) -> frozenset[str]:
        """The names that some lines give."""
        look = re.compile(self.gives.replace("NAME", r"([A-Za-z][\w.-]{1,80})"))
        return frozenset(name for line in lines for match in look.finditer(line) for name in match.groups() if name)

    def of_path(self, path: str) -> str:
        """What the framework calls a file; an empty text if it calls it nothing."""
        match = re.search(self.path, path) if self.path else None
        return "/".join(filter(None, match.groups())).replace("/", self.mark) if match else ""

    def pattern_of(self, name: str) -> str:
        """The pattern of the lines that ask for a name."""
        return self.asks.replace("NAME", re.escape(name))


@cache
def namings() -> tuple[Naming, ...]:
    """Every row."""
    tables = tomllib.loads((Path(__file__).parent / "naming.toml").read_text(encoding="utf-8"))
    return tuple(Naming(**row) for row in (*tables["name"], *tables["path"]))


def lost_names(
    files: Sequence[ChangedFile], texts: Mapping[str, str], head_paths: Collection[str]
) -> Iterator[tuple[Naming, str, str]]:
    """(naming, name, file that gave it up) for what the change takes away and no changed file gives any more."""
    mine = [file for file in files if file.is_analyzed and not uses_nothing(file.path)]
    removed = {file.path: _removed(file) for file in mine}
    gone_paths = [
        file.old_path
        for file in files
        if file.old_path
        and (file.status == "deleted" or file.old_path != file.path)
        and not uses_nothing(file.old_path)
    ]
    now = [line[:LONG_LINE] for text in texts.values() for line in text.split("\n")] if any(removed.values()) else []
    for naming in namings():
        if naming.path:
            names = {name: path for path in gone_paths if (name := naming.of_path(path))}
            alive = {naming.of_path(path) for path in head_paths} if names else set()
            yield from ((naming, name, path) for name, path in names.items() if name not in alive)
            continue
        lost = {name: path for path, lines in removed.items() for name in naming.names_in(lines)}
        kept = naming.names_in(now) if lost else frozenset()
        yield from ((naming, name, path) for name, path in lost.items() if name not in kept)


def _removed(file: ChangedFile) -> list[str]:
    return [
        line.text[:LONG_LINE]
        for hunk in file.hunks
        for line in hunk.lines
        if line.kind == "-" and not is_comment(line.text, file.path)
    ]
