"""Fields of one word in the queries of an object-relational mapper of Python: `filter(total__gte=1)`, `order_by("-total")`, `cart__total`.

Two underscores part the relation, the field and what is asked of it. A field behind a relation says its class by that.
"""

import re

from bot.dependents.sites import UseTarget
from bot.text.filetypes import filetype

LOOKUP = r"(?<![\w.$-])(?:[\"']-)?(?:\w{1,80}__)?NAME(?:__\w{1,80})?(?:[\"']|\s{0,4}=(?![=>]))"
READER = "python"


def says_lookup(name: str, target: UseTarget, path: str, text: str, home: re.Pattern[str], *, is_home: bool) -> bool:
    """Whether a line asks for the field by a lookup. `home`: the names of its class; `is_home`: whether the file has one of them."""
    parsers = {filetype(one).parser for one in (path, *target.homes)}
    if not target.owner or parsers != {READER}:
        return False
    for match in re.finditer(LOOKUP.replace("NAME", re.escape(name)), text):
        words = re.sub(r"[\s=\"'-]", "", match[0]).split("__")
        if match[0][1:2] == "-" or len(words) > 1:
            relation = words[0] if words[0] != name else ""
            if home.search(relation) or home.search(relation.removesuffix("s")) or (is_home and not relation):
                return True
    return False
