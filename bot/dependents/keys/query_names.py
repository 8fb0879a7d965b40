"""Members of one word that the text of a query says behind a name for their class: `select o from Order o where o.total > 3`.

Languages whose mappers take such texts name classes and their fields in them, private ones as well. Nothing is proven by them.
"""

import re
from collections.abc import Sequence

from bot.dependents.keys.forms import says_in_text
from bot.dependents.keys.line_search import LineSearch
from bot.dependents.keys.literal_search import lost_name
from bot.dependents.sites import UseTarget
from bot.text.filetypes import filetype, parsed_by
from bot.text.lines import is_comment
from bot.text.paths import uses_nothing
from bot.values import Query, Reference

ROWS = 1_000
FILES = 120
AROUND = 20  # lines of a query that are read on either side
_MEMBER = r"(?<![\w.$>])(?!this\.)[A-Za-z]\w{0,30}\.NAME(?![\w(])"
# In quotes, or in a line of a longer text.
_LINE = rf"[\"'][^\"'\n]{{0,300}}?{_MEMBER}|^\s*+(?:[A-Za-z]+\s[^;{{}}\n]{{0,300}}?)?{_MEMBER}[^;{{}}\n]*+(?:\"\"\"|$)"
_CALLED = r"(?<![\w$])OWNER(?:::class|[\"'])?\s{0,8},?\s{1,8}(?:(?i:as)\s{1,8})?[\"']?([A-Za-z]\w{0,30})"


async def queried_names(
    search: LineSearch,
    targets: Sequence[UseTarget],
    known_references: Sequence[Reference],
    querying: frozenset[str],
) -> tuple[Reference, ...]:
    """The lines whose query says a member that is gone. `known_references`: what other searches found; `querying`: parsers of such languages."""
    lost_targets = [
        (target, name)
        for target in targets
        if target.owner
        and (name := lost_name(target))
        and any(filetype(home).parser in querying for home in target.homes)
    ]
    if not lost_targets:
        return ()
    any_name = f"(?:{'|'.join(sorted({re.escape(name) for _, name in lost_targets}))})"
    parsers = {filetype(home).parser for target, _ in lost_targets for home in target.homes} & querying
    globs = [f"*{suffix}" for parser in sorted(parsers) for suffix in parsed_by(parser)]
    query = Query([_LINE.replace("NAME", any_name)], globs, syntax="perl", limit=ROWS)
    rows = [
        (path, line, text.rstrip("\r"))
        for path, line, text in await search.rows(query, "may say names that the change takes away in queries")
        if search.is_old(path, line) and not uses_nothing(path) and not is_comment(text, path)
    ]
    raw_texts = await search.tree.read_many(sorted({path for path, _, _ in rows})[:FILES])
    sources = {path: raw.decode("utf-8", "replace") for path, raw in raw_texts.items()}
    known_places = {(row.path, row.line, row.name) for row in known_references}
    references: list[Reference] = []
    for target, name in lost_targets:
        meant_rows = [
            row
            for row in rows
            if row[0] in sources
            and (row[0], row[1], name) not in known_places
            and _says(name, target.owner.rpartition(".")[2], row[1], sources[row[0]])
        ]
        references += search.mentions(target.key, name, meant_rows, f"say {name} in a query")
    return tuple(references)


def _says(name: str, owner: str, number: int, source: str) -> bool:
    """Whether a line says the member behind a name that the query gives the class, in a text."""
    lines = source.split("\n")
    around = "\n".join(lines[max(0, number - 1 - AROUND) : number + AROUND])
    called = set(re.findall(_CALLED.replace("OWNER", re.escape(owner)), around))
    line = lines[number - 1]
    is_said = any(re.search(rf"(?<![\w.$>]){re.escape(one)}\.{re.escape(name)}(?![\w(])", line) for one in called)
    return is_said and says_in_text(name, number, source)
