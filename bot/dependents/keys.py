"""Keys that a change renames or removes and that other files still say: of data, settings, the environment, routes, columns, templates.

No syntax ties the two ends together. They agree on a text, across languages: what a view calls `order_total`, a template reads. So
nothing is proven here: each line that still says a distinctive key which the change takes away is open until somebody has read it.

- **Renamed**: a line is edited in place, and another word stands where the key stood. The files that still say the old one are left behind,
  however many they are and even if others still write it: they agreed with this file.
- **Removed**: the key is set or declared on a line that goes, and nothing in the tree sets or declares it any more.

No line that the change adds takes a key off the list, unless it defines the same key again (`key_definitions`): a comment, a text, a value
and another reader define nothing.
"""

import difflib
import re
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

from bot.concurrency import together
from bot.dependents.budget import SearchLimits, by_risk
from bot.dependents.byname import COMMON, suffix
from bot.dependents.key_definitions import (
    comparison,
    declares_in_schema,
    dropped_columns,
    lines_inside_texts,
    moved_keys,
    owners,
    places,
    plain_places,
    undefined_keys,
)
from bot.dependents.routes import Role, declares, is_said, parts, role, segments, shapes, with_slashes
from bot.dependents.settings_formats import Place, UnreadableSettingsError, format_of, has_parser
from bot.dependents.sites import mention, telling
from bot.dependents.tied_keys import tied_keys
from bot.ports import Tree
from bot.text.filetypes import FileType, filetype
from bot.text.lines import code_of, defines, is_comment, says
from bot.text.paths import decides_nothing, is_page, is_prose, is_settings, is_test, uses_nothing
from bot.values import ChangedFile, Dependents, DiffLine, Query, Reference, Side

TOKEN = re.compile(r"(?<=/):\w+|(?<=%)[sd](?=/)|--?[A-Za-z][\w-]*\w|/?[A-Za-z_][\w$]*(?:[./-]\w+)*|[^\w\s]|\d+")
NAME = re.compile(r"[A-Za-z_][\w$]*")
SCHEMA = re.compile(r"\.(sql|proto|graphql|gql|prisma|avsc|thrift)$", re.IGNORECASE)
CGI = "HTTP_"
HEADER = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+")
HYPHEN = re.compile(r"[A-Za-z0-9]-[A-Za-z]")
LOADS = re.compile(
    r"^[^\w\"'`]*(?:import|require(?:_once|_relative)?|from|include(?:_once)?|use|using|package|export\s+\*)\b(?!\s*[:=])"
    r"|\brequire\(|\bimport\("
)
ALIKE = 0.5  # of two lines: from here on, one is the other edited
LONG_LINE = 20_000  # characters; of a longer one the beginning is read
COMPARED = 80  # words of a line that is compared in order
SHORTEST, LONGEST = 3, 60  # letters of a key
PLAIN = 4  # the same for one that nothing but its place on the line tells from a word of a text
FILES = 60  # that say a key of several words: in more it is a word of its own
FEW = 6  # the same for a key of one word, and for one that is removed and not renamed
KEYS = 200  # of one change that are looked up
ROWS = 5_000
APART = 20  # plain words that are looked up one by one, where all of them together are everywhere
LINES = 40  # of one key
SETS, SAYS = "sets", "says"  # what a line does with a key
DECLARED = 8  # the same for one that settings or a schema lose
SETTING = 6  # letters of such a key
EVERY = 30  # lines of a block that are compared with each other, where as many are not added as are removed
SNAKE = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+")
UPPER = re.compile(r"[A-Z0-9]+(?:_[A-Z0-9]+)+")
# How a line writes a key; NAME stands for it.
ALONE = r"(?<![\w$])(?<!\w-)NAME(?![\w$])(?!-\w)"
SETTING_KEY = r"^\s*+(?:-\s++)?(?:(?:export|ENV|ARG|set)\s++)?[\"']?NAME[\"']?\s*+[:=]"
DOTTED_KEY = r"^\s*+[\"']?NAME(?:\.[\w-]++)++[\"']?\s*+[:=]"
OWN_MEMBER = re.compile(r"(?:self|this|cls)(?:\.|->)|@")
GIVEN = r"[\"'`]NAME[\"'`]\s*+(?:=>|:(?!:)|\]\s*+=(?![=>]))|(?:\.|->|::)NAME\s*+=(?![=>~])"
LITERAL = r"(?<![\w.$?(-])NAME\??\s*+:(?![:=])"  # behind a bracket it is a parameter
ARGUMENT = r"(?<![\w.])NAME=(?!=)"
EXACT = r"[\"'`]NAME[\"'`]"
WITHIN = rf"([\"'`])(?:(?!\1).){{0,400}}?{ALONE}"
CALLED = r"(?<![\w$])NAME\s*+\("
TEXTS = re.compile(r"""\"(?:[^\"\\]|\\.)*+\"?|'(?:[^'\\]|\\.)*+'?|`(?:[^`\\]|\\.)*+`?""")
ROUTE_WITHIN = r"([\"'`])(?:(?!\1).){0,400}?NAME(?![\w$])(?!-\w)"
BARE = 6  # letters of a route of one segment that is also looked up without its slash
BARE_START = r"(?:/|(?<=[:^`'\"]))"
MEMBER = r"(?:\.|->|::)NAME\b(?!\s*+\()"
SHELL = r"\$\{?NAME\b"
SYMBOL = r"(?<![\w:]):NAME\b"
TAG = r"`[^`]{0,400}?\b\w{1,40}:\\?\"(?:[^\"`]{0,200}[,;:])?NAME[\";,\\]"
ANNOTATION = r"^\s*+(?:@[\w.]{1,80}\s*+\(|\[\w{1,80}\(|#\[)[^\n]{0,200}?[\"']NAME[\"']"
CALLED_SO = r"\b\w{0,40}(?:name|id|key|alias|slug|dest)\s*+[:=]\s*+[\"']NAME[\"']"
MACRO = r"^\s*+[a-z]\w*+(?:\.\w++)?[ (]\s*+(?::NAME\b|[\"']NAME[\"'])"
MACRO_LIST = r"^\s*+[a-z]\w*+[ (]\s*+:\w++,\s[^\n]{0,300}?(?<![:\w]):NAME\b"
TAKEN_APART = r"[{,]\s*+NAME\s*+[,}=]"
STANDS_FOR = "\u01c2"  # a letter that no name holds
MANNER = re.compile(rf"([\w$.]{{0,40}}[ \t]{{0,2}}[^\w\s]{{0,3}})(?<![\w$]){STANDS_FOR}(?![\w$])([^\w\s]?)")
PASSED = re.compile(r"render|context|template|\bdict\(|update\(|format\(|extra|params|kwargs")


