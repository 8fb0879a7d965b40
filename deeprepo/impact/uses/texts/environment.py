"""Recognize lines that read, set or document environment variables.

Code reads what `.env`, images, compose files, workflows, charts and tools set, and no compiler checks this.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from posixpath import basename
from typing import Literal, NamedTuple

from deeprepo.impact.changes import ChangedFile, DiffLine
from deeprepo.impact.text.lines import is_comment
from deeprepo.impact.text.paths import is_prose, is_settings, uses_nothing

NAME = r"[A-Z][A-Z0-9]*+(?:_[A-Z0-9]++)++(?!\w)"
Role = Literal["reads", "sets", "tells"]
# Any object named after the environment: `process.env.A_B`, `os.environ["A_B"]`, `env::var("A_B")`,
# `System.getenv("A_B")`. A tag and a field described by a validator count, too.
_READS = re.compile(
    rf"(?i:[\w$]{{0,40}}env\w{{0,40}})(?:\(\s*+\))?(?:(?:\.|::)\w{{2,20}})?!?\s*+(?:[\[(]\s*+[\"'`]|\.)({NAME})"
    rf"|\benv(?:config)?:\"({NAME})|^\s++({NAME})\s*+:\s*+z\."
)
_FIELD = re.compile(rf"^\s++({NAME})\s*+:")  # a field of pydantic settings
_ASSIGNS = re.compile(rf"^\s*+(?:export\s++|(?:ENV|ARG)\s++)?({NAME})\s*+=|^\s*+(?:ENV|ARG)\s++({NAME})")
_ENTRY = re.compile(rf"^\s*+(?:-\s++)?[\"']?({NAME})[\"']?\s*+[:=]|\bname\s*+:\s*+[\"']?({NAME})")
_LISTED = re.compile(rf"[\"']({NAME})[\"']")
# The first cell of a table row, or a list item: "| `A_B` | where ... |", "- `A_B`: where ...".
_ROW = re.compile(
    rf"^\s*+(?:\|\s*+[`*\"]{{0,3}}({NAME})[`*\"]{{0,3}}\s*+\||[-*]\s++[`*]{{1,3}}({NAME})[`*]{{1,3}}\s*+[:(\u2013\u2014-])"
)
_OF_EARLIER = re.compile(r"change|history|release|news|migrat|upgrad|versioned|archive|blog|\badr\b", re.IGNORECASE)
_SCRIPT = re.compile(r"\.(?:ba|z|k)?sh$|(?:^|/)\.?envrc$")


class Renaming(NamedTuple):
    """A line that only changed the name of the variable that it reads or sets."""

    old: str
    new: str
    role: Role
    path: str
    line: DiffLine


def roles(path: str, text: str, *, is_described: bool = False) -> Iterator[tuple[Role, str]]:
    """Yield the roles of variables in a line.

    `is_described`: the file has a settings class whose fields are variables.
    """
    is_document = is_prose(path) and not _OF_EARLIER.search(path)
    if not is_document and (uses_nothing(path) or is_comment(text, path)):
        return
    name = basename(path)
    role: Role = "sets"
    forms: tuple[re.Pattern[str], ...]
    if is_document:
        forms, role = (_ROW,), "tells"
    elif name.startswith((".env", "Dockerfile", "Containerfile")) or name.endswith(".env") or _SCRIPT.search(path):
        forms = (_ASSIGNS,)
    elif name == "turbo.json":
        forms = (_LISTED,)
    elif is_settings(path):
        forms = (_ENTRY,)
    else:
        forms, role = ((_READS, _FIELD) if is_described else (_READS,)), "reads"
    for form in forms:
        for match in form.finditer(text):
            yield role, next(filter(None, match.groups()))


def unread(files: Sequence[ChangedFile]) -> set[str]:
    """Return the variables that the change no longer reads, under any name."""
    read = {"+": set[str](), "-": set[str]()}
    for file in files:
        for line in [line for hunk in file.hunks for line in hunk.lines if line.kind in read]:
            read[line.kind] |= {name for role, name in roles(file.path, line.text) if role == "reads"}
    return read["-"] - read["+"] - {one.old for one in renamings(files)}


def renamings(files: Sequence[ChangedFile]) -> list[Renaming]:
    """Return the variables that edited lines rename."""
    found = []
    for file in files:
        for hunk in file.hunks:
            for is_edit, lines in groupby(hunk.lines, key=lambda line: line.kind != " "):
                run = list(lines) if is_edit else []
                # A table row is padded to the width of its column.
                added = {" ".join(line.text.split()): line for line in run if line.kind == "+"}
                for line in run:
                    found += [*_renamed(file.path, " ".join(line.text.split()), added)] if line.kind == "-" else []
    return found


def _renamed(path: str, text: str, added: dict[str, DiffLine]) -> Iterator[Renaming]:
    for role, old in roles(path, text, is_described=True):
        before, _, behind = text.partition(old)
        for now, line in added.items():
            new = now[len(before) : len(now) - len(behind)]
            if now == f"{before}{new}{behind}" and new != old and re.fullmatch(NAME, new):
                yield Renaming(old, new, role, path, line)
