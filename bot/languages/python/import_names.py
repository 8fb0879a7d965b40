"""What the imports of a Python file bind, as they write it, in the tree or out of it."""

import re
from collections import defaultdict
from itertools import islice

from bot.languages.lexical import MOST_IMPORTS
from bot.languages.python.modules import STATEMENT

WHOLE = "*"


def import_bindings(source: bytes) -> dict[str, set[tuple[str, str]]]:
    """Name here -> (module, its name there), `*` for the module itself. What `import *` brings is under the name `*`."""
    names: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for match in islice(STATEMENT.finditer(b"\n" + source), MOST_IMPORTS):
        if b">>>" in match[0].partition(b"import")[0]:
            continue
        if match["module"]:
            module = match["module"].decode("utf-8", "replace")
            words_text = re.sub(rb"#[^\n]*|[()\\]", b" ", match["names"]).decode("utf-8", "replace")
            for words in (part.split() for part in words_text.split(",")):
                if words:
                    names[words[-1]].add((module, words[0]))
            continue
        for words in (part.split() for part in match["modules"].decode("utf-8", "replace").split(",")):
            if words:
                top = words[0].partition(".")[0]
                names[words[-1] if len(words) > 1 else top].add((words[0] if len(words) > 1 else top, WHOLE))
    return names
