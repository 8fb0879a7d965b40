"""Read the `scripts` of a package.json, and what they run from the package and Makefiles."""

import json
import posixpath
import re

from deeprepo.impact.declarations import shell
from deeprepo.impact.declarations.reading import DataReading, Paths, Scope, UnreadableDataError, line_finder


def read(reading: DataReading, text: str, paths: Paths) -> None:
    """Add the scripts of one package. Raises `UnreadableDataError`."""
    mine = Scope("script", reading.path)
    reading.scopes.add(mine)
    try:
        value = json.loads(text) if text else {}
    except (ValueError, RecursionError) as error:
        raise UnreadableDataError("it is not JSON") from error
    scripts = value.get("scripts") if isinstance(value, dict) else None
    line_of, at = line_finder(text), text.find('"scripts"')
    for name, command in scripts.items() if isinstance(scripts, dict) else ():
        key = re.compile(rf"\"{re.escape(name)}\"\s*+:").search(text, at)
        at = key.start() if key else at
        reading.declare(mine, name, line_of(at))
        if isinstance(command, str):
            shell.add_calls(reading, command.replace("\n", " "), posixpath.dirname(reading.path), line_of(at), paths)
