"""Find the code to show a model that answers a question: code that the question mentions, and the change."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot import render
from bot.diff import numbered_text
from bot.review.session import Session
from bot.values import ChangedFile, Excerpt, LookUp
from deeprepo.rlm.values import tokens

DIFF_TOKENS = 12_000
MAX_FILE_LINES = 200  # shown of a file that is mentioned without line numbers
CONTEXT_LINES = 6  # shown around a mentioned line
MAX_WORDS, MAX_SHOWN_FILES = 12, 2
_SYMBOL = re.compile(r"(?<![\w$./@-])[\w$./@-]*[\w$](?:\(\))?(?::\d+(?:-\d+)?)?")
_LINES = re.compile(r":(\d+)(?:-(\d+))?$")
_LONG_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]{2,}")
_CODE_LIKE = re.compile(r"_|\d|[a-z][A-Z]|\(\)$")  # distinguishes an identifier from an ordinary word


@dataclass(frozen=True, slots=True)
class Diff:
    """The change as text, and the paths of files that did not fit."""

    text: str
    left_out: tuple[str, ...] = ()


def names_in(question: str) -> tuple[str, ...]:
    """Return the paths and identifiers that a question mentions, those in backticks first."""
    code_words = [word for span in re.findall(r"`([^`\n]+)`", question) for word in _SYMBOL.findall(span)]
    plain = [word for word in _SYMBOL.findall(question) if _CODE_LIKE.search(word) or re.search(r"\w\.\w|/", word)]
    return tuple(dict.fromkeys([*code_words, *plain]))[:MAX_WORDS]


async def find(words: Iterable[str], session: Session, excerpts: Sequence[Excerpt] = ()) -> tuple[Excerpt, ...]:
    """Return code for these paths and identifiers. The `excerpts` are already shown, so leave them out."""
    paths = await session.tree.entries()
    look_ups = [look_up for word in words for look_up in _of_path(word, paths) or _of_name(word)]
    if session.look_ups is None or not look_ups:
        return ()
    return tuple(
        excerpt
        for result in await session.look_ups.show(look_ups, shown_excerpts=excerpts)
        for excerpt in result.excerpts
    )


def diff(files: Sequence[ChangedFile], first: Iterable[str], room: int = DIFF_TOKENS) -> Diff:
    """Return the diff of the change within a limit of `room` tokens, with the `first` files at the start."""
    first_paths = set(first)
    parts, left_out = list[str](), list[str]()
    for file in sorted((f for f in files if f.hunks and not f.skip), key=lambda f: f.path not in first_paths):
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
    """Return look-ups for files whose path is or ends with a word like "app.py" or "src/app.py:10-20"."""
    lines = _LINES.search(word)
    path = word[: lines.start()] if lines else word
    hits = [path] if path in paths else [p for p in paths if p.endswith(f"/{path}")] if "." in path else []
    first = int(lines[1][:7]) if lines else 1
    last = int((lines[2] or lines[1])[:7]) if lines else MAX_FILE_LINES
    start, end = max(1, first - CONTEXT_LINES), min(last, first + MAX_FILE_LINES) + CONTEXT_LINES
    return [LookUp("lines", "", hit, start, end) for hit in hits[:MAX_SHOWN_FILES]]


def _of_name(word: str) -> list[LookUp]:
    """Return look-ups for the definition and the occurrences of a name, or of a dotted name's last part."""
    name = word.removesuffix("()").rpartition(".")[2]
    return (
        [LookUp("definition", name), LookUp("search", rf"\b{re.escape(name)}\b")]
        if _LONG_IDENTIFIER.fullmatch(name)
        else []
    )
