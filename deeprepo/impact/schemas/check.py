"""Find what a change breaks in schemas, and the lines that use broken elements."""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import cast

from deeprepo.impact.changes import ChangedFile, Query
from deeprepo.impact.in_hand import reading
from deeprepo.impact.ports import Tree
from deeprepo.impact.schemas import graphql, jsonschema, openapi, protobuf, sql
from deeprepo.impact.schemas.breaks import (
    Document,
    SchemaBreak,
    SchemaLanguage,
    SchemaPlace,
    SchemaSides,
    SchemaUse,
    UnreadableSchemaError,
    forms_of_table,
    spellings,
)
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.text.lines import file_lines, is_comment
from deeprepo.impact.text.paths import is_output, is_prose, is_settings, is_test, vendored_folder
from deeprepo.impact.values import Side

SCHEMAS: Mapping[str, SchemaLanguage] = {
    module.NAME: cast("SchemaLanguage", module) for module in (sql, openapi, protobuf, graphql, jsonschema)
}
SIDES: tuple[Side, Side] = ("base", "head")
BYTES = 6 << 20  # of one schema; a larger one stays open
BREAKS = 1_000  # per change that are searched
ROWS = 20_000  # lines with a searched word
USES = 40  # per break and likeness
MOST_LINES = 20_000  # of a file that are searched for an owner
FAR = 100  # lines above a use in which its owner is searched
SHORTEST = 3  # letters of a searched word
# a Doctrine annotation inside a comment
_ANNOTATION = re.compile(r"^\s*+\*\s*+@(?:\w{1,20}\\)?\w{0,30}Column\(")


class SchemaChange(Struct, frozen=True):
    """The result of comparing the changed schemas."""

    breaks: tuple[tuple[str, SchemaBreak], ...] = ()  # with the name of the schema language
    complete: frozenset[str] = frozenset()  # paths that were compared completely
    open: tuple[tuple[str, str], ...] = ()  # pairs of path and reason
    other_paths: frozenset[str] = frozenset()  # files that are not schemas
    # path before the change -> path in the change
    successors: Mapping[str, str] = field(default_factory=dict)

    def home(self, one: SchemaBreak) -> str:
        """Return the changed file with a break, by its path in the change."""
        return self.successors.get(one.path, one.path) if one.side == "base" else one.path


class SchemaUses(Struct, frozen=True):
    """The lines that use broken elements, and what was not searched."""

    uses: Mapping[SchemaBreak, tuple[SchemaUse, ...]] = field(default_factory=dict)
    # number of lines with the name that may mean something else
    mentions: Mapping[SchemaBreak, Sequence[SchemaUse]] = field(default_factory=dict)
    open: tuple[tuple[str, str], ...] = ()  # pairs of a schema's path and reason


def wants(file: ChangedFile) -> bool:
    """Return whether a file may be a schema, by its path."""
    return (
        (file.has_text or file.status in ("deleted", "renamed"))
        and not file.is_ignored
        and any(one.wants(path) for one in SCHEMAS.values() for path in {file.path, file.old_path} if path)
    )


async def compare(tree: Tree, files: Sequence[ChangedFile]) -> SchemaChange:
    """Compare both sides of the changed schemas, by language."""
    mine = [file for file in files if wants(file)]
    documents: list[tuple[Side, Document]] = []
    large = set[str]()
    for side in SIDES:
        homes = {file.old_path if side == "base" else file.path: file for file in mine}
        for path, raw in (await tree.read_many([path for path in homes if path], side)).items():
            added_lines = homes[path].added_lines if side == "head" else frozenset[int]()
            text, home = raw[:BYTES].decode("utf-8", "replace"), homes[path].path
            documents.append((side, Document(path, text, added_lines, home)))
            large |= {home} if len(raw) > BYTES else set()
    breaks: list[tuple[str, SchemaBreak]] = []
    reasons: dict[str, str] = {}
    schemas: set[str] = set()
    for name, language in SCHEMAS.items():
        wanted = [(side, one) for side, one in documents if language.wants(one.path)]
        own = {one.home for _, one in wanted if language.is_schema(one)}
        schemas |= own
        reasons |= dict.fromkeys(own & large, f"it has more than {BYTES >> 20} MB")
        fitting = [(side, one) for side, one in wanted if one.home in own - large]
        breaks += [(name, one) for one in await asyncio.to_thread(_compared, language, fitting, reasons)]
    return SchemaChange(
        tuple(breaks),
        frozenset(schemas - reasons.keys()),
        tuple(sorted(reasons.items())),
        frozenset(file.path for file in mine) - schemas,
        {file.old_path: file.path for file in mine if file.old_path},
    )


def _compared(
    language: SchemaLanguage, documents: Sequence[tuple[Side, Document]], reasons: dict[str, str]
) -> list[SchemaBreak]:
    """Return the breaks. Unreadable files are added to `reasons`, and the others are compared without them."""
    while documents:
        reading(documents[0][1].home)
        try:
            return language.compare(SchemaSides(*([one for on, one in documents if on == side] for side in SIDES)))
        except UnreadableSchemaError as error:
            homes = {one.home for _, one in documents}
            bad = {one.home for _, one in documents if error.path in (one.home, one.path)} or homes
            reasons |= dict.fromkeys(bad, str(error))
            documents = [(side, one) for side, one in documents if one.home not in bad]
    return []