@dataclass(frozen=True, slots=True)
class Key:
    """A key that a file gives up."""

    word: str
    path: str
    sets: bool  # the file gave it a value or declared it
    in_settings: bool  # in a file of settings or a schema, which holds keys and nothing else
    names: frozenset[str]  # the words that stand in its place now; none if it is removed
    role: Role = "whole"  # of a route: others may write a part of it and put it together
    shapes: frozenset[str] = frozenset()  # of a route: the whole texts that held it
    manners: frozenset[str] = frozenset()  # how the file wrote it
    is_dropped: bool = (
        False  # by a statement about its column or by another section around it: its line may still exist
    )
    is_announced: bool = False  # by a text or a symbol: in a tag, an annotation, a macro, as a `name`
    is_undefined: bool = False  # the parser of the file's format knows of no definition that is left


KeyRow = tuple[str, int, str, str]  # path, line, text, word


@dataclass(frozen=True, slots=True)
class FoundRows:
    """The lines of a tree that hold some words."""

    rows: Sequence[KeyRow]
    is_whole: bool = True  # whether these are all lines of the words that are not everywhere
    everywhere: frozenset[str] = frozenset()  # words whose lines are too many


Texts = Mapping[tuple[str, str], str]  # (side, path) -> the text of the file


async def lost_keys(
    tree: Tree, files: Sequence[ChangedFile], suffixes: Collection[str], budget: SearchLimits
) -> Dependents:
    """The lines that still say keys which the change takes away. `suffixes`: those of the languages that are parsed."""
    texts = await _texts(tree, files)
    keys, cut = _given_up(files, suffixes, budget.keys, texts)
    tied = await tied_keys(tree, files, suffixes, texts) if budget.sites else Dependents()
    cut = (*cut, *tied.cut)
    if not keys or not budget.sites:
        return replace(tied, cut=cut, missed_uses=cut)
    words = {key.word: key for key in keys}
    known_names = await _known(tree, {name for key in keys for name in key.names}, suffixes)
    lines, is_whole = await _lines(tree, words, suffixes)
    fresh = {file.path: file.added_lines for file in files}
    references: list[Reference] = []
    for word, key in words.items():
        unchanged_rows = [row for row in lines[word] if row[1] not in fresh.get(row[0], ())]
        is_renamed = bool(key.names - known_names)
        if key.is_dropped:  # who declared the column, or dropped it before, does not read it
            unchanged_rows = [row for row in unchanged_rows if not (row[3] == SETS and SCHEMA.search(row[0]))]
        if key.is_dropped or SCHEMA.search(key.path):
            from bot.dependents.schemas.migrations import is_of_the_past  # here: few changes drop a column

            unchanged_rows = [row for row in unchanged_rows if not is_of_the_past(row[0])]
        if is_renamed and _is_route(word) and len({row[0] for row in unchanged_rows}) > FILES:
            unchanged_rows = await _of_the_same(tree, key, unchanged_rows)
        if not _left_behind(key, unchanged_rows, is_renamed=is_renamed):
            continue
        references += [
            mention(f"{key.path}:{word}", word, path, line, text) for path, line, text, _ in unchanged_rows[:LINES]
        ]
        if len(unchanged_rows) > LINES:
            cut = (*cut, f"{key.path}: {LINES} of the {len(unchanged_rows)} lines that still say {word} are listed")
    if not is_whole:
        cut = (*cut, f"{ROWS:,} lines and more hold keys that the change takes away: the others were not looked at")
    places_found = {(row.path, row.line, row.name) for row in references}
    references += [row for row in tied.references if (row.path, row.line, row.name) not in places_found]
    return Dependents(references=tuple(references), cut=cut, missed_uses=cut)


