"""Which sections of an owner's Markdown speak of code and review: the headings tell. Pure."""

import re
from collections.abc import Iterator

_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)$")
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_CODE = re.compile(
    r"\b(?:cod(?:e|ing)(?! of conduct)|review\w*|style\w*|convention\w*|guideline\w*|principle\w*|pattern\w*|pitfall\w*|rules?|lint\w*"
    r"|tests?|testing|naming|architecture|design|security|performance|compatibility|error handling|logging|concurrency|invariants?|api)\b",
    re.IGNORECASE,
)
_PROCESS = re.compile(
    r"code of conduct|\b(?:issues?|bugs?|report\w*|install\w*|set(?:ting)?[ -]?up|getting started|quick ?start|licen[sc]e|cla|dco|sign\w*"
    r"|contents|releas\w*|commands?|running|run|build\w*|environment|prerequisites|requirements|deploy\w*|publish\w*|submit\w*|pull requests?"
    r"|commit\w*|branch\w*|fork\w*|clon\w*|help|support|questions?|translat\w*|maintainers?|communit\w*|donat\w*|sponsor\w*|vulnerabilit\w*)\b",
    re.IGNORECASE,
)


def about_code(text: str, *, strict: bool) -> str:
    """The sections whose heading, or that of a section around them, is about code or review.

    `strict`: of a text about contributing, what no heading announces is left out too; else only what is about something else.
    """
    kept: list[str] = []
    above: list[tuple[int, bool]] = []  # the levels of the headings around, and whether their text is kept
    for level, title, body in _sections(text):
        while above and above[-1][0] >= level:
            above.pop()
        wanted = _wanted(title, around=above[-1][1] if above else not strict)
        above.append((level, wanted))
        if wanted and body.partition("\n")[2].strip():
            kept.append(body.strip())
    return "\n\n".join(kept)


def _wanted(title: str, *, around: bool) -> bool:
    """What is about the process is left out, unless it is about reviewing."""
    if _PROCESS.search(title):
        return "review" in title.lower()
    return around or bool(_CODE.search(title))


def _sections(text: str) -> Iterator[tuple[int, str, str]]:
    """Level, title and text of each section, headings included; what stands before the first one has no title."""
    level, title, rows, fenced = 0, "", list[str](["" if text.startswith("#") else "\n"]), False
    for row in text.split("\n"):
        fenced ^= bool(_FENCE.match(row))
        found = None if fenced else _HEADING.match(row)
        if found:
            yield level, title, "\n".join(rows)
            level, title, rows = len(found[1]), found[2], []
        rows.append(row)
    yield level, title, "\n".join(rows)
