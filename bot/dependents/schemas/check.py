"""What a change breaks in a schema, and which lines of a tree name what is broken."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from bot import limits
from bot.dependents.schemas import words
from bot.dependents.schemas.breaks import (
    Document,
    SchemaBreak,
    SchemaLanguage,
    SchemaPlace,
    SchemaUse,
    UnreadableSchemaError,
)
from bot.dependents.schemas.languages import SCHEMAS
from bot.ports import Tree
from bot.text.lines import file_lines, is_comment
from bot.text.paths import is_output, is_prose, is_test, vendored_folder
from bot.values import ChangedFile, Finding, Query

BYTES = 6 << 20  # of one schema; a larger one is open
FILES_COMPARED = 400  # of one language
BREAKS = 300  # of one change that are looked up
ROWS = 6_000  # lines with a searched word
FILES_READ = 400  # of those that hold such lines
USES = 40  # of one break
SHORTEST = 3  # letters of a word that is searched


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """What comparing the changed schemas has shown."""

    breaks: tuple[tuple[str, SchemaBreak], ...] = ()  # with the name of the schema's language
    complete: frozenset[str] = frozenset()  # paths that were compared to their end
    open: tuple[tuple[str, str], ...] = ()  # path and reason
    other_paths: frozenset[str] = frozenset()  # files that turned out to be no schema


def wants(file: ChangedFile) -> bool:
    """Whether a file may be a schema, by its path."""
    return (
        (file.is_analyzed or file.status == "deleted")
        and not file.is_ignored
        and any(one.wants(path) for one in SCHEMAS.values() for path in {file.path, file.old_path} if path)
    )


async def compare(tree: Tree, files: Sequence[ChangedFile]) -> SchemaChange:
    """Compare both sides of the changed schemas, language by language."""
    mine = [file for file in files if wants(file)]
    texts: dict[tuple[str, str], str] = {}
    unread: dict[str, str] = {}
    for side in ("base", "head"):
        paths = [
            path
            for file in mine
            if (path := (file.old_path if side == "base" else file.path if file.status != "deleted" else None))
        ]
        for path, raw in (await tree.read_many(paths, "base" if side == "base" else "head")).items():
            texts[side, path] = raw[:BYTES].decode("utf-8", "replace")
            if len(raw) > BYTES:
                unread[path] = f"it has more than {BYTES >> 20} MB"
    breaks: list[tuple[str, SchemaBreak]] = []
    open_files: dict[str, str] = {}
    compared_paths: set[str] = set()
    for name, language in SCHEMAS.items():
        schema_files = [file for file in mine if _holds(language, file, texts)]
        compared_paths |= {file.path for file in schema_files}
        for path in [path for file in schema_files for path in (file.path, file.old_path) if path in unread]:
            open_files[path or ""] = unread[path or ""]
        rest = [file for file in schema_files if not {file.path, file.old_path} & unread.keys()]
        open_files |= {file.path: f"more than {FILES_COMPARED} schemas changed" for file in rest[FILES_COMPARED:]}
        rows, left = await asyncio.to_thread(_compared, language, rest[:FILES_COMPARED], texts)
        breaks += [(name, one) for one in rows]
        open_files |= left
    return SchemaChange(
        tuple(breaks),
        frozenset(compared_paths - open_files.keys()),
        tuple(sorted(open_files.items())),
        frozenset(file.path for file in mine) - compared_paths,
    )


def _holds(language: SchemaLanguage, file: ChangedFile, texts: Mapping[tuple[str, str], str]) -> bool:
    for side, path in (("base", file.old_path), ("head", file.path)):
        text = texts.get((side, path or ""))
        if path and text is not None and language.wants(path) and language.is_schema(Document(path, text)):
            return True
    return False


def _compared(
    language: SchemaLanguage, files: Sequence[ChangedFile], texts: Mapping[tuple[str, str], str]
) -> tuple[list[SchemaBreak], dict[str, str]]:
    """The breaks, and each file that could not be read with the reason; the others are compared without it."""
    left: dict[str, str] = {}
    while files:
        before = [
            Document(f.old_path, texts["base", f.old_path], successor="" if f.status == "deleted" else f.path)
            for f in files
            if f.old_path and ("base", f.old_path) in texts
        ]
        after = [Document(f.path, texts["head", f.path], f.added_lines) for f in files if ("head", f.path) in texts]
        limits.reading(files[0].path)
        try:
            return language.compare(before, after), left
        except UnreadableSchemaError as error:
            bad = [file for file in files if error.path in (file.path, file.old_path)]
            left |= {file.path: str(error) for file in bad or files}
            files = [file for file in files if file not in bad] if bad else []
    return [], left


async def find_uses(
    tree: Tree, breaks: Sequence[tuple[str, SchemaBreak]], left_out: Collection[str] = (), *, compare_base: bool = True
) -> dict[SchemaBreak, tuple[SchemaUse, ...]]:
    """The lines of a tree that name the elements, surest first. `left_out`: the schemas themselves."""
    named_breaks = [(name, one) for name, one in breaks if one.name][:BREAKS]
    by_word: dict[str, list[tuple[str, SchemaBreak]]] = defaultdict(list)
    for name, one in named_breaks:
        for word in SCHEMAS[name].searched_words(one):
            if len(word) >= SHORTEST:
                by_word[word].append((name, one))
    if not by_word:
        return {}
    rows = await tree.grep_lines(Query(sorted(by_word), word=True, limit=ROWS))
    use_rows = [row for row in rows if row[0] not in left_out and _can_use(*row)]
    paths = list(dict.fromkeys(path for path, _, _ in use_rows))[:FILES_READ]
    texts = await tree.read_many(paths)
    lines = {path: file_lines(raw) for path, raw in texts.items()}
    look = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, sorted(by_word, key=len, reverse=True))) + r")(?!\w)")
    uses: dict[SchemaBreak, dict[tuple[str, int], SchemaUse]] = defaultdict(dict)
    for path, number, text in use_rows:
        place = SchemaPlace(path, number, lines.get(path, ()))
        for word in dict.fromkeys(look.findall(text)):
            for name, one in by_word[word]:
                if len(uses[one]) < USES and (path, number) not in uses[one]:
                    likeness = SCHEMAS[name].likeness(one, place)
                    if likeness:
                        uses[one][path, number] = SchemaUse(path, number, text.strip("\r"), likeness == "sure")
    before = await tree.grep_lines(Query(sorted(by_word), word=True, side="base", limit=ROWS)) if compare_base else ()
    mended_breaks = _mended(before, {word: [one for _, one in rows] for word, rows in by_word.items()}, use_rows, look)
    there_before = {(path, text.strip("\r")) for path, _, text in before}
    uses = {
        one: {
            at: use
            for at, use in mine.items()
            if (use.sure or one not in mended_breaks) and (not one.is_new or (use.path, use.text) in there_before)
        }
        for one, mine in uses.items()
    }
    return {
        one: tuple(sorted(rows.values(), key=lambda use: (not use.sure, is_test(use.path), use.path, use.line)))
        for one, rows in uses.items()
        if rows
    }


def _mended(
    before: Sequence[tuple[str, int, str]],
    by_word: Mapping[str, Sequence[SchemaBreak]],
    rows: Sequence[tuple[str, int, str]],
    look: re.Pattern[str],
) -> frozenset[SchemaBreak]:
    """The breaks whose users the change itself edits: what it leaves was looked at, and a name alone proves nothing against that."""
    there = {(path, text) for path, _, text in rows}
    removed_texts = [
        text
        for path, line, text in before
        if (path, text) not in there and _can_use(path, line, text) and not _defines_schema(path)
    ]
    return frozenset(one for text in removed_texts for word in look.findall(text) for one in by_word[word])


def _defines_schema(path: str) -> bool:
    return any(language.wants(path) for language in SCHEMAS.values())


def _can_use(path: str, _line: int, text: str) -> bool:
    return not (is_prose(path) or is_output(path) or vendored_folder(path) or is_comment(text, path))


async def findings(tree: Tree, change: SchemaChange) -> tuple[Finding, ...]:
    """Each break with the lines of the repository that it reaches; those that nobody in sight names as hints, one for a file."""
    schemas = set(change.complete)
    uses = await find_uses(tree, change.breaks, schemas)
    quotes = await quotes_of(tree, [one for _, one in change.breaks])
    rows = [words.finding(name, one, uses[one], quotes[one]) for name, one in change.breaks if one in uses]
    alone: dict[tuple[str, str, bool], list[SchemaBreak]] = defaultdict(list)
    for name, one in change.breaks:
        if one not in uses and one.alone is not None and not (one.is_planned or one.is_new):
            alone[name, one.path, one.alone != "low"].append(one)
    rows += [words.hint(name, group, quotes) for (name, _, _), group in alone.items()]
    return tuple(rows)


async def quotes_of(tree: Tree, breaks: Sequence[SchemaBreak]) -> dict[SchemaBreak, str]:
    """The line of each break."""
    texts: dict[tuple[str, str], list[str]] = {}
    for side in ("base", "head"):
        paths = list({one.path for one in breaks if one.side == side})
        for path, raw in (await tree.read_many(paths, "base" if side == "base" else "head")).items():
            texts[side, path] = [line.rstrip("\r") for line in file_lines(raw)]
    quotes = {}
    for one in breaks:
        lines = texts.get((one.side, one.path), [])
        quotes[one] = lines[one.line - 1] if 0 < one.line <= len(lines) else ""
    return quotes
