"""Keys of any length that a file no longer sets, in the files that are tied to it.

`total` alone says nothing: half of a tree writes it. It does in a file that takes something from the one which lost it: that imports it,
reads these settings by the name of their file, is a page that the changed file renders, is stored beside it where files of a folder are one.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from bot.dependents.byname import suffix
from bot.dependents.key_definitions import comparison, lines_inside_texts, owners, undefined_keys
from bot.dependents.literals import shorthands
from bot.dependents.settings_formats import UnreadableSettingsError, has_parser
from bot.dependents.sites import mention
from bot.ports import Tree
from bot.text.filetypes import filetype
from bot.text.lines import code_of, is_comment, says
from bot.text.paths import decides_nothing, is_settings, uses_nothing
from bot.values import ChangedFile, Dependents, Query, Reference

SHORTEST, LONGEST = 3, 60
WORDS = 60  # of one file that are looked for
FILES = 60  # tied to one changed file that are read
ROWS = 5_000
LINES = 40  # of one key
LONG_LINE = 2_000
_NAME = r"[A-Za-z_$][\w$]*+"
_TEXT_KEY = re.compile(rf"[\"'`]({_NAME})[\"'`]\s*+(?:=>|:(?!:)|\]\s*+=(?![=>]))")
_LITERAL_KEY = re.compile(rf"(?<![\w.$?(-])({_NAME})\s*+:(?![:=])")
_PASSED = re.compile(r"render|context|template|\bdict\(|update\(|format\(|params|kwargs")
_ARGUMENT = re.compile(rf"(?<![\w.$])({_NAME})=(?!=)")
_FIELD = re.compile(rf"^[ \t]++({_NAME})\s*+(?::[^=\n]{{1,80}})?=\s*+(?:[a-z_]\w*+\.)*+[A-Z]\w*+\(")
_FUNCTION = re.compile(rf"^\s*+(?:function\s++)?({_NAME})\s*+\(\s*+\)\s*+(?:\{{|$)|^\s*+function\s++({_NAME})\s*+\{{?")
_SETTING = re.compile(rf"^\s*+(?:(?:export|ENV|ARG|local)\s++)?({_NAME})\s*+[:=](?![=:])")
_COLUMN = re.compile(rf"^\s++({_NAME})\s++[A-Z]\w*+[?\[\]]{{0,3}}(?:\s|$)")
_TYPE = re.compile(
    r"^[^\w\n]*+(?:\w++\s++){0,4}?(?:class|interface|struct|record|enum|module|object|trait|protocol)\s++([A-Z]\w++)",
    re.MULTILINE,
)
_IMPORT = re.compile(
    r"^[^\w\"'`]*(?:import|require(?:_once|_relative)?|from|include(?:_once)?|use|using|export\b[^\n]*\bfrom|\}\s*+from|source|\.)(?![\w:=(.])"
    r"|\brequire\(|\bimport\("
)
_FILE_NAME = re.compile(r"[\"'`]([\w./-]{1,200}\.\w{1,12})[\"'`]")
_EXACT = r"[\"'`]-?NAME(?:__\w{1,80})?[\"'`]"
_MEMBER = r"(?:\.|->|::)NAME(?![\w$])"
_DATA_MEMBER = r"(?:\.|->|::)NAME(?![\w$])(?!\s*+\()"
_KEYWORD = r"(?<![\w.])NAME(?:__\w{1,80})?\s*+=(?![=>])"
_PLACEHOLDER = r"(?:\{\{|\{%|<%|\$\{|\{)[^\n]{0,200}?(?<![\w$-])NAME(?![\w$-])"
_COMMAND = r"(?:^|[;&|({`]|\b(?:then|do|else|if|while|!))\s*+NAME(?![\w=(-])"
_MODULE_STEMS = frozenset({"index", "__init__", "mod", "main", "init", "lib"})
_TERRAFORM = ".tf"
_PRISMA = ".prisma"
_SHELL = (".sh", ".bash", ".zsh", ".ksh", "")


@dataclass(frozen=True, slots=True)
class _Loser:
    """A changed file with the keys that it no longer sets, and the words by which others name it."""

    path: str
    before: str
    after: str
    words: frozenset[str]
    names: frozenset[str]


Texts = Mapping[tuple[str, str], str]


async def tied_keys(tree: Tree, files: Sequence[ChangedFile], suffixes: Collection[str], texts: Texts) -> Dependents:
    """The lines of tied files that still read keys which changed files no longer set."""
    cut: list[str] = []
    losers = [loser for file in files if (loser := _loser(file, suffixes, texts, cut)) is not None]
    if not losers:
        return Dependents()
    ties = await _ties(tree, losers, cut)
    sources = await tree.read_many(sorted({path for paths in ties.values() for path in paths}))
    readers = {path: raw.decode("utf-8", "replace") for path, raw in sources.items()}
    fresh = {file.path: file.added_lines for file in files}
    rows: list[tuple[_Loser, str, str, int, str]] = []
    for loser in losers:
        for path in ties[loser.path]:
            if path in readers and _is_tied(loser, path, readers[path], suffixes):
                rows += (
                    (loser, word, path, line, text)
                    for word, line, text in _reads(loser, path, readers[path], suffixes)
                    if line not in fresh.get(path, ())
                )
    from bot.dependents.schemas.migrations import is_of_the_past  # here: few changes lose a key

    rows = [row for row in rows if not (is_of_the_past(row[2]) and _is_code(row[2], suffixes))]
    kept_words = await _set_elsewhere(
        tree, {word for loser, word, *_ in rows if _is_code(loser.path, suffixes)}, suffixes, cut
    )
    references: dict[tuple[str, str], list[Reference]] = defaultdict(list)
    for loser, word, path, line, text in rows:
        if word not in kept_words or not _is_code(loser.path, suffixes):
            references[loser.path, word].append(mention(f"{loser.path}:{word}", word, path, line, text))
    cut += [
        f"{path}: {LINES} of the {len(mine)} lines that still read {word} are listed"
        for (path, word), mine in references.items()
        if len(mine) > LINES
    ]
    listed_references = tuple(chain.from_iterable(mine[:LINES] for mine in references.values()))
    return Dependents(references=listed_references, cut=tuple(cut), missed_uses=tuple(cut))


def _is_code(path: str, suffixes: Collection[str]) -> bool:
    return suffix(path) in suffixes


def _loser(file: ChangedFile, suffixes: Collection[str], texts: Texts, cut: list[str]) -> _Loser | None:
    """A changed file, if it sets fewer keys than before. `cut`: gets a sentence for what a limit leaves out."""
    old_path = file.old_path or file.path
    before, after = texts.get(("base", old_path)), texts.get(("head", file.path))
    if before is None or after is None or old_path != file.path:
        return None
    removed_text = "\n".join(line.text for hunk in file.hunks for line in hunk.lines if line.kind == "-")
    words = {
        word
        for word in _lost_words(file.path, before, after, suffixes)
        if SHORTEST <= len(word) <= LONGEST and word in removed_text
    }
    if not words:
        return None
    if len(words) > WORDS:
        cut.append(f"{file.path}: {WORDS} of the {len(words)} keys that it no longer sets were looked up in tied files")
    chosen_words = frozenset(sorted(words, key=lambda word: (-len(word), word))[:WORDS])
    return _Loser(file.path, before, after, chosen_words, _names(file.path, before, chosen_words, suffixes))


def _lost_words(path: str, before: str, after: str, suffixes: Collection[str]) -> frozenset[str]:
    if has_parser(path) or (is_settings(path) and not _is_code(path, suffixes)):
        if decides_nothing(path) in ("CI", "vendored", "output"):
            return frozenset()
        try:
            return undefined_keys(*comparison(path, after, path, before))
        except UnreadableSettingsError:
            return frozenset()
    return _set_words(path, before, suffixes) - _set_words(path, after, suffixes)


def _set_words(path: str, text: str, suffixes: Collection[str]) -> frozenset[str]:
    """The keys that a file sets, whatever holds them."""
    kind, is_parsed = filetype(path), _is_code(path, suffixes)
    ending = suffix(path)
    looks = [_TEXT_KEY, *([_LITERAL_KEY] if kind.literal_keys else [])]
    if not is_parsed:
        looks = [_COLUMN] if ending == _PRISMA else [_SETTING] if ending == _TERRAFORM else [_FUNCTION]
        if ending not in (_PRISMA, _TERRAFORM, *_SHELL):
            return frozenset()
    words: dict[str, set[int]] = defaultdict(set)
    hidden_lines = lines_inside_texts(text)
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONG_LINE or number in hidden_lines or is_comment(line, path):
            continue
        code = code_of(line, path)
        here = {name for look in looks for match in look.finditer(code) for name in match.groups() if name}
        if is_parsed and "=" in code:
            here.update(_ARGUMENT.findall(code) if _PASSED.search(code) else ())
            here.update(_FIELD.findall(code) if kind.parser == "python" else ())
        for name in here:
            words[name].add(number)
    if kind.family != "web":
        return frozenset(words)
    braces = shorthands(text)  # `{ a: x } = b` takes what it writes like a key
    set_words = {name for name, numbers in words.items() if not numbers <= set(braces.takes.get(name, ()))}
    return frozenset(set_words | braces.gives.keys())


def _names(path: str, before: str, words: Collection[str], suffixes: Collection[str]) -> frozenset[str]:
    """The words one of which a tied file holds: what the file is called, the types that it defines, the models of a schema."""
    base = posixpath.basename(path)
    stem = posixpath.splitext(base)[0]
    if path.endswith(_PRISMA):
        models = chain.from_iterable(owners(word, before, path) for word in words)
        return frozenset(name for model in models for name in (model, model[:1].lower() + model[1:]) if model)
    if not _is_code(path, suffixes):
        return frozenset({base})
    module = posixpath.basename(posixpath.dirname(path)) if stem in _MODULE_STEMS else stem
    return frozenset(filter(None, {module, *_TYPE.findall(before)}))


async def _ties(tree: Tree, losers: Sequence[_Loser], cut: list[str]) -> dict[str, list[str]]:
    """The files that may be tied to each: those that hold a name of it, that it names, that are stored beside it."""
    names = {name for loser in losers for name in loser.names}
    rows = await tree.grep_lines(Query(sorted(names), word=True, limit=ROWS)) if names else ()
    if len(rows) >= ROWS:
        cut.append(f"{ROWS:,} lines and more name files whose keys went: the others were not looked at")
    holders: dict[str, set[str]] = defaultdict(set)
    look = re.compile(r"(?<![\w$])(?:" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + r")(?![\w$])")
    for path, _, text in rows:
        for name in set(look.findall(text[:LONG_LINE])):
            holders[name].add(path)
    all_paths = list(await tree.entries())
    by_base: dict[str, list[str]] = defaultdict(list)
    for path in all_paths:
        by_base[posixpath.basename(path)].append(path)
    word_holders = set(await tree.grep(Query(sorted({word for loser in losers for word in loser.words}), word=True)))
    ties: dict[str, list[str]] = {}
    for loser in losers:
        file_names = set(_FILE_NAME.findall(loser.after))
        pages = {
            path
            for name in file_names
            for path in by_base[posixpath.basename(name)]
            if f"/{path}".endswith(f"/{name.lstrip('./')}")
        }
        beside = {
            path
            for path in (all_paths if loser.path.endswith(_TERRAFORM) else ())
            if path.endswith(_TERRAFORM) and posixpath.dirname(path) == posixpath.dirname(loser.path)
        }
        paths = {path for name in loser.names for path in holders[name]} | pages | beside
        near = sorted(paths - {loser.path}, key=lambda path: (-len(posixpath.commonpath([path, loser.path])), path))
        readers = [path for path in near if path in word_holders and not uses_nothing(path)]
        if len(readers) > FILES:
            cut.append(f"{loser.path}: {FILES} of the {len(readers)} files that may read its keys were looked at")
        ties[loser.path] = readers[:FILES]
    return ties


def _is_tied(loser: _Loser, path: str, text: str, suffixes: Collection[str]) -> bool:
    """Whether a file that holds a name of the changed one, or is named by it, means it."""
    if not _is_code(loser.path, suffixes):
        return True
    types = {name for name in loser.names if name[:1].isupper()}
    module = loser.names - types
    name = posixpath.basename(path)
    if re.search(rf"[\"'`/]{re.escape(name)}[\"'`]", loser.after):
        return True
    return any(
        (says(r"(?<![\w$])NAME(?![\w$])", one, line) and (one in types or _IMPORT.search(line)))
        for line in text.split("\n")
        for one in (*types, *module)
        if one in line and not is_comment(line, path)
    )


def _reads(loser: _Loser, path: str, text: str, suffixes: Collection[str]) -> Iterator[tuple[str, int, str]]:
    """(word, line, text) of the lines that read a key that went."""
    words = {word for word in loser.words if word in text}
    if not words:
        return
    is_parsed, kind = _is_code(path, suffixes), filetype(path)
    if not loser.path.endswith(_PRISMA):  # what a query asks for looks like what it sets
        words -= _set_words(path, text, suffixes)
    lines_by_name = shorthands(text).takes if kind.family == "web" else {}
    looks = list(_looks(loser.path, path, is_parsed=is_parsed, suffixes=suffixes))
    hidden_lines = lines_inside_texts(text)
    for number, line in enumerate(text.split("\n"), 1):
        if number in hidden_lines or is_comment(line, path) or (is_parsed and _IMPORT.search(line)):
            continue
        code = code_of(line[:LONG_LINE], path)
        for word in words:
            if word in code and (
                number in lines_by_name.get(word, ()) or any(says(look, word, code) for look in looks)
            ):
                yield word, number, line.rstrip("\r")


def _looks(loser: str, path: str, *, is_parsed: bool, suffixes: Collection[str]) -> Iterable[str]:
    """How a file may read a key of another."""
    if not _is_code(loser, suffixes) and posixpath.splitext(loser)[1].lower() in _SHELL:
        return () if is_parsed else (_COMMAND,)
    if path.endswith(_TERRAFORM):
        return (_MEMBER,) if loser.endswith(_TERRAFORM) else ()
    if not is_parsed:
        return () if is_settings(path) else (_PLACEHOLDER,)
    looks = [_EXACT, _MEMBER if filetype(loser).family == "web" else _DATA_MEMBER]
    if filetype(loser).parser == "python":
        looks = [_EXACT, _KEYWORD]
    if loser.endswith(_PRISMA):
        looks.append(r"(?<![\w.$?(-])NAME\s*+:(?![:=])")
    return looks


async def _set_elsewhere(
    tree: Tree, words: Collection[str], suffixes: Collection[str], cut: list[str]
) -> frozenset[str]:
    """Those of the words that another file of the tree sets: a reader may mean that."""
    if not words:
        return frozenset()
    rows = await tree.grep_lines(Query(sorted(words), word=True, limit=ROWS))
    if len(rows) >= ROWS:
        cut.append(f"{ROWS:,} lines and more hold keys that files no longer set: who else sets them is not known")
        return frozenset(words)
    by_path: dict[str, list[str]] = defaultdict(list)
    for path, _, text in rows:
        if not uses_nothing(path) and not is_comment(text, path):
            by_path[path].append(text)
    return frozenset(
        word for path, lines in by_path.items() for word in _set_words(path, "\n".join(lines), suffixes) & set(words)
    )
