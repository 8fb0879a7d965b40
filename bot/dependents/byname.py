"""What no syntax ties together: the unchanged lines elsewhere that hold the distinctive words of a changed file.

Of a file that no language plug-in reads, any such word; of code, a string that two files share and that one of them gives up.
Nothing is sure here: a word may mean anything. So only words that are long, made of parts, and rare in the tree are looked up.
"""

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from bot.dependents.budget import SearchLimits
from bot.dependents.sites import mention, telling
from bot.lines import code_of, is_comment
from bot.paths import is_prose, is_settings, is_test
from bot.ports import Tree
from bot.values import ChangedFile, Dependents, Reference

WORD = re.compile(r"(?<![\w$])[A-Za-z_]\w{5,59}(?![\w$])")
KEY = re.compile(r"\s*(?:-\s+)?(?:export\s+)?[\"']?([A-Za-z_]\w{5,59})[\"']?\s*[:=]")
STRING = re.compile(r"([\"'`])(-{0,2}[A-Za-z_][\w./-]{5,59})\1")
WHOLE = re.compile(r"(?<![\w./-])-{0,2}[A-Za-z_][\w./-]{5,59}(?![\w/-])")  # a string as it stands in any text
HYPHEN = re.compile(r"[a-z0-9]-[a-z]")
LOADS = re.compile(r"\b(import|require|from|include|use|using)\b")  # what it names is looked up as a module
SCHEMA = re.compile(r"\.(sql|proto|graphql|gql|prisma|avsc|thrift)$", re.IGNORECASE)
LONG = 12  # letters of a word that is distinctive without parts
WORDS = 24  # per file; one pattern for all
RARE = 8  # files that hold a word: more say nothing
LINES = 2_000
NAMED = 6  # files in a sentence
# Made of two parts and still everywhere.
EVERYWHERE = (
    "application authorization configuration container_name createdAt created_at currentVersion dependencies description "
    "development documentation environment error_message file_name filename first_name host_name hostname implementation "
    "information initialize is_active last_name node_modules node_version python_version ref_name repository responsibility "
    "runs_on timestamp updatedAt updated_at user_id user_name username working_directory"
)
COMMON = frozenset(EVERYWHERE.split())


async def by_name(
    tree: Tree, files: Sequence[ChangedFile], suffixes: Iterable[str], budget: SearchLimits
) -> Dependents:
    """References by name alone for the files whose suffix no language reads, and the sentence that reports it."""
    read = frozenset(suffixes)
    mine = [file for file in files if file.analyzed and not is_prose(file.path) and suffix(file.path) not in read]
    shared = await _given_up(tree, files, read) if budget.sites else ()
    if not mine:
        return Dependents(references=shared)
    owners: dict[str, ChangedFile] = {}
    for file in mine[: budget.files]:
        for word in _words(file):
            owners.setdefault(word, file)
    rows = await _lines(tree, list(owners)) if budget.sites else []
    keys = {word for file in mine for word in _lost_keys(file)}
    changed = {file.path: file for file in files}
    held: dict[str, set[str]] = defaultdict(set)
    for word, path, _, _ in rows:
        if not is_test(path):
            held[word].add(path)
    found: dict[str, list[Reference]] = defaultdict(list)
    for word, path, line, text in rows:
        there = changed.get(path)
        if path != owners[word].path and len(held[word]) <= RARE and (there is None or line not in there.added):
            lone = word in keys and not is_comment(text, path) and word in code_of(text, path)
            found[word].append(mention(f"{owners[word].path}:{word}", word, path, line, text, lone=lone))
    kept = [row for listed in found.values() for row in sorted(listed, key=_order)[: budget.sites]]
    return Dependents(references=(*kept, *shared), cut=_said(mine))


