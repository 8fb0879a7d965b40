"""The trees of a change for code that answers a model: no answer depends on a secret that the model may not see.

A search that is answered from the text itself would spell a secret out, one question at a time. So a search finds a line with a secret
only by the text around the secret, and a quote is compared with what readers were shown. A file is looked through as a whole when it
is read, because a part of a secret is not recognised as one.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot.checkout.tree import TreeView
from bot.masking.masks import Masks
from bot.ports import Tree
from bot.values import Query, Side

SEARCHED = 300  # characters of a piece of a line with a secret in which a pattern is tried
# What a pattern may hold to be tried beside a secret: no look-around, whose answer depends on what is not shown, no repeated group and
# few repetitions, which take time.
LOOKS_AROUND = re.compile(r"\(\?(?!:|i\))|\(\*|\\[KGQEXR]")
REPEATED_GROUP = re.compile(r"\)(?:[*+]|\{)")
REPETITION = re.compile(r"(?<!\\)(?:[*+]|\{\d*,\d*\})")
MOST_REPETITIONS = 2
EDGE = re.compile(r"\\[bBAzZ]|\$|\^")  # matches by the character beside it


class MaskedTree(TreeView):
    """A `Tree` that learns the secrets of each file it reads, and finds no line by what a secret holds.

    `grep` looks into secrets too: it is for patterns that no model has written.
    """

    def __init__(self, tree: Tree, masks: Masks) -> None:
        super().__init__(tree)
        self._masks = masks

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> dict[str, bytes]:
        """The contents of many files, with their secrets: who shows a part of one hides them."""
        blobs = await self._tree.read_many(paths, side)
        self._masks.learn_files({path: blob.decode("utf-8", "replace") for path, blob in blobs.items()})
        return blobs

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """The matching lines as (path, line, text); of lines with a secret those that match beside it, whatever the secret is."""
        # More than are wanted: what is left out must not move what is shown.
        rows = await self._tree.grep_lines(replace(query, limit=2 * query.limit))
        await self.read_many(list(dict.fromkeys(path for path, _, _ in rows)), query.side)
        return tuple(row for row in rows if self._matches(row[2], query))[: query.limit]

    def _matches(self, line: str, query: Query) -> bool:
        places = self._masks.places(line)
        if not places:
            return True
        pieces = list(_beside(line, places))
        for pattern in query.patterns:
            secrets = self._masks.places(pattern)
            if secrets:  # the secret that a reader was shown a placeholder of
                is_match = pattern in line and all(pattern[a:b] in {line[c:d] for c, d in places} for a, b in secrets)
            elif query.syntax == "fixed":
                is_match = any(_says(line, piece, pattern, word=query.word) for piece in pieces)
            else:
                is_match = any(
                    matches_beside(line, piece, rf"\b(?:{pattern})\b" if query.word else pattern) for piece in pieces
                )
            if is_match:
                return True
        return False


def _beside(line: str, places: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The pieces of a line between its secrets, as (start, end)."""
    end = 0
    for start, stop in (*places, (len(line), len(line))):
        if start > end:
            yield end, start
        end = max(end, stop)


def _says(line: str, piece: tuple[int, int], text: str, *, word: bool) -> bool:
    if not word:
        return text in line[slice(*piece)]
    return matches_beside(line, piece, rf"(?:\b|(?!\w)){re.escape(text)}(?:\b|(?!\w))", own=True)


def matches_beside(line: str, piece: tuple[int, int], pattern: str, *, own: bool = False) -> bool:
    """Whether a pattern matches in a piece of a line in a way that does not depend on what is beside the piece."""
    costly = len(REPETITION.findall(pattern)) > MOST_REPETITIONS or REPEATED_GROUP.search(pattern)
    if not own and (costly or LOOKS_AROUND.search(pattern)):
        return False
    start, end = piece
    try:
        match = re.compile(pattern).search(line, start, min(end, start + SEARCHED))
    except (re.error, RecursionError, OverflowError):
        return False
    if match is None:
        return False
    at_start = match.start() == start > 0 and EDGE.search(re.sub(r"(?:\$|\\[Zz])\Z", "", pattern))
    at_end = match.end() == end < len(line) and EDGE.search(re.sub(r"\A(?:\^|\\A)", "", pattern))
    return not at_start and not at_end


class ShownTree(MaskedTree):
    """The same, with the texts as readers are shown them: a quote counts only if it occurs in what they saw."""

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> dict[str, bytes]:
        """The contents of many files, a placeholder in the place of each secret."""
        blobs = await super().read_many(paths, side)
        return {
            path: self._masks.hide_known(blob.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
            for path, blob in blobs.items()
        }
