"""The code that an answer can rest on: what a question names, found in the tree, and the change itself; under a limit."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot import render
from bot.diff import numbered_text
from bot.ports import Tree
from bot.text.lines import definition
from bot.values import ChangedFile, DiffRow, Excerpt, Query, tokens

EXCERPT_TOKENS, DIFF_TOKENS = 6_000, 12_000
WHOLE = 200  # lines of a file that is named without lines
AROUND, BODY = 6, 30  # lines around a use, and after the line that defines a name
MAX_WORDS, MAX_FILES, MAX_DEFINITIONS, MAX_USES = 12, 2, 3, 6
_WORD = re.compile(r"(?<![\w$./@-])[\w$./@-]*[\w$](?:\(\))?(?::\d+(?:-\d+)?)?")
_LINES = re.compile(r":(\d+)(?:-(\d+))?$")
_NAME = re.compile(r"[A-Za-z_$][\w$]{2,}")
_TELLING = re.compile(r"_|\d|[a-z][A-Z]|\(\)$")  # how a name differs from a word of prose


@dataclass(frozen=True, slots=True)
class Diff:
    """The change as rows, and the files for which there was no room."""

    text: str
    left_out: tuple[str, ...] = ()


def names_in(question: str) -> tuple[str, ...]:
    """What a question names: paths, and names that are not words of prose, those in backticks first."""
    code_words = [word for span in re.findall(r"`([^`\n]+)`", question) for word in _WORD.findall(span)]
    plain = [word for word in _WORD.findall(question) if _TELLING.search(word) or re.search(r"\w\.\w|/", word)]
    return tuple(dict.fromkeys([*code_words, *plain]))[:MAX_WORDS]


async def look(words: Iterable[str], tree: Tree, excerpts: Sequence[Excerpt] = ()) -> tuple[Excerpt, ...]:
    """What the tree holds for these words, beside what is known already."""
    shown_excerpts, room = list(excerpts), EXCERPT_TOKENS
    paths = await tree.entries()
    for word in words:
        places = _of_path(word, paths)
        for path, first, last in places or await _of_name(word, tree):
            excerpt = await _excerpt(tree, path, first, last)
            if excerpt is None or any(
                other.holds(path, excerpt.side, excerpt.start, excerpt.end) for other in shown_excerpts
            ):
                continue
            if (size := tokens(excerpt.body)) <= room:
                room -= size
                shown_excerpts.append(excerpt)
    return tuple(shown_excerpts[len(excerpts) :])


def diff(files: Sequence[ChangedFile], first: Iterable[str], room: int = DIFF_TOKENS) -> Diff:
    """The change under a limit (tokens); files that the question is about come first."""
    lines = set(first)
    parts, left_out = list[str](), list[str]()
    for file in sorted((f for f in files if f.hunks and not f.skip), key=lambda f: f.path not in lines):
        text = (
            f"--- {render.name(file.path)} ({file.status}) ---\n{render.inside(numbered_text(file.hunks))}\n--- end ---"
        )
        if (size := tokens(text)) <= room:
            room -= size
            parts.append(text)
        else:
            left_out.append(file.path)
    return Diff("\n\n".join(parts), tuple(left_out))


def _of_path(word: str, paths: Mapping[str, object]) -> list[tuple[str, int, int]]:
    """The file that a word names, whole or by its end, with the lines behind a colon."""
    lines = _LINES.search(word)
    path = word[: lines.start()] if lines else word
    hits = [path] if path in paths else [p for p in paths if p.endswith(f"/{path}")] if "." in path else []
    first = int(lines[1][:7]) if lines else 1
    last = int((lines[2] or lines[1])[:7]) if lines else WHOLE
    return [(hit, max(1, first - AROUND), min(last, first + WHOLE) + AROUND) for hit in hits[:MAX_FILES]]


async def _of_name(word: str, tree: Tree) -> list[tuple[str, int, int]]:
    """Where the last part of a dotted name is defined, and some of its uses."""
    name = word.removesuffix("()").rpartition(".")[2]
    if not _NAME.fullmatch(name):
        return []
    definitions = await tree.grep_lines(Query([definition(name)], syntax="perl", limit=MAX_DEFINITIONS))
    uses = await tree.grep_lines(Query([name], word=True, limit=4 * MAX_USES))
    spans = [(path, line, line + BODY) for path, line, _ in definitions]
    return [*spans, *_spread(uses)]


def _spread(rows: Iterable[tuple[str, int, str]]) -> Iterator[tuple[str, int, int]]:
    """Some uses, at most two of one file: a name is explained by who uses it, not by how often."""
    counts: dict[str, int] = {}
    for path, line, _ in rows:
        counts[path] = counts.get(path, 0) + 1
        if counts[path] <= MAX_FILES and sum(min(n, MAX_FILES) for n in counts.values()) <= MAX_USES:
            yield path, max(1, line - AROUND), line + AROUND


async def _excerpt(tree: Tree, path: str, first: int, last: int) -> Excerpt | None:
    blob = await tree.read(path)
    text = blob.decode("utf-8", "replace").removesuffix("\n") if blob and b"\0" not in blob else ""
    lines = text.split("\n") if text else []
    last = min(len(lines), last)
    rows = tuple(DiffRow("", lines[number - 1][:400], number) for number in range(first, last + 1))
    return Excerpt(path, first, last, rows) if rows else None
