"""Keys of any length that a file no longer sets, in the files that are tied to it.

`total` alone says nothing: half of a tree writes it. It does in a file that takes something from the one which lost it: that imports it,
reads these settings by the name of their file, is a page that the changed file renders, is stored beside it where files of a folder are one.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Awaitable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from bot.dependents.keys.definitions import lines_inside_texts, owners
from bot.dependents.keys.file_keys import (
    LONG_LINE,
    handed_words,
    lost_keywords,
    member_names,
    set_keys,
    taken_apart,
    unset_keys,
)
from bot.dependents.keys.forms import (
    LITERAL_KEY,
    PRISMA,
    READ_MEMBER,
    TERRAFORM,
    TEXT_KEY,
    is_code,
    reading_forms,
)
from bot.dependents.keys.key import Texts
from bot.dependents.keys.line_search import LineSearch, Row
from bot.dependents.keys.words import LONGEST, SHORTEST
from bot.dependents.literals import shorthands
from bot.text.filetypes import family, filetype, has_common_name
from bot.text.lines import code_of, is_comment, says
from bot.text.paths import uses_nothing
from bot.values import ChangedFile, Dependents, Query, Reference

WORDS = 60  # of one file that are looked for
FILES = 60  # tied to one changed file that are read
ROWS = 5_000
_TYPE = re.compile(
    r"^[^\w\n]*+(?:\w++\s++){0,4}?(?:class|interface|struct|record|enum|(?:def)?module|object|trait|protocol)\s++(?:[A-Z]\w*+\.)*+([A-Z]\w++)",
    re.MULTILINE,
)
_IMPORT = re.compile(
    r"^[^\w\"'`]*(?:import|require(?:_once|_relative)?|from|include(?:_once)?|use|using|export\b[^\n]*\bfrom|\}\s*+from|source|\.)(?![\w:=(.])"
    r"|\brequire\(|\bimport\("
)
_FILE_NAME = re.compile(r"[\"'`]([\w./-]{1,200}\.\w{1,12})[\"'`]")
_PARAMETER = r"(?m:^)[ \t]*+(?:async[ \t]++)?def[ \t][^\n]{0,200}?(?<!\w)NAME(?!\w)"
_OF_TYPE = re.compile(r"(?<!\w)([A-Z]\w{0,100}+)[({][^(){}\n]{0,300}+[)}]")  # a pattern for objects of one type
_DEFINES = re.compile(r"\s*+(?:async\s++)?def\b")


@dataclass(frozen=True, slots=True)
class _Loss:
    """A changed file with the keys that it no longer sets, those that it no longer takes, and the words by which others name it."""

    path: str
    before: str
    after: str
    words: frozenset[str]
    keywords: frozenset[str]
    members: frozenset[str]  # of the keys, those that are members of a class
    names: frozenset[str]


async def tied_keys(
    search: LineSearch,
    files: Sequence[ChangedFile],
    suffixes: Collection[str],
    texts: Texts,
    parts: Awaitable[Sequence[Dependents]],
) -> list[Reference]:
    """The lines of tied files that still read keys which changed files no longer set, or still hand over what these no longer take.

    `parts`: what each language says of the change; it is waited for if a key went.
    """
    losses = [loss for file in files if (loss := _loss(file, suffixes, texts, search.cut)) is not None]
    if not losses:
        return []
    ties = await _ties(search, losses, _importers(await parts), suffixes)
    sources = await search.tree.read_many(sorted({path for paths in ties.values() for path in paths}))
    readers = {path: raw.decode("utf-8", "replace") for path, raw in sources.items()}
    reads: list[tuple[_Loss, str, Row]] = []
    rows: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for loss in losses:
        for path in ties[loss.path]:
            if path not in readers:
                continue
            reads += (
                (loss, word, (path, line, text))
                for word, line, text in _reads(loss, path, readers[path], suffixes)
                if search.is_old(path, line)
            )
            for word, line, text in _handed(loss, path, readers[path]):
                if search.is_old(path, line):
                    rows[loss.path, word].append((path, line, text))
    from bot.dependents.schemas.migrations import is_of_the_past  # here: few changes lose a key

    reads = [read for read in reads if not (is_of_the_past(read[2][0]) and is_code(read[2][0], suffixes))]
    kept_words = await _set_elsewhere(
        search, {word for loss, word, _ in reads if is_code(loss.path, suffixes)}, suffixes
    )
    for loss, word, row in reads:
        if word not in kept_words or not is_code(loss.path, suffixes):
            rows[loss.path, word].append(row)
    return [
        reference
        for (path, word), mine in rows.items()
        for reference in search.mentions(f"{path}:{word}", word, mine, f"read {word}", owner=path)
    ]


def _loss(file: ChangedFile, suffixes: Collection[str], texts: Texts, cut: list[str]) -> _Loss | None:
    """A changed file, if it sets fewer keys than before. `cut`: gets a sentence for what a limit leaves out."""
    old_path = file.old_path or file.path
    before, after = texts.get(("base", old_path)), texts.get(("head", file.path))
    if before is None or after is None or old_path != file.path:
        return None
    removed_text = "\n".join(line.text for hunk in file.hunks for line in hunk.lines if line.kind == "-")
    words = {
        word
        for word in unset_keys(file.path, before, after, suffixes)
        if SHORTEST <= len(word) <= LONGEST and word in removed_text
    }
    keywords = {
        word
        for word in lost_keywords(file.path, before, after)
        if SHORTEST <= len(word) <= LONGEST and word in removed_text
    }
    if not words and not keywords:
        return None
    if len(words) > WORDS:
        cut.append(f"{file.path}: {WORDS} of the {len(words)} keys that it no longer sets were looked up in tied files")
    chosen_words = frozenset(sorted(words, key=lambda word: (-len(word), word))[:WORDS])
    names = _names(file.path, before, chosen_words, suffixes)
    members = {name for line in before.split("\n") for name in member_names(file.path, line[:LONG_LINE])}
    return _Loss(
        file.path, before, after, chosen_words, frozenset(sorted(keywords)[:WORDS]), chosen_words & members, names
    )


def _names(path: str, before: str, words: Collection[str], suffixes: Collection[str]) -> frozenset[str]:
    """The words one of which a tied file holds: what the file is called, the types that it defines, the models of a schema."""
    base = posixpath.basename(path)
    if path.endswith(PRISMA):
        models = chain.from_iterable(owners(word, before, path) for word in words)
        return frozenset(name for model in models for name in (model, model[:1].lower() + model[1:]) if model)
    if not is_code(path, suffixes):
        return frozenset({base})
    own = frozenset() if has_common_name(path) else frozenset({posixpath.splitext(base)[0]})
    return own.union(_TYPE.findall(before)) - {""}


def _importers(parts: Sequence[Dependents]) -> Mapping[str, set[str]]:
    """Changed file -> the files that import it, where an import means a file: of those of a folder its types tell which is meant."""
    importers: dict[str, set[str]] = defaultdict(set)
    for dependent in chain.from_iterable(part.files for part in parts):
        if dependent.via is None and not filetype(dependent.target).folder_modules:
            importers[dependent.target].add(dependent.path)
    return importers


async def _ties(
    search: LineSearch, losses: Sequence[_Loss], importers: Mapping[str, set[str]], suffixes: Collection[str]
) -> dict[str, list[str]]:
    """The files that are tied to each: those that import it or name it, that it names, that are stored beside it."""
    names = {name for loss in losses for name in loss.names}
    query = Query(sorted(names), word=True, limit=ROWS)
    rows = await search.rows(query, "name files whose keys went") if names else ()
    holders: dict[tuple[str, bool], set[str]] = defaultdict(set)  # (name, whether of code) -> the files that mean it
    look = re.compile(r"(?<![\w$])(?:" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + r")(?![\w$])")
    for path, _, text in rows:
        line = text[:LONG_LINE]
        imports = not is_code(path, suffixes) and _IMPORT.search(line)  # else its language has resolved them
        for name in dict.fromkeys(look.findall(line)):
            holders[name, False].add(path)
            if (name[:1].isupper() or imports) and not is_comment(line, path):
                holders[name, True].add(path)
    all_paths = list(await search.tree.entries())
    by_base: dict[str, list[str]] = defaultdict(list)
    for path in all_paths:
        by_base[posixpath.basename(path)].append(path)
    word_holders = set(
        await search.tree.grep(
            Query(sorted({word for loss in losses for word in loss.words | loss.keywords}), word=True)
        )
    )
    ties: dict[str, list[str]] = {}
    for loss in losses:
        file_names = set(_FILE_NAME.findall(loss.after))
        pages = {
            path
            for name in file_names
            for path in by_base[posixpath.basename(name)]
            if f"/{path}".endswith(f"/{name.lstrip('./')}")
        }
        beside = {
            path
            for path in (all_paths if loss.path.endswith(TERRAFORM) else ())
            if path.endswith(TERRAFORM) and posixpath.dirname(path) == posixpath.dirname(loss.path)
        }
        is_parsed = is_code(loss.path, suffixes)
        paths = {path for name in loss.names for path in holders[name, is_parsed]} | pages | beside
        paths |= _in_scope(loss, all_paths) | importers[loss.path]
        near = sorted(paths - {loss.path}, key=lambda path: (-len(posixpath.commonpath([path, loss.path])), path))
        readers = [path for path in near if path in word_holders and not uses_nothing(path)]
        if len(readers) > FILES:
            search.cut.append(f"{loss.path}: {FILES} of the {len(readers)} files that may read its keys were looked at")
        ties[loss.path] = readers[:FILES]
    return ties


def _in_scope(loss: _Loss, all_paths: Sequence[str]) -> set[str]:
    """The files that see the changed one without an import."""
    if not filetype(loss.path).folder_scope:
        return set()
    folder = posixpath.dirname(loss.path)
    return {path for path in all_paths if posixpath.dirname(path) == folder and family(path) == family(loss.path)}


def _handed(loss: _Loss, path: str, text: str) -> Iterator[tuple[str, int, str]]:
    """(word, line, text) of the lines that hand over by its name what the changed file takes no more."""
    words = [word for word in sorted(loss.keywords) if word in text]
    lines = text.split("\n") if words else []
    yield from ((word, number, lines[number - 1].rstrip("\r")) for word, number in handed_words(path, text, words))


def _reads(loss: _Loss, path: str, text: str, suffixes: Collection[str]) -> Iterator[tuple[str, int, str]]:
    """(word, line, text) of the lines that read a key that went."""
    words = {word for word in loss.words if word in text}
    if not words:
        return
    is_parsed, kind = is_code(path, suffixes), filetype(path)
    if not loss.path.endswith(PRISMA):  # what a query asks for looks like what it sets
        words -= set_keys(path, text, suffixes)
    lines_by_name = shorthands(text).takes if kind.family == "web" else {}
    looks = reading_forms(loss.path, path, suffixes)
    members = loss.members if filetype(loss.path).parser == kind.parser else frozenset[str]()
    hidden_lines = lines_inside_texts(text)
    parameters = {word for word in words if kind.key_spreads and says(_PARAMETER, word, text)}
    for number, line in enumerate(text.split("\n"), 1):
        if number in hidden_lines or is_comment(line, path) or (is_parsed and _IMPORT.search(line)):
            continue
        code = code_of(line[:LONG_LINE], path)
        taken = _OF_TYPE.sub(lambda part: part[0] if part[1] in loss.names else "", taken_apart(path, code))
        is_spread = bool(parameters) and re.search(kind.key_spreads, code) and not _DEFINES.match(code)
        for word in parameters if is_spread else ():
            yield word, number, line.rstrip("\r")
        for word in words:
            if word in code and (
                number in lines_by_name.get(word, ())
                or any(says(look, word, code) for look in looks)
                or (word in taken and any(says(look, word, taken) for look in (TEXT_KEY, LITERAL_KEY)))
                or (word in members and says(READ_MEMBER, word, code))
            ):
                yield word, number, line.rstrip("\r")


async def _set_elsewhere(search: LineSearch, words: Collection[str], suffixes: Collection[str]) -> frozenset[str]:
    """Those of the words that another file of the tree sets: a reader may mean that."""
    if not words:
        return frozenset()
    query = Query(sorted(words), word=True, limit=ROWS)
    rows = await search.rows(query, "hold keys that files no longer set", "who else sets them is not known")
    if len(rows) >= ROWS:
        return frozenset(words)
    by_path: dict[str, list[str]] = defaultdict(list)
    for path, _, text in rows:
        if not uses_nothing(path) and not is_comment(text, path):
            by_path[path].append(text)
    return frozenset(
        word for path, lines in by_path.items() for word in set_keys(path, "\n".join(lines), suffixes) & set(words)
    )
