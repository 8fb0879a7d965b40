"""What a change breaks in a schema, and which lines of a tree name what is broken."""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from bot.dependents.schemas import words
from bot.dependents.schemas.breaks import (
    Document,
    SchemaBreak,
    SchemaLanguage,
    SchemaPlace,
    SchemaSides,
    SchemaUse,
    UnreadableSchemaError,
)
from bot.dependents.schemas.languages import SCHEMAS
from bot.machine import limits
from bot.ports import Tree
from bot.text.lines import file_lines, is_comment
from bot.text.paths import is_output, is_prose, is_test, vendored_folder
from bot.values import ChangedFile, Finding, Query, Side

SearchedLine = tuple[str, int, str]  # path, line, text

BYTES = 6 << 20  # of one schema; a larger one is open
FILES_COMPARED = 400  # of one language
BREAKS = 1_000  # of one change that are looked up
ROWS = 20_000  # lines with a searched word
FILES_READ = 1_500  # of those that hold such lines
ROWS_OF_FILE = 2_000  # of one file that are judged
_ANNOTATION = re.compile(r"^\s*+\*\s*+@(?:\w{1,20}\\)?\w{0,30}Column\(")  # what Doctrine reads in a comment
USES = 40  # of one break, of each likeness
MOST_LINES = 20_000  # of a file that are searched for the owner of a name
SHORTEST = 3  # letters of a word that is searched


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """What comparing the changed schemas has shown."""

    breaks: tuple[tuple[str, SchemaBreak], ...] = ()  # with the name of the schema's language
    complete: frozenset[str] = frozenset()  # paths that were compared to their end
    open: tuple[tuple[str, str], ...] = ()  # path and reason
    other_paths: frozenset[str] = frozenset()  # files that turned out to be no schema
    successors: Mapping[str, str] = field(default_factory=dict)  # path before the change -> path that the change lists

    def home(self, one: SchemaBreak) -> str:
        """The changed file that brings a break, by the path that the change lists."""
        return self.successors.get(one.path, one.path) if one.side == "base" else one.path


@dataclass(frozen=True, slots=True)
class SchemaUses:
    """The lines that name what is broken, and what was not looked at."""

    uses: Mapping[SchemaBreak, tuple[SchemaUse, ...]] = field(default_factory=dict)
    open: tuple[tuple[str, str], ...] = ()  # path of a schema and reason


