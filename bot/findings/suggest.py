"""Decide which suggestions can be committed with a click.

They must apply to the head's text, and the file must still parse. Others stay prose. A suggestion replaces
whole lines. Models often drop the indentation or add a code fence, and both are repaired. An incomplete
replacement is refused, with a reason that the comment shows.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot import render
from bot.values import Finding, PlacedFinding
from bot.values.finding import PLACEHOLDER
from deeprepo.impact.ports import Tree
from deeprepo.impact.reading.faults import faults

MAX_SUGGESTED_LINES, MAX_SUGGESTED_CHARS = 200, 10_000
TAB = 4  # spaces that a model writes for one tab
PAIRS = (("(", ")"), ("[", "]"), ("{", "}"))
# Characters without whitespace; a shorter line ("}", "else:") may legitimately occur twice in a row
TELLING = 6
_FENCED = re.compile(r"\A\s*+(`{3,}+|~{3,}+)[^\n`]*+\n(.*?)\n?\1\s*\Z", re.DOTALL)
_LEFT_OUT = re.compile(
    r"\s*+(?:#|//|/\*|--|<!--)?\s*+(?:\.{3}|…)[^\w\n]*(?:\b(?:rest|existing|unchanged|same|other)\b.*)?"
)
# The marker of our comments, which nobody else may add
_MARKER = re.compile(r"<!--\s*deeprepo", re.IGNORECASE)
_INDENT = re.compile(r"[ \t]*")


class SuggestionRefused(Exception):  # noqa: N818 - an outcome
    """The reason why a suggestion cannot be committed, as in `PlacedFinding.refused`."""


async def suggest(placed_findings: Iterable[PlacedFinding], tree: Tree) -> tuple[PlacedFinding, ...]:
    """Return each finding with a replacement that can be committed, or the reason why it has none."""
    rows = tuple(placed_findings)
    paths = [
        placed_finding.finding.path
        for placed_finding in rows
        if placed_finding.finding.suggestion is not None and placed_finding.place == "inline"
    ]
    texts = await tree.read_many(paths)
    before = {path: faults(path, text) for path, text in texts.items()}
    return tuple(_try(row, texts.get(row.finding.path), before.get(row.finding.path)) for row in rows)


def _try(placed_finding: PlacedFinding, head: bytes | None, before: frozenset[int] | None) -> PlacedFinding:
    if placed_finding.finding.suggestion is None:
        return placed_finding
    try:
        return replace(placed_finding, replacement=_replacement(placed_finding, head, before), refused="")
    except SuggestionRefused as reason:
        return replace(placed_finding, replacement=None, refused=reason.args[0])


def _replacement(placed_finding: PlacedFinding, head: bytes | None, before: frozenset[int] | None) -> str:
    """Return the lines to commit, if the file has no faults but those of `before`. Raises SuggestionRefused."""
    finding, spot = placed_finding.finding, placed_finding.spot
    if head is None or spot is None or finding.side != "head":
        raise SuggestionRefused("place")
    if (spot.path, spot.start, spot.end, spot.side) != (finding.path, finding.start, finding.end, "RIGHT"):
        raise SuggestionRefused("place")
    lines = head.decode("utf-8", "surrogateescape").split("\n")
    above, old, below = lines[: spot.start - 1], lines[spot.start - 1 : spot.end], lines[spot.end :]
    bare = [line.rstrip("\r") for line in old]
    suggested = _without_neighbors(_suggested_lines(finding, bare), bare, above, below)
    shapes = _shapes(suggested, bare, lines)
    for new in shapes:
        _check_plausibility(new, bare)
    if before is None:
        _check_balance(shapes[0], bare)
        return _join_lines(shapes[0], old)
    for new in shapes:
        text = _join_lines(new, old)
        after = "\n".join([*above, *([text] if new else []), *below]).encode("utf-8", "surrogateescape")
        if _parses(before, faults(finding.path, after) or frozenset(), (spot.start, len(old), len(new))):
            return text
    raise SuggestionRefused("syntax")


def _suggested_lines(finding: Finding, old: Sequence[str]) -> list[str]:
    """Return the suggested lines without fence. Raises SuggestionRefused unless they replace whole lines."""
    quote_lines = [_fold(line) for line in finding.quote.strip("\r\n").split("\n")]
    if quote_lines != [_fold(line) for line in old]:
        raise SuggestionRefused("part")
    text = (finding.suggestion or "").replace("\r\n", "\n")
    fence = _FENCED.match(text)
    text = (fence[2] if fence else text).strip("\n")
    if render.has_invisible(text) or "\r" in text or render.encodable(text) != text:
        raise SuggestionRefused("unseen")
    if PLACEHOLDER.search(text):
        raise SuggestionRefused("secret")
    if _MARKER.search(text):
        raise SuggestionRefused("shape")
    suggested_lines = text.split("\n") if text.strip() else []
    if len(suggested_lines) > MAX_SUGGESTED_LINES or len(text) > MAX_SUGGESTED_CHARS:
        raise SuggestionRefused("long")
    return suggested_lines


def _without_neighbors(new: Sequence[str], old: Sequence[str], above: Sequence[str], below: Sequence[str]) -> list[str]:
    """Return the suggested lines without those above and below the quote, which models often repeat.

    Raises SuggestionRefused if nothing else is suggested.
    """
    old_rows = {_fold(line) for line in old}

    def repeated(mine: Sequence[str], beside: Sequence[str]) -> int:
        for size in range(min(len(mine), len(beside)), 0, -1):
            folded = [_fold(line) for line in mine[:size]]
            tells = any(len(line) >= TELLING and line not in old_rows for line in folded)
            if tells and folded == [_fold(line) for line in beside[-size:]]:
                return size
        return 0

    rows = list(new[repeated(new, above) :])
    rows = rows[: len(rows) - repeated(rows[::-1], below[::-1])]
    if new and not rows:
        raise SuggestionRefused("shape")
    return rows


def _check_plausibility(new: Sequence[str], old: Sequence[str]) -> None:
    """Raise SuggestionRefused for mistakes that no parser notices: an unchanged text, a diff, and omitted code."""
    if list(new) == list(old):
        raise SuggestionRefused("same")
    old_rows = {_fold(line) for line in old} - {""}
    added_rows = [line for line in new if line.strip() and line not in old]
    if any(_fold(line)[0] in "+-" and _fold(line)[1:] in old_rows for line in added_rows):
        raise SuggestionRefused("shape")
    if any(_LEFT_OUT.fullmatch(line) for line in added_rows):
        raise SuggestionRefused("shape")


def _check_balance(new: Sequence[str], old: Sequence[str]) -> None:
    """Raise SuggestionRefused unless brackets are balanced as before. Used if there is no parser."""
    for left, right in PAIRS:
        if len({sum(line.count(left) - line.count(right) for line in rows) for rows in (new, old)}) > 1:
            raise SuggestionRefused("shape")


def _shapes(suggested_lines: Sequence[str], old: Sequence[str], lines: Sequence[str]) -> list[list[str]]:
    """Return the possible indentations of the suggestion, the likeliest first."""
    first = next((line for line in suggested_lines if line.strip()), "")
    indent = _indent(next((line for line in old if line.strip()), ""))
    tabs = any(line.startswith("\t") for line in lines) and not any(line.startswith("  ") for line in lines)
    suggested_rows = [_with_tabs(line) for line in suggested_lines] if tabs else list(suggested_lines)
    if _indent(_with_tabs(first) if tabs else first) == indent:
        return [suggested_rows]
    rest = (
        [len(_indent(line)) for line in suggested_lines[suggested_lines.index(first) + 1 :] if line.strip()]
        if first
        else []
    )
    own = _indent(_with_tabs(first) if tabs else first)
    whole = [indent + line.removeprefix(own) if line.strip() else line for line in suggested_rows]
    alone = [
        indent + line.lstrip() if line.strip() and index == suggested_lines.index(first) else line
        for index, line in enumerate(suggested_rows)
    ]
    # If the model cut the code out of its line, only the first line lost its indentation. If it retyped the
    # code, all lines did.
    cut_out = bool(rest) and min(rest) > len(_indent(first)) and min(rest) >= len(indent) > 0
    return [alone, whole] if cut_out and min(rest) > len(indent) else [whole, alone]


def _with_tabs(line: str) -> str:
    blanks = _indent(line)
    return (
        "\t" * (blanks.count("\t") + blanks.count(" ") // TAB) + " " * (blanks.count(" ") % TAB) + line[len(blanks) :]
    )


def _join_lines(new: Sequence[str], old: Sequence[str]) -> str:
    ending = "\r" if any(line.endswith("\r") for line in old) else ""
    bare_end = bool(old) and not old[-1].endswith("\r")  # the last line of a file may have no line ending
    rows = [line + ending for line in new]
    if rows and bare_end:
        rows[-1] = rows[-1].removesuffix("\r")
    return "\n".join(rows)


def _parses(before: frozenset[int], after: frozenset[int], at: tuple[int, int, int]) -> bool:
    start, old, new = at
    inside = any(start <= line < start + new for line in after)
    was_inside = any(start <= line < start + old for line in before)
    return len(after) <= len(before) and (was_inside or not inside)


def _indent(line: str) -> str:
    match = _INDENT.match(line)
    return match[0] if match else ""


def _fold(line: str) -> str:
    return "".join(line.split())