async def _given_up(tree: Tree, files: Sequence[ChangedFile], read: frozenset[str]) -> tuple[Reference, ...]:
    """Lines that hold a string which the change takes out of the only other file that had it.

    A variable of the environment, a column, a flag, a key: one file wrote it and one read it. Where more files share it, those
    that are left may well agree, and nothing follows.
    """
    owners: dict[str, ChangedFile] = {}
    come = {
        text
        for file in files
        for hunk in file.hunks
        for line in hunk.lines
        if line.kind == "+"
        for text in WHOLE.findall(line.text)
    }
    for file in files:
        if file.analyzed and suffix(file.path) in read and not is_test(file.path):
            for word in _strings(file):
                if word not in come:
                    owners.setdefault(word, file)
    words = sorted(owners, key=lambda word: (-len(word), word))[:WORDS]
    if not words:
        return ()
    pattern = rf"(?<![\w./-])(?:{'|'.join(map(re.escape, words))})(?![\w/-])"
    rows = defaultdict(list)
    for path, line, text in await tree.grep_lines([pattern], syntax="perl", limit=LINES):
        if not is_prose(path) and not is_test(path) and not is_comment(text, path):
            for word in owners.keys() & set(WHOLE.findall(code_of(text, path))):
                rows[word].append((path, line, text.rstrip("\r")))
    changed = {file.path: file.added for file in files}
    return tuple(
        mention(f"{owners[word].path}:{word}", word, path, line, text)
        for word in words
        if {path for path, _, _ in rows[word]} - {owners[word].path} and len({path for path, _, _ in rows[word]}) == 1
        for path, line, text in rows[word]
        if line not in changed.get(path, ())
    )


def _strings(file: ChangedFile) -> set[str]:
    """The distinctive strings that the change takes out of a file, as far as its diff shows."""
    lines = [line for hunk in file.hunks for line in hunk.lines]
    gone = {
        found[1]
        for line in lines
        if line.kind == "-" and not is_comment(line.text, file.path) and not LOADS.search(line.text[:400])
        for found in STRING.findall(line.text[:400])
    }
    return {word for word in gone if word not in COMMON and (telling(word) or HYPHEN.search(word))}


def suffix(path: str) -> str:
    """The ending that decides who reads a file."""
    return posixpath.splitext(path)[1].lower()


def _words(file: ChangedFile) -> list[str]:
    """The distinctive words of the changed lines: first those that the change takes away, then by how often they stand there."""
    gone: Counter[str] = Counter()
    come: Counter[str] = Counter()
    for hunk in file.hunks:
        for line in hunk.lines:
            if line.kind != " " and not is_comment(line.text, file.path):
                (gone if line.kind == "-" else come).update(WORD.findall(line.text[:400]))
    words = [word for word in gone | come if word not in COMMON and (telling(word) or len(word) >= LONG)]
    words.sort(key=lambda word: (word not in gone or word in come, word not in gone, -len(word), word))
    return words[:WORDS]


async def _lines(tree: Tree, words: Sequence[str]) -> list[tuple[str, str, int, str]]:
    """(word, path, line, text) of every line of the head tree that holds one of the words."""
    if not words:
        return []
    any_word = rf"\b(?:{'|'.join(re.escape(word) for word in sorted(words))})\b"
    wanted = frozenset(words)
    return [
        (word, path, line, text.rstrip("\r"))
        for path, line, text in await tree.grep_lines([any_word], syntax="perl", limit=LINES)
        if not is_prose(path)
        for word in sorted(wanted.intersection(WORD.findall(text)))
    ]


def _order(row: Reference) -> tuple[bool, bool, str, int]:
    return row.test, not row.lone, row.path, row.line


def _lost_keys(file: ChangedFile) -> set[str]:
    """The keys of a settings file, or the names of a schema, that the change takes away: whoever still writes one reads nothing."""
    lines = [line for hunk in file.hunks for line in hunk.lines]
    if SCHEMA.search(file.path):
        gone = {word for line in lines if line.kind == "-" for word in WORD.findall(line.text[:400]) if telling(word)}
    elif is_settings(file.path):
        gone = {found[1] for line in lines if line.kind == "-" and (found := KEY.match(line.text[:400]))}
    else:
        return set()
    return gone - {word for line in lines if line.kind != "-" for word in WORD.findall(line.text[:400])}


def _said(files: Sequence[ChangedFile]) -> tuple[str, ...]:
    """One sentence per kind of file."""
    kinds: Mapping[str, list[str]] = defaultdict(list)
    for file in files:
        kinds[suffix(file.path) or posixpath.basename(file.path)].append(file.path)
    return tuple(
        f"{kind} files are not parsed: uses of what changed in {', '.join(paths[:NAMED])}{' and more' if len(paths) > NAMED else ''} "
        "were searched by name only"
        for kind, paths in sorted(kinds.items())
    )
