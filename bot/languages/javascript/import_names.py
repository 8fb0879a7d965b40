"""What the imports of a JavaScript or TypeScript file bind, and what it hands on of other modules, as they are written."""

from collections import defaultdict
from itertools import islice

from bot.languages.javascript.clauses import STATEMENT, is_in_comment, names_of
from bot.languages.lexical import MOST_IMPORTS

BUILT_IN = "node:"  # before a module of Node, which means the same without it


def import_bindings(source: bytes) -> dict[str, set[tuple[str, str]]]:
    """Name here -> (module, its name there), `*` for the module itself. What `export *` hands on is under the name `*`."""
    names: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for match in islice(STATEMENT.finditer(source), MOST_IMPORTS):
        if is_in_comment(source, match.start()):
            continue
        module = (match["from"] or match["load"]).decode("utf-8", "replace").removeprefix(BUILT_IN)
        for there, here in names_of(match):
            if here or there == "*":
                names[here or "*"].add((module, there))
    return names
