"""`python wildcard_scenes.py [REPOSITORY] < SCENES`: what is reported about the file user.wild of each tree in a JSON list.

With a repository: the lines that its branch `change` breaks. This is a program of its own, because each process
knows its languages for good.
"""

import json
import sys
from pathlib import Path

import deeprepo
from deeprepo.impact import languages, table

FOLDER = Path(__file__).parent / "languages"
table.FOLDERS.append(FOLDER)
languages.__path__.append(str(FOLDER))


def broken(folder: str) -> list[tuple[str, int]]:
    """Return the lines that a change breaks."""
    found = deeprepo.analyze(Path(folder), "main..change").broken
    return sorted((one.path, line) for one in found if one.proven for line in one.lines)


if __name__ == "__main__":
    from trees import messages

    given = json.load(sys.stdin)
    json.dump([broken(*sys.argv[1:])] if sys.argv[1:] else [messages(one, "user.wild") for one in given], sys.stdout)
