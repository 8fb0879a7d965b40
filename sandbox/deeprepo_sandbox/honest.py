"""What an honest model says that it judged: every file in its prompt, with a changed line. A script that has no such list gets it."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

_SECTION = re.compile(
    r"^--- (?!unchanged: )(.+?)(?: \((new file)?[^()\n]*\))? ---\n(.*?)\n--- end ---$", re.DOTALL | re.MULTILINE
)
_CHANGED, _NEW = re.compile(r"^[+-](\d+) ", re.MULTILINE), re.compile(r"^[ +](\d+) ", re.MULTILINE)
# The same for a root's code, as an argument of set_answer()
JUDGED = (
    "files=[u['path'] + ' | ' + row.partition(' ')[2]"
    " for u in units for row in u['diff'].split('\\n') if row[:1] in ('+', '-')]"
)


def files(texts: Iterable[str]) -> list[str]:
    """The changed files that these texts of a prompt show, each with the number of a changed line."""
    sections = (section for text in texts for section in _SECTION.findall(text))
    rows = ((path, (_NEW if new else _CHANGED).search(body)) for path, new, body in sections)
    return [f"{path} | {row[1]}" for path, row in rows if row is not None]


def told(data: Mapping[str, Any], texts: Iterable[str]) -> Mapping[str, Any]:
    """A review's structured answer with that list, if it is abbreviated. One that spells out `files`, or that it looks nothing up, stays."""
    is_spelled_out = "files" in data or data.get("look_ups") == []
    return {**data, "files": files(texts)} if "findings" in data and not is_spelled_out else data