async def _lines(
    tree: Tree, keys: Mapping[str, Key], suffixes: Collection[str]
) -> tuple[dict[str, list[tuple[str, int, str, str]]], bool]:
    """The lines of the head that say a key, by its word, with what they do; whether these are all of them."""
    found_rows = await _found(tree, keys, "head")
    lines: dict[str, list[tuple[str, int, str, str]]] = defaultdict(list)
    given = {word for path, _, text, word in found_rows.rows if keys[word].is_announced and _gives(word, path, text)}
    for path, line, text, word in found_rows.rows:
        if word in given:
            continue
        what = _what(word, path, text, suffixes)
        if what and (not _is_route(word) or is_said(word, keys[word].role, _as_written(word, text))):
            lines[word].append((path, line, text, what))
    return lines, found_rows.is_whole


async def _known(tree: Tree, names: Collection[str], suffixes: Collection[str]) -> frozenset[str]:
    """Those of the words in the place of keys that were keys before the change. One of too many lines is no new word."""
    found_rows = await _found(tree, names, "base")
    known_names = {
        name
        for path, _, text, name in found_rows.rows
        if _what(name, path, text, suffixes)
        and (len(name) >= PLAIN or suffix(path) in suffixes or _is_key_like(name, code_of(text, path)))
    }
    return frozenset(known_names | found_rows.everywhere)


async def _found(tree: Tree, words: Collection[str], side: Side) -> FoundRows:
    """The lines that hold one of the words. Plain words that are everywhere would hide the others: then each is looked up by itself."""
    rows, is_whole = await _rows(tree, words, side)
    if is_whole:
        return FoundRows(rows)
    distinctive_words = [word for word in words if _distinctive(word)]
    plain = sorted({*words} - {*distinctive_words}, key=lambda word: (-len(word), word))
    (rows, is_whole), *parts = await together(
        _rows(tree, distinctive_words, side), *(_rows(tree, [word], side) for word in plain[:APART])
    )
    everywhere = {word for word, (_, is_all) in zip(plain, parts, strict=False) if not is_all}
    more = chain.from_iterable(mine for mine, is_all in parts if is_all)
    return FoundRows([*rows, *more], is_whole, frozenset(everywhere.union(plain[APART:])))


async def _texts(tree: Tree, files: Sequence[ChangedFile]) -> Texts:
    """The changed files that take keys away, on both sides."""
    mine = [file for file in files if file.is_analyzed and not uses_nothing(file.path)]
    after = await tree.read_many([file.path for file in mine if file.status != "deleted"])
    before = await tree.read_many([file.old_path for file in mine if file.old_path], "base")
    return {
        (side, path): source.decode("utf-8", "replace")
        for side, sources in (("base", before), ("head", after))
        for path, source in sources.items()
    }


async def _rows(tree: Tree, words: Collection[str], side: Side) -> tuple[list[KeyRow], bool]:
    """(path, line, text, word) of the lines that hold one of the words; whether these are all of them."""
    if not words:
        return [], True
    either = "|".join(_alone(word) for word in sorted(words, key=lambda word: (-len(word), word)))
    pattern = rf"(?:{either})"
    look = re.compile(pattern)
    by_header = {_header(word): word for word in words if _header(word)}
    found_rows = await tree.grep_lines(Query([pattern], syntax="perl", side=side, limit=ROWS))
    rows = [
        (path, line, text.rstrip("\r"), word)
        for path, line, text in found_rows
        for word in sorted(
            {
                _bare(word_found, words, by_header)
                for word_found in look.findall(with_slashes(code_of(text[:LONG_LINE], path)))
            }
        )
    ]
    return rows, len(found_rows) < ROWS


