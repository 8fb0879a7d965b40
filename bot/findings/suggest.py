"""Which suggestions can be committed with a click: applied to the head's text, and the file still parses. The rest stays prose.

A suggestion replaces whole lines. A model often drops their indentation, or wraps them in a fence; both are mended. What is
not a complete replacement is refused with a reason that the comment tells.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from bot import render
from bot.findings.quotes import fold, rows_of
from bot.ports import Tree
from bot.values import Finding, PlacedFinding

MOST_LINES, MOST_CHARS = 200, 10_000
AROUND = 60  # lines by which a push may move the place of a finding
TAB = 4  # blanks that a model writes for one tab
PAIRS = (("(", ")"), ("[", "]"), ("{", "}"))
TELLING = 6  # characters without blanks; a shorter line ("}", "else:") may well stand twice in a row
Faults = Callable[[str, bytes], frozenset[int] | None]
_FENCED = re.compile(r"\A\s*+(`{3,}+|~{3,}+)[^\n`]*+\n(.*?)\n?\1\s*\Z", re.DOTALL)
_LEFT_OUT = re.compile(
    r"\s*+(?:#|//|/\*|--|<!--)?\s*+(?:\.{3}|…)[^\w\n]*(?:\b(?:rest|existing|unchanged|same|other)\b.*)?"
)
_MARKER = re.compile(r"<!--\s*deeprepo", re.IGNORECASE)  # of our comments: nobody else puts it there
_INDENT = re.compile(r"[ \t]*")


def unreadable(path: str, source: bytes) -> frozenset[int] | None:
    """The parser of who has none: it cannot tell of any file."""
    del path, source
    return None


class SuggestionRefused(Exception):  # noqa: N818 - an outcome
    """Why a suggestion cannot be committed: a reason of `Placed.refused`."""


async def suggest(placed: Iterable[PlacedFinding], tree: Tree, faults: Faults) -> tuple[PlacedFinding, ...]:
    """Each finding with a replacement that can be committed, or with the reason why it has none."""
    rows = tuple(placed)
    wanted = [row.finding.path for row in rows if row.finding.suggestion is not None and row.place == "inline"]
    texts = await tree.read_many(wanted)
    return tuple(_tried(row, texts.get(row.finding.path), faults) for row in rows)


def taken(finding: Finding, before: str, after: str) -> bool:
    """Whether the lines of the suggestion stand near the finding's place in `after`, and did not in `before`; indentation apart.

    A suggestion that only deletes does not count: any other deletion would look the same.
    """
    fenced = _FENCED.match(finding.suggestion or "")
    wanted = [fold(row) for row in rows_of(fenced[2] if fenced else finding.suggestion or "")]
    if not any(wanted) or len(wanted) > MOST_LINES:
        return False
    return _stands(wanted, after, finding.start) and not _stands(wanted, before, finding.start)


def _stands(wanted: Sequence[str], text: str, near: int) -> bool:
    rows = [fold(row) for row in text.split("\n")]
    first, last = max(0, near - 1 - AROUND), min(len(rows) - len(wanted), near - 1 + AROUND)
    return any(rows[at : at + len(wanted)] == wanted for at in range(first, last + 1))


def _tried(placed: PlacedFinding, head: bytes | None, faults: Faults) -> PlacedFinding:
    if placed.finding.suggestion is None:
        return placed
    try:
        return replace(placed, replacement=_replacement(placed, head, faults), refused="")
    except SuggestionRefused as reason:
        return replace(placed, replacement=None, refused=reason.args[0])


def _replacement(placed: PlacedFinding, head: bytes | None, faults: Faults) -> str:
    """The lines to commit. Raises Refused."""
    finding, spot = placed.finding, placed.spot
    if head is None or spot is None or finding.side != "head":
        raise SuggestionRefused("place")
    if (spot.path, spot.start, spot.end, spot.side) != (finding.path, finding.start, finding.end, "RIGHT"):
        raise SuggestionRefused("place")
    lines = head.decode("utf-8", "surrogateescape").split("\n")
    above, old, below = lines[: spot.start - 1], lines[spot.start - 1 : spot.end], lines[spot.end :]
    bare = [row.rstrip("\r") for row in old]
    shaped = _shapes(_given(finding, bare), bare, lines)
    for new in shaped:
        _plausible(new, bare, [row.rstrip("\r") for row in (*above[-1:], *below[:1])])
    before = faults(finding.path, head)
    if before is None:
        _balanced(shaped[0], bare)
        return _ended(shaped[0], old)
    for new in shaped:
        text = _ended(new, old)
        after = "\n".join([*above, *([text] if new else []), *below]).encode("utf-8", "surrogateescape")
        if _parses(before, faults(finding.path, after) or frozenset(), (spot.start, len(old), len(new))):
            return text
    raise SuggestionRefused("syntax")


def _given(finding: Finding, old: Sequence[str]) -> list[str]:
    """The suggested lines as the model meant them. Raises Refused where they are none for whole lines."""
    quoted = [_folded(row) for row in finding.quote.strip("\r\n").split("\n")]
    if quoted != [_folded(row) for row in old]:
        raise SuggestionRefused("part")
    text = (finding.suggestion or "").replace("\r\n", "\n")
    fenced = _FENCED.match(text)
    text = (fenced[2] if fenced else text).strip("\n")
    if render.unseen(text) or "\r" in text or render.encodable(text) != text:
        raise SuggestionRefused("unseen")
    if _MARKER.search(text):
        raise SuggestionRefused("shape")
    given = text.split("\n") if text.strip() else []
    if len(given) > MOST_LINES or len(text) > MOST_CHARS:
        raise SuggestionRefused("long")
    return given


def _plausible(new: Sequence[str], old: Sequence[str], around: Sequence[str]) -> None:
    """Raises Refused for what no parser would notice: nothing changed, a diff, code left out, the neighbouring lines repeated."""
    if list(new) == list(old):
        raise SuggestionRefused("same")
    told = {_folded(row) for row in old} - {""}
    added = [row for row in new if row.strip() and row not in old]
    if any(_folded(row)[0] in "+-" and _folded(row)[1:] in told for row in added):
        raise SuggestionRefused("shape")
    if any(_LEFT_OUT.fullmatch(row) for row in added):
        raise SuggestionRefused("shape")
    edges = [new[0], new[-1]] if new else []
    if any(len(_folded(row)) >= TELLING and row in around and row not in old for row in edges):
        raise SuggestionRefused("shape")


def _balanced(new: Sequence[str], old: Sequence[str]) -> None:
    """Where there is no parser, brackets must open and close as before. Raises Refused."""
    for left, right in PAIRS:
        if len({sum(row.count(left) - row.count(right) for row in rows) for rows in (new, old)}) > 1:
            raise SuggestionRefused("shape")


def _shapes(given: Sequence[str], old: Sequence[str], lines: Sequence[str]) -> list[list[str]]:
    """The ways in which the suggestion may have been meant, by its indentation; the likeliest first."""
    first = next((row for row in given if row.strip()), "")
    wanted = _indent(next((row for row in old if row.strip()), ""))
    tabs = any(row.startswith("\t") for row in lines) and not any(row.startswith("  ") for row in lines)
    written = [_tabbed(row) for row in given] if tabs else list(given)
    if _indent(_tabbed(first) if tabs else first) == wanted:
        return [written]
    rest = [len(_indent(row)) for row in given[given.index(first) + 1 :] if row.strip()] if first else []
    own = _indent(_tabbed(first) if tabs else first)
    whole = [wanted + row.removeprefix(own) if row.strip() else row for row in written]
    alone = [
        wanted + row.lstrip() if row.strip() and at == given.index(first) else row for at, row in enumerate(written)
    ]
    # Cut out of its line, the first one alone has lost its indentation; typed anew, all of them have.
    cut_out = bool(rest) and min(rest) > len(_indent(first)) and min(rest) >= len(wanted) > 0
    return [alone, whole] if cut_out and min(rest) > len(wanted) else [whole, alone]


def _tabbed(row: str) -> str:
    blanks = _indent(row)
    return "\t" * (blanks.count("\t") + blanks.count(" ") // TAB) + " " * (blanks.count(" ") % TAB) + row[len(blanks) :]


def _ended(new: Sequence[str], old: Sequence[str]) -> str:
    """The lines joined with the line ending of those that they replace."""
    ending = "\r" if any(row.endswith("\r") for row in old) else ""
    bare_end = bool(old) and not old[-1].endswith("\r")  # the last line of a file may have no ending at all
    rows = [row + ending for row in new]
    if rows and bare_end:
        rows[-1] = rows[-1].removesuffix("\r")
    return "\n".join(rows)


def _parses(before: frozenset[int], after: frozenset[int], at: tuple[int, int, int]) -> bool:
    """Whether the change brings no syntax error: none in the new lines, and elsewhere no more than there were."""
    start, old, new = at
    inside = any(start <= line < start + new for line in after)
    was_inside = any(start <= line < start + old for line in before)
    return len(after) <= len(before) and (was_inside or not inside)


def _indent(row: str) -> str:
    found = _INDENT.match(row)
    return found[0] if found else ""


def _folded(row: str) -> str:
    return "".join(row.split())
