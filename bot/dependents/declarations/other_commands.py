"""Commands in files of no format here that run what the change takes away: `npm run build:prod` in a Dockerfile, `make dist` in a script of a CI.

Nobody tells in which folder such a command runs, so a name counts as gone once no package, or no Makefile, that was read declares it. The lines are
listed as open.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from bot.dependents.declarations import format_of, shell
from bot.dependents.declarations.reading import Declaration
from bot.dependents.declarations.world import World
from bot.ports import Tree
from bot.text.lines import code_of, is_comment
from bot.text.paths import is_prose, vendored_folder
from bot.values import Query

KINDS = ("script", "target")
NAMES = 200  # that are searched for
ROWS = 2_000  # lines with one of them
SHOWN = 20  # of one change
_TOOL = re.compile(rf"(?<![\w./-])(?:{shell.TOOLS})(?=[\s\"'])")
_BETWEEN = re.compile(r"[\"']\s*+,\s*+[\"']")  # `["npm", "run", "start"]`


class CommandElsewhere(NamedTuple):
    """A line that runs a name which the change takes away."""

    declaration: Declaration
    path: str
    line: int


async def commands_elsewhere(tree: Tree, before: World, after: World) -> tuple[list[CommandElsewhere], bool]:
    """Return the commands, and whether there may be more. Call it when both sides have read all files that may declare the names."""
    gone_names = _gone_names(before, after)
    if not gone_names:
        return [], False
    names = "|".join(sorted({re.escape(name) for _, name in gone_names})[:NAMES])
    pattern = rf"{_TOOL.pattern}.*[\s\"':]({names})(?![\w:.-])"
    rows = await tree.grep_lines(Query([pattern], syntax="perl", limit=ROWS))
    commands = list(_commands(rows, gone_names))
    return commands, len(rows) >= ROWS or len(gone_names) > NAMES


def _gone_names(before: World, after: World) -> Mapping[tuple[str, str], Declaration]:
    """The names that something declares before the change and nothing after it, by kind and name."""
    now = {(one.scope.kind, one.name) for one in _declarations(after)}
    return {(one.scope.kind, one.name): one for one in _declarations(before) if (one.scope.kind, one.name) not in now}


def _declarations(world: World) -> Iterator[Declaration]:
    every = (one for reading in world.readings.values() for one in reading.declarations)
    return (one for one in every if one.scope.kind in KINDS and one.scope.place != shell.EVERY)


def _commands(
    rows: Iterable[tuple[str, int, str]], gone_names: Mapping[tuple[str, str], Declaration]
) -> Iterator[CommandElsewhere]:
    for path, number, line in rows:
        if format_of(path) or is_prose(path) or vendored_folder(path):
            continue
        code = "" if is_comment(line, path) else code_of(line, path)
        names = {one for text in _texts(code) for one in _names(text)}
        yield from (CommandElsewhere(gone_names[one], path, number) for one in sorted(names & gone_names.keys()))


def _texts(code: str) -> Iterator[str]:
    """The commands of a line from the name of their tool on; of one in quotes, up to the quote that ends it."""
    line_text = _BETWEEN.sub(" ", code)
    for match in _TOOL.finditer(line_text):
        quote = line_text[match.start() - 1 : match.start()]
        text = line_text[match.start() :]
        yield text.partition(quote)[0] if quote in ("'", '"', "`") else text


def _names(text: str) -> Iterator[tuple[str, str]]:
    return ((one.kind, one.name) for one in shell.calls(text, ""))
