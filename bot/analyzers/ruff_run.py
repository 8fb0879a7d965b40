"""Running ruff over contents that are in no work tree: its own process, an empty environment, nobody's configuration."""

import json
import re
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.analyzers.linter_run import running
from bot.analyzers.linters import Ending
from bot.analyzers.ruff_rules import SYNTAX
from bot.errors import DeepRepoError
from bot.machine import files

NEWEST = "py314"  # syntax that any supported Python knows is no error
MOST = 2_000  # reports of one file that are kept: a file of more was written by a program
MOST_READ = 40_000  # of which more are only counted: reading gigabytes takes minutes
ENDING = Ending(b'assert (1, "")\n', "F631")
NAME = re.compile(rb'"filename":"[^"]*?f(\d+)\.py"')


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement between two places, each (line, column), 1-based, the end exclusive."""

    start: tuple[int, int]
    end: tuple[int, int]
    content: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One report of ruff. `edits` are those of a fix that ruff calls safe."""

    code: str
    message: str
    start: int
    end: int
    column: int = 1
    edits: tuple[Edit, ...] = ()


@dataclass(slots=True)
class Reports:
    """The reports about one file, in its order: of very many the most severe. `left`: how many more there are."""

    diagnostics: list[Diagnostic]
    left: int = 0
    complete: bool = False  # whether ruff states that it read the text to its end

    def add(self, report: Diagnostic, rank: Callable[[str], int]) -> None:
        """One more; over the limit it takes the place of a milder one, if there is any."""
        self.diagnostics.append(report)
        if len(self.diagnostics) >= 2 * MOST:
            self.end(rank)

    def end(self, rank: Callable[[str], int]) -> None:
        """Keep the most severe."""
        worst = sorted(range(len(self.diagnostics)), key=lambda at: rank(self.diagnostics[at].code))[:MOST]
        self.left += len(self.diagnostics) - len(worst)
        self.diagnostics = [self.diagnostics[at] for at in sorted(worst)]


async def run(contents: Sequence[bytes], codes: Sequence[str], rank: Callable[[str], int]) -> dict[bytes, Reports]:
    """The reports of these rules about each content. The names of the files play no part, so a hostile one cannot either.

    `rank`: of a rule, 0 for the most severe.
    """
    reports_by_content = await _run(contents, codes, rank, ENDING)
    unparsable = [
        content
        for content, reports in reports_by_content.items()
        if any(one.code == SYNTAX for one in reports.diagnostics)
    ]
    return reports_by_content | await _run(
        unparsable, codes, rank, None
    )  # an error in its own words, without the lines behind it


async def _run(
    contents: Sequence[bytes], codes: Sequence[str], rank: Callable[[str], int], ending: Ending | None
) -> dict[bytes, Reports]:
    if not contents:
        return {}
    rows = [ending.row(content) if ending else 0 for content in contents]
    reports = [Reports([]) for _ in contents]
    with tempfile.TemporaryDirectory(prefix="deeprepo-ruff-") as folder:
        texts = [ending.after(content) if ending else content for content in contents]
        files.fill(Path(folder), {f"f{number}.py": text for number, text in enumerate(texts)})
        async for line in _reports(folder, codes):
            match = NAME.search(line)
            one = reports[int(match[1])] if match is not None else Reports([])
            if one.left >= MOST_READ:
                one.left += 1
            elif match is not None:
                report = _diagnostic(json.loads(line))
                if ending and (report.code, report.start) == (ending.code, rows[int(match[1])]):
                    one.complete = True
                else:
                    one.add(report, rank)
    for one in reports:
        one.end(rank)
    return dict(zip(contents, reports, strict=True))


async def _reports(folder: str, codes: Sequence[str]) -> AsyncIterator[bytes]:
    """What ruff prints, line by line. Of a file that a program wrote it can be gigabytes."""
    arguments = ["check", "--isolated", "--no-cache", "--exit-zero", "--quiet", "--output-format", "json-lines"]
    arguments += ["--target-version", NEWEST, "--select", ",".join(codes), "--", "."]
    rest = b""
    async with running("ruff", [_binary(), *arguments], folder) as process:
        async for chunk in process:
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield line
    if process.status:
        raise DeepRepoError(f"ruff failed: {process.stderr.decode('utf-8', 'replace').strip()[:400]}")


def _binary() -> str:
    from ruff import find_ruff_bin  # type: ignore[import-untyped]

    try:
        return str(find_ruff_bin())
    except FileNotFoundError as error:
        raise DeepRepoError("the ruff program was not found: install deeprepo-bot again") from error


def _diagnostic(report: Mapping[str, Any]) -> Diagnostic:
    fix = report["fix"] or {}
    edits = fix.get("edits", ()) if fix.get("applicability") == "safe" else ()
    return Diagnostic(
        code=report["code"],
        message=report["message"],
        start=report["location"]["row"],
        end=report["end_location"]["row"],
        column=report["location"]["column"],
        edits=tuple(Edit(_place(edit["location"]), _place(edit["end_location"]), edit["content"]) for edit in edits),
    )


def _place(location: Mapping[str, int]) -> tuple[int, int]:
    return location["row"], location["column"]
