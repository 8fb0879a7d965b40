"""Ask about files outside the change.

Every file is read whole, in as many prompts as needed. "Not there" and "not read" are different answers.
`found` is the worker's answer, backed by a verbatim quote, and `read` lists what the worker was shown.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from bot.findings import read
from bot.findings.quotes import locate
from bot.values import Evidence, Finding, Source
from deeprepo.rlm.values import ROWS, Schema

PROMPT_CHARS = 40_000  # characters of files in one prompt
OVERLAP = 4_000  # characters of a long file that two prompts repeat, so that no line is cut apart in both
HALVABLE = 4  # minimum lines of a text that can be split into two prompts
MAX_CHARS = 2_000_000  # characters per question; further files are reported as not read


@lru_cache(maxsize=1)
def schema() -> Schema:
    """Return the form of a worker's answer."""
    found = "false where the shown text does not hold what the question asks for; say so rather than guess"
    quotes = "the verbatim lines that the reply rests on, with their file; none where nothing was found"
    form = read.strict(
        answer=read.ANSWER,
        found={"type": "boolean", "description": found},
        quotes=read.many(read.QUOTE, quotes),
        findings=read.FINDINGS,
    )
    return Schema("look", "Answer the question from the shown text, and from nothing else.", form)


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of one file in a prompt."""

    path: str
    text: str
    first: int
    last: int
    whole: bool

    @property
    def label(self) -> str:
        """The heading in the prompt."""
        return self.path if self.whole else f"{self.path}, lines {self.first} to {self.last}"


@dataclass(frozen=True, slots=True)
class Sight:
    """The result of one prompt. `is_found` is None if the worker did not say."""

    text: str = ""
    is_found: bool | None = None
    quotes: tuple[Evidence, ...] = ()
    findings: tuple[Finding, ...] = ()
    read: tuple[Part, ...] = ()
    error: str = ""


def plan(files: Mapping[str, str]) -> tuple[list[list[Part]], list[str]]:
    """Return the prompts for one question, and the paths that did not fit.

    Small files share a prompt, and long files are cut into overlapping pieces.
    """
    prompts: list[list[Part]] = []
    left_out: list[str] = []
    room, size = MAX_CHARS, PROMPT_CHARS
    for path, text in files.items():
        if len(text) > room:
            left_out.append(path)
            continue
        room -= len(text)
        for part in _parts(path, text):
            if not prompts or size + len(part.text) > PROMPT_CHARS:
                prompts.append([])
                size = 0
            prompts[-1].append(part)
            size += len(part.text)
    return prompts, left_out


def parse_reply(data: Mapping[str, Any] | None, source: Source, parts: Sequence[Part]) -> Sight:
    """Return a worker's parsed reply. A claim without a verbatim quote is rejected."""
    (text, findings), claims_found = read.parse_reply(data, source), (data or {}).get("found")
    paths_by_label = {part.label: part.path for part in parts}
    quotes = tuple(_verbatim(read.rows(data, "quotes"), parts, paths_by_label))
    is_found = None if claims_found is None else claims_found and bool(quotes or findings)
    if claims_found is True and not is_found:
        text = f"{text} [not believed: it quotes nothing that stands in what was read]".strip()
    if claims_found is not False and not any(map(str.isalnum, text)) and not quotes and not findings:
        return Sight(error=read.EMPTY.format(source.name))
    return Sight(text, is_found, quotes, tuple(_with_paths(findings, paths_by_label)), tuple(parts))


def together(sights: Sequence[Sight]) -> Sight:
    """Combine several results: found if any of them found it, not found if all of them did not."""
    answers = [sight.is_found for sight in sights]
    whole = answers and set(answers) == {False} and not any(sight.error for sight in sights)
    is_found = True if True in answers else False if whole else None
    telling = [sight for sight in sights if sight.is_found] if is_found else sights
    return Sight(
        "\n".join(dict.fromkeys(sight.text for sight in telling if sight.text)),
        is_found,
        tuple(quote for sight in sights for quote in sight.quotes),
        tuple(finding for sight in sights for finding in sight.findings),
        tuple(part for sight in sights for part in sight.read),
        "; ".join(dict.fromkeys(sight.error for sight in sights if sight.error)),
    )


def halves(parts: Sequence[Part]) -> list[list[Part]]:
    """Return the parts split into two prompts.

    A single part is split by lines; if it is too short, return nothing.
    """
    if len(parts) > 1:
        middle = len(parts) // 2
        return [list(parts[:middle]), list(parts[middle:])]
    rows = parts[0].text.split("\n") if parts else []
    if len(rows) < HALVABLE:
        return []
    middle, part = len(rows) // 2, parts[0]
    cut = part.first + middle
    return [
        [replace(part, text="\n".join(rows[:middle]), last=cut - 1, whole=False)],
        [replace(part, text="\n".join(rows[middle:]), first=cut, whole=False)],
    ]


def _parts(path: str, text: str) -> Iterator[Part]:
    end, is_table = 0, path.lower().endswith(ROWS)
    while end < len(text) or not end:
        start = end if is_table else max(0, end - OVERLAP)
        first = 1 + text.count("\n", 0, start)
        end = max(1, start + PROMPT_CHARS)
        if is_table and end < len(text):
            end = text.rfind("\n", start, end) + 1 or end
        piece = text[start:end]
        yield Part(path, piece, first, first + piece.count("\n", 0, -1), whole=piece == text)


def _verbatim(
    quotes: Iterable[Mapping[str, Any]], parts: Sequence[Part], paths_by_label: Mapping[str, str]
) -> Iterator[Evidence]:
    """Yield the quotes that occur in the shown text, if need be in another file of the prompt."""
    for item in quotes:
        path, quote = paths_by_label.get(item["path"], item["path"]), item["quote"]
        for part in sorted(parts, key=lambda part: part.path != path) if quote.strip() else ():
            at = locate(part.text, quote)
            if at is not None:
                yield Evidence(part.path, quote, line=part.first + at[0] - 1)
                break


def _with_paths(findings: Sequence[Finding], paths_by_label: Mapping[str, str]) -> Iterator[Finding]:
    for finding in findings:
        yield replace(finding, path=paths_by_label.get(finding.path, finding.path))
