"""What no syntax ties together: the unchanged lines elsewhere that hold the distinctive words of a file that no language plug-in reads.

Nothing is sure here: a word may mean anything. So only words that are long, made of parts, and rare in the tree are looked up.
"""

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from impact.changes import ChangedFile, Dependents, Query, Reference
from impact.filetypes import filetype
from impact.ports import Tree
from impact.text.lines import is_comment
from impact.text.paths import is_prose, is_test
from impact.uses.budget import SearchLimits, by_risk
from impact.uses.sites import mention
from impact.uses.targets import telling

WORD = re.compile(r"(?<![\w$\\])[A-Za-z_]\w{5,59}(?![\w$])")  # not the escape \u8A9E of a translation
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
    mine = [file for file in files if file.is_analyzed and not is_prose(file.path) and suffix(file.path) not in read]
    if not mine:
        return Dependents()
    owners: dict[str, ChangedFile] = {}
    mine = by_risk(mine)
    for file in mine[: budget.files]:
        for word in _words(file):
            owners.setdefault(word, file)
    rows = await _lines(tree, list(owners)) if budget.sites else []
    changed_files = {file.path: file for file in files}
    names_by_file: dict[str, set[str]] = defaultdict(set)
    for word, path, line, _ in rows:
        if not is_test(path) and (path not in changed_files or line not in changed_files[path].added_lines):
            names_by_file[word].add(path)
    references_by_name: dict[str, list[Reference]] = defaultdict(list)
    for word, path, line, text in rows:
        there = changed_files.get(path)
        if (
            path != owners[word].path
            and len(names_by_file[word]) <= RARE
            and (there is None or line not in there.added_lines)
        ):
            references_by_name[word].append(mention(f"{owners[word].path}:{word}", word, path, line, text, lone=False))
    references_kept = [
        row
        for name_references in references_by_name.values()
        for row in sorted(name_references, key=_order)[: budget.sites]
    ]
    return Dependents(references=tuple(references_kept), cut=(*_notes(mine, budget.install), *_beyond(mine, budget)))


def suffix(path: str) -> str:
    """The ending that decides who reads a file."""
    return posixpath.splitext(path)[1].lower()


def _words(file: ChangedFile) -> list[str]:
    """The distinctive words of the changed lines: first those that the change takes away, then by how often they stand there."""
    removed_counts: Counter[str] = Counter()
    come: Counter[str] = Counter()
    for hunk in file.hunks:
        for line in hunk.lines:
            if line.kind != " " and not is_comment(line.text, file.path):
                (removed_counts if line.kind == "-" else come).update(WORD.findall(line.text[:400]))
    words = [word for word in removed_counts | come if word not in COMMON and (telling(word) or len(word) >= LONG)]
    words.sort(
        key=lambda word: (word not in removed_counts or word in come, word not in removed_counts, -len(word), word)
    )
    return words[:WORDS]


async def _lines(tree: Tree, words: Sequence[str]) -> list[tuple[str, str, int, str]]:
    """(word, path, line, text) of every line of the head tree that holds one of the words."""
    if not words:
        return []
    any_word = rf"\b(?:{'|'.join(re.escape(word) for word in sorted(words))})\b"
    wanted_words = frozenset(words)
    return [
        (word, path, line, text.rstrip("\r"))
        for path, line, text in await tree.grep_lines(Query([any_word], syntax="perl", limit=LINES))
        if not is_prose(path)
        for word in sorted(wanted_words.intersection(WORD.findall(text)))
    ]


def _order(row: Reference) -> tuple[bool, str, int]:
    return row.test, row.path, row.line


def _beyond(files: Sequence[ChangedFile], budget: SearchLimits) -> tuple[str, ...]:
    if len(files) <= budget.files:
        return ()
    return (f"names were looked for of {budget.files} of the {len(files)} changed files that are not parsed",)


def _notes(files: Sequence[ChangedFile], how_to_install: Callable[[str], str]) -> tuple[str, ...]:
    """One sentence about all of them, and one about those whose grammar can be installed."""
    if not files:
        return ()
    kinds = sorted({suffix(file.path) or posixpath.basename(file.path) for file in files})
    file_list = _some([file.path for file in files])
    note = f"{_some(kinds)} files are not parsed: uses of what changed in {file_list} were searched by name only"
    lacking: dict[str, set[str]] = defaultdict(set)
    for file in files:
        if extra := filetype(file.path).extra:
            lacking[extra].add(suffix(file.path))
    return (
        note,
        *(f"to have {_some(sorted(kinds))} files parsed, {how_to_install(extra)}" for extra, kinds in lacking.items()),
    )


def _some(names: Sequence[str]) -> str:
    return f"{', '.join(names[:NAMED])}{' and more' if len(names) > NAMED else ''}"