def _bare(word_found: str, words: Collection[str], by_header: Mapping[str, str]) -> str:
    """The key that was found, as it was asked for: a header as the change writes it, a route with its slash."""
    if word_found in words:
        return word_found
    return by_header.get(_header(word_found)) or f"/{word_found}"


def _header(word: str) -> str:
    """What a name is as a header, whose case means nothing and which CGI writes with underscores; "" if it can be none."""
    name = word.removeprefix(CGI).replace("_", "-") if word.startswith(CGI) else word
    return name.lower() if HEADER.fullmatch(name) else ""


async def _of_the_same(
    tree: Tree, key: Key, rows: Sequence[tuple[str, int, str, str]]
) -> list[tuple[str, int, str, str]]:
    """Where too many files say a route, those lines that say it behind a segment which its own file declares."""
    content = (await tree.read_many([key.path])).get(key.path, b"").decode("utf-8", "replace")
    own = {part for line in content.split("\n") for part in segments(with_slashes(code_of(line, key.path)))}
    before = re.compile(rf"/([A-Za-z][\w-]*)(?:/[{{$<][^/]*)?{re.escape(key.word)}(?![\w$])(?!-\w)")
    return [row for row in rows if not own.isdisjoint(before.findall(row[2]))]


def _what(word: str, path: str, text: str, suffixes: Collection[str]) -> str:
    """What a line of a tree does with a key; "" if it is prose, a test, a comment or the path of a module."""
    if uses_nothing(path) or is_comment(text, path) or (_is_route(word) and LOADS.search(text)):
        return ""
    code = _as_written(word, text)
    return _form(word, path, code, is_parsed=suffix(path) in suffixes) if word in code else ""


def _as_written(word: str, text: str) -> str:
    """The line with a slash in front of its routes, and of a text that is this route without one; a header as the key writes it."""
    code = with_slashes(text)
    if _header(word):
        code = re.sub(_alone(word), word, code)
    if "/" in word[1:] and _is_route(word):
        code = re.sub(rf"(?<=[`'\"]){re.escape(word[1:])}(?![\w$])", word, code)
    return code


def _alone(word: str) -> str:
    """The pattern of a word that is no part of another; a route may stand behind any other."""
    after = r"(?![\w$])(?!-\w)"
    if header := _header(word):
        forms = rf"(?i:{re.escape(header)})|{CGI}{re.escape(header.replace('-', '_').upper())}|{re.escape(word)}"
        return rf"(?<!\w)(?<!\w-)(?:{forms}){after}"
    if not _is_route(word):  # a shell, a Makefile or a page writes `$NAME`
        return rf"(?<!\w)(?<!\w-){re.escape(word)}{after}"
    bare = "/" in word[1:] or len(word) > BARE
    return rf"{BARE_START if bare else '/'}{re.escape(word[1:])}{after}"


def _is_route(word: str) -> bool:
    return word.startswith("/")


def _is_call(word: str, code: str) -> bool:
    """Whether a line calls a function of this name and has the word in no text: what stands behind a quote may stand behind a closed text."""
    return says(CALLED, word, code) and not any(says(ALONE, word, text) for text in TEXTS.findall(code))


def _left_behind(key: Key, rows: Sequence[tuple[str, int, str, str]], *, is_renamed: bool) -> bool:
    """Whether the lines that still say a key are likely to mean what this file called so."""
    others = {path for path, _, _, _ in rows if path != key.path}
    if key.is_dropped:
        return 0 < len(others) <= FILES
    plain = not _distinctive(key.word)
    is_common = plain or key.word in COMMON
    route = _is_route(key.word)
    mine = [row for row in rows if row[0] == key.path and not (route and _is_another(key, row[2]))]
    if key.is_undefined:  # its file has lines that look as if they set it
        mine = []
    if not key.sets and not route and any(what == SETS for _, _, _, what in mine):
        return False  # a reader of it went, and the file gives it a value as before
    is_telling = key.sets or not mine or (not plain and not route)
    if is_renamed and is_telling and (key.sets or not plain or route):
        few = is_common and (key.role != "whole" or not route)
        return bool(rows) and len(others) <= (FEW if few else FILES)
    if any(what == SETS for _, _, _, what in mine):
        return False
    if key.in_settings:  # a line that still sets it sets what nobody reads, a line that reads it gets nothing
        return 0 < len(others) <= DECLARED
    alone = not any(what == SETS for _, _, _, what in rows)
    return key.sets and alone and (route or not plain) and 0 < len(others) <= FEW


