"""Let the root's code handle long files and data files: outlines and parsed values.

Each function takes a path in the tree or a text. Anything with a line break or more than MAX_PATH_CHARS
characters is a text.
"""

import asyncio
import re

from bot.render import count
from bot.review.agent.state import RunState
from bot.review.context import data_files
from bot.review.context.look_ups import absent
from bot.values import Side
from deeprepo.texts.material import paths

MAX_PATH_CHARS = 400  # a longer argument is a text
MAX_OUTLINE_ROWS = 500
HEADING = re.compile(
    r"#{1,6} \S|\s{0,8}(?:export |public |private |protected |static |async |abstract |final |pub |default )*"
    r"(?:def|class|func|fn|function|struct|enum|interface|trait|impl|type|module|namespace)\s+[\w(*]"
)


async def parse(state: RunState, source: str, form: str = "", base: bool = False) -> data_files.Value:
    """Return a JSON, YAML or TOML file (or text, with its form) as a plain object."""
    text, path = await _text(state, source, base=base)
    return await asyncio.to_thread(data_files.parse, text, _form(path, form))


async def outline(state: RunState, source: str, find: str = "", form: str = "", base: bool = False) -> list[str]:
    """Return a data file's "key.path: value" rows, any other file's "line: definition or heading" rows; `find` selects."""
    text, path = await _text(state, source, base=base)
    if form or data_files.form_of(path):
        value = await asyncio.to_thread(data_files.parse, text, _form(path, form))
        rows = [f"{key}: {leaf}" for key, leaf in paths(value)]
    else:
        rows = [f"{n}: {line.rstrip()[:200]}" for n, line in enumerate(text.split("\n"), 1) if HEADING.match(line)]
    matches = [line for line in rows if find.lower() in line.lower()]
    if not matches:
        what = (
            f"none of {count(len(rows), 'row')} contains {find!r}"
            if find
            else "no definitions, headings or keys were recognized"
        )
        return [f"[not found in {path or 'the text'}: {what}]"]
    rest = len(matches) - MAX_OUTLINE_ROWS
    return matches[:MAX_OUTLINE_ROWS] + ([f"[... {rest:,} more rows: select with find=...]"] if rest > 0 else [])


def _form(path: str, form_name: str) -> str:
    form = form_name.lower().strip(".") or data_files.form_of(path)
    form = {"yml": "yaml", "ndjson": "jsonl"}.get(form, form)
    if form not in data_files.PARSERS:
        raise ValueError(
            f"{path or 'the text'} is not a data file by its name: say form='json', 'jsonl', 'yaml' or 'toml'"
        )
    return form


async def _text(state: RunState, source: str, *, base: bool) -> tuple[str, str]:
    """Return the text and its path; the path is empty if a text was given.

    Raises ValueError if the path doesn't exist.
    """
    side: Side = "base" if base else "head"
    if len(source) <= MAX_PATH_CHARS and "\n" not in source:
        blob = await state.session.tree.read(source, side)
        if blob is not None:
            return blob.decode("utf-8", "replace"), source
        raise ValueError(f"{source!r} {await absent(state.session.tree, source, side)}")
    return source, ""
