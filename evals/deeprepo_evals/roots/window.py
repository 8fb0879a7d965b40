"""What one call sees of a code base that does not fit into it: entry points first, then the smallest files."""

import re
from collections import defaultdict
from collections.abc import Sequence

from bot.values import Unit

CHARACTERS = 180_000  # of the seeds' baseline
ENTRY = re.compile(
    r"(^|/)(main|app|index|server|cli|run|api|__main__|manage|wsgi|asgi|settings|config)\.\w+$|(^|/)README"
)


def beyond(units: Sequence[Unit], characters: int) -> tuple[str, ...]:
    """The units of the files that do not fit; a file is in or out as a whole."""
    by_file: dict[str, list[Unit]] = defaultdict(list)
    for unit in units:
        by_file[unit.path].append(unit)
    sizes = {path: sum(len(unit.diff) for unit in mine) for path, mine in by_file.items()}
    room, out = characters, []
    for path in sorted(by_file, key=lambda path: (not ENTRY.search(path), sizes[path], path)):
        if sizes[path] <= room:
            room -= sizes[path]
        else:
            out += [unit.id for unit in by_file[path]]
    return tuple(out)