def _is_another(key: Key, text: str) -> bool:
    """Whether a line of the key's own file says another route that has the same segment."""
    return key.role != "start" and key.shapes.isdisjoint(shapes(key.word, _as_written(key.word, text)))


def _given_up(
    files: Sequence[ChangedFile], suffixes: Collection[str], seconds: float, texts: Texts
) -> tuple[list[Key], tuple[str, ...]]:
    """The keys that the change takes away, renamed ones first, and a sentence for what a limit cuts."""
    mine = [file for file in by_risk(files) if file.is_analyzed and not uses_nothing(file.path)]
    keys_by_word: dict[str, Key] = {}
    end, cut = time.process_time() + seconds, list[str]()
    for count, file in enumerate(mine):
        if time.process_time() > end:
            cut.append(
                f"the search for renamed keys stopped after {seconds:g} s of computing, {count} of {len(mine)} files read"
            )
            break
        is_parsed = suffix(file.path) in suffixes
        for word, text, names in _removed_words(file):
            earlier = keys_by_word.get(word)
            is_settled = earlier is not None and earlier.sets and bool(earlier.names or not names)
            if is_settled or not (names or _distinctive(word) or _declares(file.path, word) or _is_route(word)):
                continue
            what = _removed_form(word, file.path, text, is_parsed=is_parsed)
            part: Role = role(word, text) if _is_route(word) else "whole"
            if part != "whole" and not (names and (is_parsed or is_page(file.path))):
                continue  # outside code it is rather the path of a file
            is_announced = what == SAYS and not names and is_parsed and not _is_route(word)
            is_announced = is_announced and _announces(word, file.path, text)
            what = SETS if is_announced else what
            if what and (names or what == SETS):
                sets = what == SETS or (earlier is not None and earlier.sets)
                is_declared = sets and _declares(file.path, word)
                part = "whole" if earlier is not None and earlier.role == "whole" else part
                instead = names | (earlier.names if earlier is not None else frozenset())
                word_shapes = shapes(word, text) if _is_route(word) else frozenset()
                word_shapes |= earlier.shapes if earlier is not None else frozenset()
                manners = _manners(word, text) | (earlier.manners if earlier is not None else frozenset())
                is_announced &= earlier is None or earlier.is_announced
                keys_by_word[word] = Key(
                    word, file.path, sets, is_declared, instead, part, word_shapes, manners, is_announced=is_announced
                )
    for file in mine:
        try:
            _add_parsed(keys_by_word, file, suffixes, texts)
        except UnreadableSettingsError as error:
            cut.append(f"{error} as it did before the change: which keys it still defines is not known")
    _drop_redefined(keys_by_word, mine, suffixes, texts, end + seconds / 2)
    keys = sorted(
        keys_by_word.values(), key=lambda key: (not key.names, not _distinctive(key.word), -len(key.word), key.word)
    )
    if any(key.names or _distinctive(key.word) for key in keys[KEYS:]):
        cut.append(f"{KEYS} of the {len(keys)} keys that the change takes away were looked up")
    return keys[:KEYS], tuple(cut)


def _drop_redefined(
    keys_by_word: dict[str, Key], files: Sequence[ChangedFile], suffixes: Collection[str], texts: Texts, end: float
) -> None:
    """Leave out the keys that an added line defines again: it writes the key as the removed one did.

    In the key's own file that is enough; settings have to define it in the same section. Another file defines a key again that moved
    there: it is of the same type, and no other word took the key's place. Lines that are not looked at by `end` define nothing.
    """
    last = {name for word in keys_by_word for name in NAME.findall(word)[-1:]}
    by_path = {file.path: file for file in files}
    for file in files if keys_by_word else ():
        if time.process_time() > end:
            return
        is_parsed = suffix(file.path) in suffixes
        hidden_lines: frozenset[int] | None = None
        for line in (line for hunk in file.hunks for line in hunk.lines if line.kind == "+"):
            if last.isdisjoint(NAME.findall(line.text[:LONG_LINE])) or is_comment(line.text, file.path):
                continue
            code = with_slashes(code_of(line.text[:LONG_LINE], file.path))
            for word in _words(code) & keys_by_word.keys():
                key = keys_by_word[word]
                is_own = file.path == key.path
                has_moved = not key.names and format_of(file.path) == format_of(key.path)
                if key.is_dropped or not (is_own or has_moved):
                    continue
                is_defined = None if is_parsed else _is_parsed_again(key, file, by_path.get(key.path), texts)
                if is_defined is None and _defines_again(key, file.path, code, is_parsed=is_parsed):
                    if hidden_lines is None:
                        hidden_lines = lines_inside_texts(texts.get(("head", file.path), ""))
                    is_defined = line.new not in hidden_lines and _is_in_place(key, file, texts, is_parsed=is_parsed)
                if is_defined:
                    del keys_by_word[word]