async def find_uses(
    tree: Tree, change: SchemaChange, left_out: Collection[str] = (), *, compare_base: bool = True
) -> SchemaUses:
    """Return the lines that use the elements, surest first.

    `left_out`: schemas, in which only lines that the base contains count.
    """
    named = [(name, one) for name, one in change.breaks if one.name]
    open_rows = {change.home(one): f"more than {BREAKS} elements are broken" for _, one in named[BREAKS:]}
    by_word: dict[str, list[tuple[str, SchemaBreak]]] = defaultdict(list)
    for name, one in named[:BREAKS]:
        for word in one.searched or spellings(one.name):
            if len(word) >= SHORTEST:
                by_word[word].append((name, one))
    if not by_word:
        return SchemaUses(open=tuple(sorted(open_rows.items())))
    look = _either(by_word)
    before = await tree.grep_lines(Query([look], syntax="perl", side="base", limit=ROWS)) if compare_base else ()
    rows = await tree.grep_lines(Query([look], syntax="perl", limit=ROWS))
    if len(rows) >= ROWS:
        reason = f"not every line that may use it was checked: more than {ROWS:,} lines contain its name"
        open_rows |= {change.home(one): reason for _, one in named[:BREAKS]}
    there, still = ({(path, text.strip("\r")) for path, _, text in each} for each in (before, rows))
    # The change's author saw the uses that it edits, so a name alone proves nothing for these elements.
    others = [(path, text) for path, text in there - still if not any(one.wants(path) for one in SCHEMAS.values())]
    edited = [text for path, text in others if _can_use(path, text)]
    mended = {one for text in edited for word in re.findall(look, text) for _, one in by_word[word]}
    mine = [row for row in rows if _can_use(row[0], row[2])]
    lines = {path: file_lines(raw) for path, raw in (await tree.read_many(sorted({row[0] for row in mine}))).items()}
    wholes = {path: "\n".join(rows[:MOST_LINES]) for path, rows in lines.items()}
    uses: dict[SchemaBreak, list[SchemaUse]] = defaultdict(list)
    mentions: dict[SchemaBreak, list[SchemaUse]] = defaultdict(list)
    counts: Counter[tuple[SchemaBreak, bool]] = Counter()
    for path, number, text in mine:
        place = SchemaPlace(path, number, lines.get(path, ()), wholes.get(path, ""))
        is_asked = path not in left_out or (path, text.strip("\r")) in there
        for name, one in dict.fromkeys(row for word in re.findall(look, place.text) for row in by_word[word]):
            likeness = SCHEMAS[name].likeness(one, place) if is_asked else ""
            sure = likeness == "sure"
            is_wanted = sure or (likeness and path not in left_out and one not in mended)
            if is_wanted and counts[one, sure] < USES:
                counts[one, sure] += 1
                distance = 0 if sure else _distance(one, place)
                uses[one].append(SchemaUse(path, number, place.text.strip("\r"), sure, distance))
            elif path not in (one.path, change.home(one)):
                mentions[one].append(SchemaUse(path, number, place.text.strip("\r"), sure=False))
    by_certainty = {one: tuple(sorted(found, key=_certain_first)) for one, found in uses.items()}
    return SchemaUses(by_certainty, mentions, tuple(sorted(open_rows.items())))


def _distance(one: SchemaBreak, place: SchemaPlace) -> int:
    """Return how far above a line the element's owner is mentioned, as in `user.name` or `class User:`."""
    owner = re.compile("|".join(map(re.escape, sorted(forms_of_table(one.owner)))), re.IGNORECASE)
    above = place.lines[max(0, place.line - FAR) : place.line][::-1]
    return next((at for at, text in enumerate(above) if one.owner and owner.search(text)), FAR)


def _certain_first(use: SchemaUse) -> tuple[bool, bool, bool, int, str, int]:
    """Return the sort key of a use: sure first, tests and settings later."""
    return not use.sure, is_test(use.path), is_settings(use.path), use.distance, use.path, use.line


def _either(words: Collection[str]) -> str:
    """Return a pattern for one of the words, also between double underscores as in a query: `order__total__gte`."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return rf"(?<!\w)(?:\w{{1,80}}?__)?({'|'.join(map(re.escape, longest_first))})(?:__\w{{1,80}})?(?!\w)"


def _can_use(path: str, text: str) -> bool:
    is_remark = is_comment(text, path) and not _ANNOTATION.search(text)
    return not (is_prose(path) or is_output(path) or vendored_folder(path) or is_remark)


async def quotes_of(tree: Tree, breaks: Sequence[SchemaBreak]) -> dict[SchemaBreak, str]:
    """Return the source line of each break."""
    texts: dict[tuple[str, str], list[str]] = {}
    for side in SIDES:
        paths = list({one.path for one in breaks if one.side == side})
        for path, raw in (await tree.read_many(paths, side)).items():
            texts[side, path] = ["", *(line.rstrip("\r") for line in file_lines(raw))]
    return {one: next(iter(texts.get((one.side, one.path), [])[one.line : one.line + 1]), "") for one in breaks}
