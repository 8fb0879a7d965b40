"""Running ruff over contents that are in no work tree: its own process, an empty environment, nobody's configuration."""

import json
import re
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot import files
from bot.analyzers.linter_run import running
from bot.errors import DeepRepoError

NEWEST = "py314"  # syntax that any supported Python knows is no error
MOST = 2_000  # reports of one file that are read: a file of more was written by a program
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


async def run(contents: Sequence[bytes], codes: Sequence[str]) -> list[list[Diagnostic]]:
    """The first reports of these rules about each content. The names of the files play no part, so a hostile one cannot either."""
    if not contents:
        return []
    with tempfile.TemporaryDirectory(prefix="deeprepo-ruff-") as folder:
        files.fill(Path(folder), {f"f{number}.py": content for number, content in enumerate(contents)})
        found: list[list[Diagnostic]] = [[] for _ in contents]
        async for line in _reports(folder, codes):
            named = NAME.search(line)
            if named is not None and len(found[int(named[1])]) < MOST:
                found[int(named[1])].append(_diagnostic(json.loads(line)))
    return found


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
        raise DeepRepoError(f"ruff failed: {process.said.decode('utf-8', 'replace').strip()[:400]}")


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
