"""The words of removed lines, each with the words that take its place: a removed line is compared with the added one that it became."""

import difflib
from collections.abc import Iterator, Sequence
from itertools import chain

from bot.dependents.keys.forms import EXACT, LOADS, is_key_like
from bot.dependents.keys.routes import is_joined, with_slashes
from bot.dependents.keys.words import LONG_LINE, NAME, PLAIN, tokens_of, words_of
from bot.text.lines import code_of, is_comment, says
from bot.values import ChangedFile, DiffLine

ALIKE = 0.5  # of two lines: from here on, one is the other edited
COMPARED = 80  # words of a line that is compared in order
EVERY = 30  # lines of a block that are compared with each other, where as many are not added as are removed


def removed_words(file: ChangedFile) -> Iterator[tuple[str, str, frozenset[str]]]:
    """(word, line, the words that take its place) for the words of each removed line."""
    for hunk in file.hunks:
        for removed_lines, added_lines in _blocks(hunk.lines):
            for text, other in _pairs(removed_lines, added_lines):
                if is_comment(text, file.path) or LOADS.search(text):
                    continue
                code, now = code_of(text, file.path), code_of(other, file.path)
                for one, two in dict.fromkeys(((code, now), (with_slashes(code), with_slashes(now)))):
                    places = _replacements(one, two) if two else {}
                    for word in words_of(one):
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
    """Pair each removed line with its replacement, or with an empty text."""
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


def _likeness(one: str, other: str) -> float:
    """How many of their words two lines share, 0 to 1."""
    old, new = frozenset(tokens_of(one)), frozenset(tokens_of(other))
    return 2 * len(old & new) / (len(old) + len(new)) if old or new else 0.0


def _replacements(before: str, after: str) -> dict[str, frozenset[str]]:
    """Map each word that an edit takes out of a line to the words that replace it."""
    old, new = tokens_of(before), tokens_of(after)
    if max(len(old), len(new)) > COMPARED:
        gone_words, come = (
            frozenset(chain.from_iterable(map(words_of, one))) for one in (set(old) - set(new), set(new) - set(old))
        )
        return dict.fromkeys(gone_words - come, come) if come else {}
    replacements: dict[str, frozenset[str]] = {}
    for step, start, end, at, to in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        names = frozenset(name for one in new[at:to] for name in _new_words(one, after) if _may_be_key(name, after))
        if step == "replace" and names:
            gone_words = frozenset(chain.from_iterable(map(words_of, old[start:end])))
            others = names - gone_words
            plain = frozenset(filter(NAME.fullmatch, others))
            joined = frozenset(name for name in others if _is_joined_text(name, after))
            for word in gone_words - names:
                like = plain if NAME.fullmatch(word) else others - plain
                replacements[word] = others if _is_joined_text(word, before) else like | joined
    return replacements


def _new_words(token: str, code: str) -> frozenset[str]:
    """The words of an added token; a text of joined words is one."""
    return frozenset({token}) if _is_joined_text(token, code) else words_of(token, 1)


def _is_joined_text(word: str, code: str) -> bool:
    """Whether a line has joined words as a text. They take the place of a name, of hyphenated words and of a path, and these theirs."""
    return is_joined(word) and says(EXACT, word, code)


def _may_be_key(name: str, code: str) -> bool:
    """Whether a word in the place of a key may be one: a short one only if the line writes it as a key."""
    return len(name) >= PLAIN or is_key_like(name, code)