def _defines_again(key: Key, path: str, code: str, *, is_parsed: bool) -> bool:
    """Whether a line does with the key what the line did that is gone: a text that holds its name does not."""
    is_member = any(OWN_MEMBER.match(manner) for manner in key.manners)
    if is_parsed and is_member and defines(code, key.word, path):
        return True  # an attribute became a property; what another class has is told from its syntax
    if not is_parsed and says(DOTTED_KEY, key.word, code):
        return True
    what = _form(key.word, path, code, is_parsed=is_parsed, whole=True)
    if not what or (_is_route(key.word) and key.shapes.isdisjoint(shapes(key.word, code))):
        return False
    if SCHEMA.search(path):
        return declares_in_schema(key.word, code, path)
    return what == SETS if key.sets else not key.manners.isdisjoint(_manners(key.word, code))


def _add_parsed(keys_by_word: dict[str, Key], file: ChangedFile, suffixes: Collection[str], texts: Texts) -> None:
    """Add the keys that a change takes away although no line that goes shows it: by a statement, by another section around them, within one line.

    Raises `UnreadableSettingsError`.
    """
    moved_words, lost_words = frozenset[str](), frozenset[str]()
    try:
        if suffix(file.path) not in suffixes and (both := _both(file, texts)):
            lost_words = undefined_keys(*both) if has_parser(file.path) else frozenset()
            moved_words = moved_keys(*both)
            if decides_nothing(file.path):  # data, which moves for many a reason
                data_words = moved_words if has_parser(file.path) and decides_nothing(file.path) == "dump" else ()
                lost_words |= frozenset(filter(_distinctive, data_words))
                moved_words = frozenset()
    finally:
        for word in (*_lost_columns(file, texts), *moved_words):
            if word not in keys_by_word and _is_telling(word):
                keys_by_word[word] = Key(
                    word, file.path, sets=True, in_settings=True, names=frozenset(), is_dropped=True
                )
    for word in lost_words:
        key = keys_by_word.get(word)
        if key is None and len(word) <= LONGEST and _declares(file.path, word):
            keys_by_word[word] = Key(word, file.path, sets=True, in_settings=True, names=frozenset(), is_undefined=True)
        elif key is not None and key.path == file.path and not key.is_dropped:
            in_settings = key.in_settings or _declares(file.path, word)
            keys_by_word[word] = replace(key, sets=True, in_settings=in_settings, is_undefined=True)


def _lost_columns(file: ChangedFile, texts: Texts) -> list[str]:
    """The columns that added statements drop and the file leaves dropped."""
    added = [line for hunk in file.hunks for line in hunk.lines if line.kind == "+"]
    rows = [(word, added[at].new or 0) for word, at in dropped_columns([line.text[:LONG_LINE] for line in added])]
    if not rows:
        return []
    from bot.dependents.schemas import sql  # few changes lose a column

    return sql.lost_columns(rows, file.path, texts.get(("head", file.path), ""), file.added_lines)


def _is_telling(word: str) -> bool:
    return SHORTEST <= len(word) <= LONGEST and telling(word)


def _both(file: ChangedFile, texts: Texts) -> tuple[frozenset[Place], frozenset[Place]] | None:
    """The keys of settings before and after the change; None if there are no two sides. Raises `UnreadableSettingsError`."""
    old_path = file.old_path or file.path
    before, after = texts.get(("base", old_path)), texts.get(("head", file.path))
    if not (is_settings(file.path) or has_parser(file.path)) or before is None or after is None:
        return None
    return comparison(file.path, after, old_path, before)


def _is_parsed_again(key: Key, file: ChangedFile, own: ChangedFile | None, texts: Texts) -> bool | None:
    """Whether a file of settings defines a key as the key's own file did; None if no parser tells."""
    if own is None or not has_parser(file.path):
        return None
    try:
        if file is own:
            if (both := _both(file, texts)) is None:
                return None
            old = _of_word(key.word, both[0])
            return old <= both[1] if old else None
        old_path = own.old_path or own.path
        old = _of_word(key.word, places(old_path, texts.get(("base", old_path), "")))
        new = places(file.path, texts.get(("head", file.path), ""))
    except UnreadableSettingsError:
        return False
    return plain_places(old) <= plain_places(new) if old else None


