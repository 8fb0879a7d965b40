"""Migrations of Django, which are about models: a table is called after its application and its model."""

import re
from collections.abc import Iterator
from itertools import islice

from bot.dependents.schemas.migrations.call_texts import MOST, arguments_of, inside, line_of
from bot.dependents.schemas.migrations.steps import Does, MigrationStep

_MODEL = re.compile(r"\bmigrations\.(?P<verb>DeleteModel|RenameModel|AlterModelTable)\(\s*+")
APPLICATION = re.compile(r"(?:^|/)(\w{1,99})/migrations/[^/]++$")
_STATE = re.compile(r"\bstate_operations\s*+=\s*+\[")
_STATE_LENGTH = 20_000


def model_steps(text: str, path: str) -> Iterator[MigrationStep]:
    """What becomes of the table of a Django model, which is called after its application unless somebody names it."""
    app = APPLICATION.search(path)
    for match in islice(_MODEL.finditer(text), MOST) if app else ():
        line = line_of(text, match.start(), path)
        by_key, plain = arguments_of(text[match.end() : match.end() + 400], one_line=False)
        old = by_key.get("old_name") or by_key.get("name") or (plain[0] if plain else "")
        if not (line and app and old) or is_of_state(match):
            continue
        rest = [by_key.get("new_name") or by_key.get("table") or "", *plain[1 if not by_key else 0 :]]
        new = next(filter(None, rest), "")
        if match["verb"] == "RenameModel":
            new = f"{app[1]}_{new.lower()}"
        does: Does = "drop-table" if match["verb"] == "DeleteModel" else "rename-table"
        if does == "drop-table" or new:
            yield MigrationStep(
                does, f"{app[1]}_{old}".lower(), "", path, line, new="" if does == "drop-table" else new
            )


def is_of_state(match: re.Match[str]) -> bool:
    """Whether a call of a migration of Django changes what Django knows of its models, and no table."""
    start = max(0, match.start() - _STATE_LENGTH)
    openings = [*_STATE.finditer(match.string, start, match.start())]
    return (
        bool(openings)
        and len(inside(match.string[openings[-1].end() : match.start()])) == match.start() - openings[-1].end()
    )
