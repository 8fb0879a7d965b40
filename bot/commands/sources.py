"""Find the code for an answer: what a question names, and the change itself, within a limit."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot import render
from bot.diff import numbered_text
from bot.review.session import Session
from bot.values import ChangedFile, Excerpt, LookUp
from deeprepo.rlm.values import tokens

DIFF_TOKENS = 12_000
WHOLE = 200  # lines shown of a file that is named without lines
LINES_AROUND_NAMED = 6  # lines around a named line
MAX_WORDS, MAX_SHOWN_FILES = 12, 2
_SYMBOL = re.compile(r"(?<![\w$./@-])[\w$./@-]*[\w$](?:\(\))?(?::\d+(?:-\d+)?)?")
_LINES = re.compile(r":(\d+)(?:-(\d+))?$")
_LONG_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]{2,}")
_TELLING = re.compile(r"_|\d|[a-z][A-Z]|\(\)$")  # distinguishes a name from a word of prose


@dataclass(frozen=True, slots=True)
class Diff:
    """The change as text, and the files without room."""

    text: str
    left_out: tuple[str, ...] = ()


def names_in(question: str) -> tuple[str, ...]:
    """Return the paths and identifiers that a question names, those in backticks first."""
    code_words = [word for span in re.findall(r"`([^`\n]+)`", question) for word in _SYMBOL.findall(span)]
    plain = [word for word in _SYMBOL.findall(question) if _TELLING.search(word) or re.search(r"\w\.\w|/", word)]
    return tuple(dict.fromkeys([*code_words, *plain]))[:MAX_WORDS]


async def look(words: Iterable[str], session: Session, excerpts: Sequence[Excerpt] = ()) -> tuple[Excerpt, ...]:
    """Return what the tree contains for these words, without what is already shown."""
    paths = await session.tree.entries()
    wishes = [wish for word in words for wish in _of_path(word, paths) or _of_name(word)]
    if session.look_ups is None or not wishes:
        return ()
    return tuple(
        excerpt
        for result in await session.look_ups.show(wishes, shown_excerpts=excerpts)
        for excerpt in result.excerpts
    )


def diff(files: Sequence[ChangedFile], first: Iterable[str], room: int = DIFF_TOKENS) -> Diff:
    """Return the change within a limit of tokens, with the `first` files at the start."""
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


def _of_path(word: str, paths: Mapping[str, object]) -> list[LookUp]:
    """Return the files that a word names, fully or by their end, with the lines after a colon."""
    lines = _LINES.search(word)
    path = word[: lines.start()] if lines else word
    hits = [path] if path in paths else [p for p in paths if p.endswith(f"/{path}")] if "." in path else []
    first = int(lines[1][:7]) if lines else 1
    last = int((lines[2] or lines[1])[:7]) if lines else WHOLE
    start, end = max(1, first - LINES_AROUND_NAMED), min(last, first + WHOLE) + LINES_AROUND_NAMED
    return [LookUp("lines", "", hit, start, end) for hit in hits[:MAX_SHOWN_FILES]]


def _of_name(word: str) -> list[LookUp]:
    """Return look-ups for the definition of a dotted name's last part, and for its occurrences."""
    name = word.removesuffix("()").rpartition(".")[2]
    return (
        [LookUp("definition", name), LookUp("search", rf"\b{re.escape(name)}\b")]
        if _LONG_IDENTIFIER.fullmatch(name)
        else []
    )