def _of_word(word: str, some_places: frozenset[Place]) -> frozenset[Place]:
    return frozenset(one for one in some_places if one[-1] == word)


def _is_in_place(key: Key, file: ChangedFile, texts: Texts, *, is_parsed: bool) -> bool:
    """Whether a file that is no code defines the key wherever it did: in the same section, type or table."""
    before, after = texts.get(("base", file.old_path or file.path)), texts.get(("head", file.path))
    if is_parsed or file.path != key.path or before is None or after is None:
        return True
    if SCHEMA.search(file.path):
        from bot.dependents.schemas import sql  # few changes lose a column

        if tables := sql.tables_with(key.word, before):
            return tables <= sql.tables_with(key.word, after)
        return owners(key.word, before, file.path) <= owners(key.word, after, file.path)
    try:
        old, new = comparison(file.path, after, file.old_path or file.path, before)
    except UnreadableSettingsError:
        return False
    return _of_word(key.word, old) <= new


def _manners(word: str, code: str) -> frozenset[str]:
    """How a line writes a word: the characters before it, and the one after it."""
    return frozenset("".join(match.groups()) for match in MANNER.finditer(code.replace(word, STANDS_FOR)))


def _declares(path: str, word: str) -> bool:
    if SCHEMA.search(path):
        return telling(word)
    key = is_settings(path) and len(word) >= SETTING and bool(NAME.fullmatch(word))
    return key and (_distinctive(word) or decides_nothing(path) != "CI")


def _removed_words(file: ChangedFile) -> Iterator[tuple[str, str, frozenset[str]]]:
    """(word, line, the words that take its place) for the words of each removed line."""
    for hunk in file.hunks:
        for removed_lines, added_lines in _blocks(hunk.lines):
            for text, other in _pairs(removed_lines, added_lines):
                if is_comment(text, file.path) or LOADS.search(text):
                    continue
                code, now = code_of(text, file.path), code_of(other, file.path)
                for one, two in dict.fromkeys(((code, now), (with_slashes(code), with_slashes(now)))):
                    places = _replacements(one, two) if two else {}
                    for word in _words(one):
                        yield word, one, places.get(word, frozenset())


def _blocks(lines: Sequence[DiffLine]) -> Iterator[tuple[list[str], list[str]]]:
    """The runs of removed lines, each with the added lines that take its place."""
    removed_lines: list[str] = []
    added_lines: list[str] = []
    for line in lines:
        kind, text = line.kind, line.text[:LONG_LINE]
        if kind == "-" and not added_lines:
            removed_lines.append(text)
        elif kind == "+":
            added_lines.append(text)
        elif removed_lines or added_lines:
            yield removed_lines, added_lines
            removed_lines, added_lines = ([text] if kind == "-" else []), []
    if removed_lines or added_lines:
        yield removed_lines, added_lines


