"""The preprocessor's directives, read from the text: what a grammar cannot parse is a condition all the same.

A grammar gives up on `#if __has_include("x.h")` and on a directive without its end, and the condition would be gone with it.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.values import Symbol

_PARTS = re.compile(
    r"(?P<gap>//(?:\\\r?\n|[^\n])*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)|R\"(?P<mark>[^()\\\s\"]{0,16})\(|\"(?:[^\"\\\n]|\\.)*+\"?|(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)*+'?",
    re.DOTALL,
)
_DIRECTIVE = re.compile(
    r"^[ \t]*+(?:#|%:|\?\?=)(?:[ \t]|\\\r?\n)*+(?P<word>\w++)(?P<rest>(?:[^\n\\]|\\\r?\n|\\.)*+)", re.MULTILINE
)
_MODULE = re.compile(r"^[ \t]*+(?:export[ \t]++)?module\b[^\n;]{0,200};", re.MULTILINE)
_WORD = re.compile(r"\w+")
_BEGINS = frozenset({"if", "ifdef", "ifndef"})
_GOES_ON = frozenset({"elif", "elifdef", "elifndef", "else"})
_RENAMES = frozenset({"define", "undef"})
_HEAD_LINES = 40
_MOST_RENAMED = 200
_HEAD = 2_000  # characters of a definition before its body
Span = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive with its line."""

    word: str
    rest: str
    line: int

    @property
    def text(self) -> str:
        """As it is written, blanks squeezed."""
        return f"#{self.word} {self.rest}".strip()


def directives(source: str) -> tuple[Directive, ...]:
    """Those of a source, in its order. A comment and a text hold no directives."""
    code = _code(source)
    rows: list[Directive] = []
    line, at = 1, 0
    for match in _DIRECTIVE.finditer(code):
        line += code.count("\n", at, match.start())
        at = match.start()
        rows.append(Directive(match["word"], " ".join(re.sub(r"\\\r?\n", " ", match["rest"]).split()), line))
    return tuple(rows)


def _code(source: str) -> str:
    """The source with comments and raw texts blank; lines stay where they are."""
    parts: list[str] = []
    at = 0
    while match := _PARTS.search(source, at):
        parts.append(source[at : match.start()])
        end = match.end()
        if match["mark"] is not None:
            close = source.find(f'){match["mark"]}"', end)
            end = len(source) if close < 0 else close + len(match["mark"]) + 2
        if match["gap"] is not None or match["mark"] is not None:
            parts.append(" " + "\n" * source.count("\n", match.start(), end))
        else:
            parts.append(match[0])
        at = end
    parts.append(source[at:])
    return "".join(parts)


def conditions_of(path: str, source: str) -> tuple[list[Span], list[str]]:
    """The lines that depend on a condition, with it, and what holds of the whole file: `#error`, and the module that it is."""
    rows = directives(source)
    guard = _guard(path, rows)
    spans: list[Span] = []
    whole = [" ".join(match[0].split()) for match in _MODULE.finditer(_code(source))]
    branches_by_depth: list[tuple[str, list[tuple[int, str]]]] = []
    for row in rows:
        if row.word in _BEGINS:
            branches_by_depth.append((row.text, [(row.line, "" if row is guard else row.text)]))
        elif row.word in _GOES_ON:
            if branches_by_depth:
                _close(branches_by_depth[-1][1], row.line, spans)
                branches_by_depth[-1][1].append((row.line, f"{row.text} of {branches_by_depth[-1][0]}"))
            else:
                whole.append(row.text)
        elif row.word == "endif":
            if branches_by_depth:
                _close(branches_by_depth.pop()[1], row.line, spans)
            else:
                whole.append(row.text)
        elif row.word == "error":
            whole.append(" ".join([*(branches[-1][1] for _, branches in branches_by_depth), row.text]).strip())
    last = source.count("\n") + 1
    for _, branches in branches_by_depth:  # nothing ends it
        spans.append((branches[-1][0], last, f"{branches[-1][1]} without an end"))
    return spans, whole


def _close(branches: list[tuple[int, str]], line: int, spans: list[Span]) -> None:
    first, words = branches[-1]
    if words:
        spans.append((first, line, words))


def _guard(path: str, rows: Sequence[Directive]) -> Directive | None:
    """The condition that keeps a header from being read twice: the first directive, with a name made of the file's own, which the next one defines."""
    stem = re.sub(r"\W|_", "", posixpath.splitext(posixpath.basename(path))[0]).lower()
    head = [row for row in rows if row.word != "pragma" or row.rest != "once"][:2]
    if [row.word for row in head] != ["ifndef", "define"] or head[0].rest != head[1].rest.partition(" ")[0]:
        return None
    name = re.sub(r"\W|_", "", head[0].rest).lower()
    return head[0] if stem and stem in name else None


def renames(source: str, symbols: Sequence[Symbol], namespaces: Sequence[Span]) -> Iterator[Span]:
    """For each definition the directives that give another meaning to a word of its head, or of a namespace around it."""
    by_word: dict[str, list[str]] = {}
    for row in directives(source):
        words = _WORD.findall(row.rest)
        names = (
            words[:1]
            if row.word in _RENAMES
            else words[2:]
            if words[:2] in (["GCC", "poison"], ["clang", "poison"])
            else ()
        )
        for word in names:
            by_word.setdefault(word, []).append(row.text)
    if not by_word:
        return
    lines = source.split("\n")
    aliases = [span for span in namespaces if not by_word.keys().isdisjoint(_WORD.findall(span[2]))][:_MOST_RENAMED]
    for symbol in symbols:
        if symbol.kind in ("variable", "macro"):
            continue
        head = "\n".join(lines[symbol.start - 1 : min(symbol.end, symbol.start + _HEAD_LINES)])[:_HEAD].partition("{")[
            0
        ]
        around = [words for first, last, words in aliases if first <= symbol.start <= last]
        for word in dict.fromkeys(_WORD.findall(" ".join([head, *around]))):
            yield from ((symbol.start, symbol.start, text) for text in by_word.get(word, ()))