def wants(file: ChangedFile) -> bool:
    """Whether a file may be a schema, by its path."""
    return (
        (file.has_text or file.status in ("deleted", "renamed"))
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
        rows, reasons = await asyncio.to_thread(_compared, language, rest[:FILES_COMPARED], texts)
        breaks += [(name, one) for one in rows]
        open_files |= reasons
    return SchemaChange(
        tuple(breaks),
        frozenset(compared_paths - open_files.keys()),
        tuple(sorted(open_files.items())),
        frozenset(file.path for file in mine) - compared_paths,
        {file.old_path: file.path for file in mine if file.old_path},
    )


def _holds(language: SchemaLanguage, file: ChangedFile, texts: Mapping[tuple[str, str], str]) -> bool:
    for side, path in (("base", file.old_path), ("head", file.path)):
        text = texts.get((side, path or ""))
        if path and text is not None and language.wants(path) and language.is_schema(Document(path, text)):
            return True
    return False


def _compared(
    language: SchemaLanguage,
    files: Sequence[ChangedFile],
    texts: Mapping[tuple[str, str], str],
) -> tuple[list[SchemaBreak], dict[str, str]]:
    """The breaks, and each file that could not be read with the reason; the others are compared without it."""
    reasons: dict[str, str] = {}
    while files:
        before = [
            Document(
                f.old_path,
                texts["base", f.old_path],
                successor=f.path if f.status != "deleted" and language.wants(f.path) else "",
            )
            for f in files
            if f.old_path and ("base", f.old_path) in texts and language.wants(f.old_path)
        ]
        after = [
            Document(f.path, texts["head", f.path], f.added_lines)
            for f in files
            if ("head", f.path) in texts and language.wants(f.path)
        ]
        limits.reading(files[0].path)
        try:
            return language.compare(SchemaSides(before, after)), reasons
        except UnreadableSchemaError as error:
            bad = [file for file in files if error.path in (file.path, file.old_path)]
            reasons |= {file.path: str(error) for file in bad or files}
            files = [file for file in files if file not in bad] if bad else []
    return [], reasons


async def find_uses(
    tree: Tree, change: SchemaChange, left_out: Collection[str] = (), *, compare_base: bool = True
) -> SchemaUses:
    """The lines of a tree that name the elements, surest first. `left_out`: the schemas, of which lines of the base alone use anything."""
    named_breaks = [(name, one) for name, one in change.breaks if one.name]
    open_rows = {change.home(one): f"more than {BREAKS} elements are broken" for _, one in named_breaks[BREAKS:]}
    by_word: dict[str, list[tuple[str, SchemaBreak]]] = defaultdict(list)
    for name, one in named_breaks[:BREAKS]:
        for word in SCHEMAS[name].searched_words(one):
            if len(word) >= SHORTEST:
                by_word[word].append((name, one))
    if not by_word:
        return SchemaUses(open=tuple(sorted(open_rows.items())))
    words_by_break = {word: [one for _, one in rows] for word, rows in by_word.items()}
    before = await tree.grep_lines(_query(by_word, side="base")) if compare_base else ()
    rows, reason = await _rows(tree, sorted(by_word), before)
    there_before = {(path, text.strip("\r")) for path, _, text in before}
    use_rows = [
        row
        for row in rows
        if _can_use(*row) and (row[0] not in left_out or (row[0], row[2].strip("\r")) in there_before)
    ]
    paths, more_reason = _chosen(use_rows, {path for path, _, _ in before})
    if reason or more_reason:
        homes = {change.home(one) for _, one in named_breaks[:BREAKS]}
        open_rows |= dict.fromkeys(homes, f"not every line that may use it was looked at: {reason or more_reason}")
    lines = {path: file_lines(raw) for path, raw in (await tree.read_many(list(paths))).items()}
    look = re.compile(_either(by_word))
    mended_breaks = _mended(before, words_by_break, use_rows, look)
    uses = _uses(paths, lines, look, by_word, (left_out, mended_breaks))
    found_uses = {
        one: tuple(sorted(mine.values(), key=lambda use: (not use.sure, is_test(use.path), use.path, use.line)))
        for one, mine in uses.items()
        if mine
    }
    return SchemaUses(found_uses, tuple(sorted(open_rows.items())))


def _uses(
    paths: Mapping[str, Sequence[tuple[int, str]]],
    lines: Mapping[str, Sequence[str]],
    look: re.Pattern[str],
    by_word: Mapping[str, Sequence[tuple[str, SchemaBreak]]],
    unsure: tuple[Collection[str], Collection[SchemaBreak]],
) -> dict[SchemaBreak, dict[tuple[str, int], SchemaUse]]:
    """The lines that use each break. `unsure`: the files, and the breaks, of which a name alone proves nothing."""
    uses: dict[SchemaBreak, dict[tuple[str, int], SchemaUse]] = defaultdict(dict)
    counts: Counter[tuple[SchemaBreak, bool]] = Counter()
    for path, numbered in paths.items():
        whole = "\n".join(lines.get(path, ())[:MOST_LINES])
        for number, text in numbered:
            place = SchemaPlace(path, number, lines.get(path, ()), whole)
            for word in dict.fromkeys(look.findall(text)):
                for name, one in by_word[word]:
                    if (path, number) in uses[one]:
                        continue
                    likeness = SCHEMAS[name].likeness(one, place)
                    sure = likeness == "sure"
                    is_wanted = sure or (likeness and path not in unsure[0] and one not in unsure[1])
                    if is_wanted and counts[one, sure] < USES:
                        counts[one, sure] += 1
                        uses[one][path, number] = SchemaUse(path, number, text.strip("\r"), sure)
    return uses


def _either(words: Collection[str]) -> str:
    """A pattern for one of the words, also between the two underscores by which a query asks for a field: `order__total__gte`."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return rf"(?<!\w)(?:\w{{1,80}}?__)?({'|'.join(map(re.escape, longest_first))})(?:__\w{{1,80}})?(?!\w)"


def _query(words: Collection[str], specs: Sequence[str] = (), side: Side = "head") -> Query:
    return Query([_either(words)], specs, syntax="perl", side=side, limit=ROWS)


async def _rows(
    tree: Tree, searched_names: Sequence[str], before: Sequence[SearchedLine]
) -> tuple[Sequence[SearchedLine], str]:
    """The lines of the head that hold one of the words, and why they are not all: those of files that had one before come first."""
    rows = await tree.grep_lines(_query(searched_names))
    if len(rows) < ROWS:
        return rows, ""
    old_paths = list(dict.fromkeys(path for path, _, _ in before))[:FILES_READ]
    specs = [f":(literal){path}" for path in old_paths]
    old_rows = await tree.grep_lines(_query(searched_names, specs)) if specs else ()
    return tuple(dict.fromkeys([*old_rows, *rows])), f"more than {ROWS:,} lines hold a name of it"


def _chosen(rows: Sequence[SearchedLine], old_paths: Collection[str]) -> tuple[dict[str, list[tuple[int, str]]], str]:
    """The lines that are judged, by file, and why they are not all. Files that had such a line before the change come first."""
    by_path: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for path, number, text in rows:
        by_path[path].append((number, text))
    ordered = sorted(by_path, key=lambda path: path not in old_paths)
    reason = f"more than {FILES_READ:,} files hold a name of it" if len(ordered) > FILES_READ else ""
    if not reason and any(len(by_path[path]) > ROWS_OF_FILE for path in ordered):
        reason = f"a file holds a name of it on more than {ROWS_OF_FILE} lines"
    return {path: by_path[path][:ROWS_OF_FILE] for path in ordered[:FILES_READ]}, reason


def _mended(
    before: Sequence[SearchedLine],
    by_word: Mapping[str, Sequence[SchemaBreak]],
    rows: Sequence[SearchedLine],
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
    is_remark = is_comment(text, path) and not _ANNOTATION.search(text)
    return not (is_prose(path) or is_output(path) or vendored_folder(path) or is_remark)


async def findings(tree: Tree, change: SchemaChange) -> tuple[tuple[Finding, ...], tuple[tuple[str, str], ...]]:
    """Each break with the lines of the repository that it reaches, and what stays open; those that nobody in sight names as hints, one for a file."""
    lookup = await find_uses(tree, change, change.complete)
    uses = lookup.uses
    quotes = await quotes_of(tree, [one for _, one in change.breaks])
    rows = [words.finding(name, one, uses[one], quotes[one]) for name, one in change.breaks if one in uses]
    alone: dict[tuple[str, str, bool], list[SchemaBreak]] = defaultdict(list)
    for name, one in change.breaks:
        if one not in uses and one.alone is not None and not one.is_planned:
            alone[name, one.path, one.alone != "low"].append(one)
    rows += [words.hint(name, group, quotes) for (name, _, _), group in alone.items()]
    return tuple(rows), lookup.open


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