def _pairs(removed_lines: Sequence[str], added_lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each removed line with the added one that it became; "" where there is none."""
    if len(removed_lines) == len(added_lines):
        yield from (
            (one, other if _likeness(one, other) >= ALIKE else "")
            for one, other in zip(removed_lines, added_lines, strict=True)
        )
        return
    left = list(added_lines[:EVERY])
    for at, one in enumerate(removed_lines):
        best = max(left, key=lambda other: _likeness(one, other), default="") if at < EVERY else ""
        if best and _likeness(one, best) >= ALIKE:
            left.remove(best)
            yield one, best
        else:
            yield one, ""


@lru_cache(maxsize=1024)
def _tokens(text: str) -> list[str]:
    return TOKEN.findall(text)


def _likeness(one: str, other: str) -> float:
    """How many of their words two lines share, 0 to 1."""
    old, new = frozenset(_tokens(one)), frozenset(_tokens(other))
    return 2 * len(old & new) / (len(old) + len(new)) if old or new else 0.0


def _replacements(before: str, after: str) -> dict[str, frozenset[str]]:
    """The words of a line in whose place other words stand in the edited line, with those."""
    old, new = _tokens(before), _tokens(after)
    if max(len(old), len(new)) > COMPARED:
        gone_words, come = (
            frozenset(chain.from_iterable(map(_words, one))) for one in (set(old) - set(new), set(new) - set(old))
        )
        return dict.fromkeys(gone_words - come, come) if come else {}
    replacements: dict[str, frozenset[str]] = {}
    for step, start, end, at, to in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        names = frozenset(name for one in new[at:to] for name in _words(one, 1) if _may_be_key(name, after))
        if step == "replace" and names:
            gone_words = frozenset(chain.from_iterable(map(_words, old[start:end])))
            replacements |= {word: _alike(word, names - gone_words) for word in gone_words - names}
    return replacements


def _alike(word: str, names: Collection[str]) -> frozenset[str]:
    """Those of the new words that are written like the old one: a name for a name, a path for a path."""
    return frozenset(name for name in names if bool(NAME.fullmatch(name)) == bool(NAME.fullmatch(word)))


def _may_be_key(name: str, code: str) -> bool:
    """Whether a word in the place of a key may be one: a short one only if the line writes it as a key."""
    return len(name) >= PLAIN or _is_key_like(name, code)


def _is_key_like(name: str, code: str) -> bool:
    """Whether a line writes a word as a key, and not as a word of a text."""
    return any(says(look, name, code) for look in (EXACT, GIVEN, LITERAL, SETTING_KEY, SHELL))


def _words(code: str, shortest: int = SHORTEST) -> frozenset[str]:
    """The names of a line, and the paths and the hyphenated words that they are parts of."""
    tokens = [one for one in _tokens(code) if one[-1:].isalnum() or one[-1:] == "_"]
    names = chain.from_iterable(NAME.findall(one) for one in tokens)
    others = chain.from_iterable(parts(one) for one in tokens if _is_route(one))
    return frozenset(word for word in (*tokens, *names, *others) if shortest <= len(word) <= LONGEST and word[0] != ":")


def _distinctive(word: str) -> bool:
    return telling(word) or bool(HYPHEN.search(word)) or "/" in word.strip("/")


def _form(word: str, path: str, code: str, *, is_parsed: bool, whole: bool = False) -> str:
    """Tell how a line uses a key: whether it sets, declares or mentions it; "" if the word is one of the program's own names there.

    `whole`: to stand in a longer text is not to say it.
    """
    if not is_parsed:
        return SETS if SCHEMA.search(path) or says(SETTING_KEY, word, code) else "" if _chain(word) else SAYS
    if _sets(word, filetype(path), code):
        return SETS
    return SAYS if _says(word, filetype(path), code, whole=whole) else ""


def _gives(word: str, path: str, text: str) -> bool:
    """Whether a line announces or defines a name, so that other lines with the name may mean this one."""
    return not (is_prose(path) or is_test(path) or is_comment(text, path)) and (
        _announces(word, path, text) or defines(text, word, path)
    )


def _announces(word: str, path: str, code: str) -> bool:
    """Whether a line of code gives others a name by a text or a symbol: in a field's tag, an annotation, a macro of a class, or called `name`."""
    look = [TAG, ANNOTATION, CALLED_SO, *((MACRO, MACRO_LIST) if filetype(path).symbols else ())]
    return any(says(one, word, code) for one in look)


def _removed_form(word: str, path: str, code: str, *, is_parsed: bool) -> str:
    """The same for a line that goes; a short word is a key only if it is written as one."""
    what = _form(word, path, code, is_parsed=is_parsed) or (SAYS if UPPER.fullmatch(word) else "")
    return what if len(word) >= PLAIN or what == SETS or says(EXACT, word, code) else ""


def _chain(word: str) -> bool:
    """Whether it may be members of members, each of which is a key by itself."""
    return "." in word and "/" not in word


def _sets(word: str, language: FileType, code: str) -> bool:
    """Whether code writes the key with a value: in a literal, through an index, to a member, or to a template."""
    if _is_route(word):
        return declares(word, code)
    literal = language.literal_keys and says(LITERAL, word, code)
    return says(GIVEN, word, code) or literal or (bool(PASSED.search(code)) and says(ARGUMENT, word, code))


def _says(word: str, language: FileType, code: str, *, whole: bool) -> bool:
    """Whether code says the key as a text, as a member, as a symbol, or as the name of data in the style of another language."""
    distinctive = _distinctive(word)
    looks = [EXACT]
    if _chain(word):
        return says(EXACT, word, code)
    if _is_route(word):
        looks.append(ROUTE_WITHIN)
    elif distinctive and not whole and says(WITHIN, word, code) and not _is_call(word, code):
        return True
    if distinctive:
        looks.append(MEMBER)
    if UPPER.fullmatch(word):
        looks.append(SHELL)
    if language.symbols:
        looks.append(SYMBOL)
    if language.camel_case and distinctive:
        looks.append(ALONE if SNAKE.fullmatch(word) else TAKEN_APART)
    return any(says(look, word, code) for look in looks)
