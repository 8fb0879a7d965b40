"""Add the team's own checks to prompts, and parse models' answers. `verdicts` verifies the answers."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from bot import globs, render
from bot.features.own_checks.values import CheckAnswer, CustomCheck
from bot.findings import read
from bot.review.reader_questions import ReaderQuestions
from bot.values import Evidence, RequiredCheckResult, Unit
from deeprepo.rlm.values import tokens

RESULTS_BY_VERDICT: Mapping[str, RequiredCheckResult] = {
    "passed": "passed",
    "failed": "failed",
    "undecided": "undecided",
    "does not apply": "inapplicable",
}
# Per answer: quotes, characters per quote, characters of the reason.
MOST_QUOTES, MAX_QUOTE_CHARS, REASON_CHARS = 3, 1_000, 300
MIN_QUOTE_CHARS = 4  # letters and digits in a quote, because a bracket proves nothing
_QUOTE = read.strict(
    path=read.text("the file, as it is named in the prompt"),
    quote=read.text("the line or lines, copied verbatim without sign and line number"),
)
_ROW = read.strict(
    check={"type": "integer", "description": "its number"},
    verdict={"type": "string", "enum": list(RESULTS_BY_VERDICT)},
    reason=read.text("one sentence of at most 25 words; if undecided, what would decide it"),
    quotes={"type": "array", "items": _QUOTE, "description": "what shows it; needed if failed: a changed line first"},
)
_ANSWERED_CHECKS = {"type": "array", "items": _ROW, "description": "one entry for each check above, in that order"}


def applies_to(check: CustomCheck, path: str) -> bool:
    """Return whether a check applies to this file."""
    return not check.paths or globs.matches(check.paths, path)


def applicable(checks: Iterable[CustomCheck], units: Sequence[Unit]) -> tuple[CustomCheck, ...]:
    """Return the checks that apply to these code regions."""
    paths = {unit.path for unit in units}
    return tuple(check for check in checks if any(applies_to(check, path) for path in paths))


@lru_cache(maxsize=1)
def _field_tokens() -> int:
    return tokens(json.dumps(_ANSWERED_CHECKS))


@dataclass(frozen=True, slots=True)
class CheckQuestions(ReaderQuestions):
    """The checks that one model pass has to answer."""

    checks: tuple[CustomCheck, ...]
    key: ClassVar[str] = "checks"

    @property
    def field(self) -> Mapping[str, Any]:
        """The JSON Schema of the answer's field."""
        return _ANSWERED_CHECKS

    @property
    def text(self) -> str:
        """The questions in the prompt."""
        return render.text("own_checks/prompts/ask.md.j2", checks=self.checks).strip()

    def answers(self, data: Mapping[str, Any] | None, units: Sequence[Unit]) -> tuple[CheckAnswer, ...]:
        """Return the first valid answer to each check."""
        answers_by_number: dict[int, CheckAnswer] = {}
        shared = (_field_tokens() + tokens(self.text)) // len(self.checks)
        for entry in read.rows(data, self.key)[: 2 * len(self.checks)]:
            number, result = entry.get("check"), RESULTS_BY_VERDICT.get(str(entry.get("verdict")))
            if type(number) is not int or not 1 <= number <= len(self.checks) or result is None:
                continue
            check = self.checks[number - 1]
            paths = tuple(dict.fromkeys(unit.path for unit in units if applies_to(check, unit.path)))
            reason = " ".join(str(entry.get("reason") or "")[: 4 * REASON_CHARS].split())[:REASON_CHARS]
            cost = shared + tokens(json.dumps(entry, default=str))
            answers_by_number.setdefault(
                number, CheckAnswer(check.digest, result, paths, reason, tuple(_quotes(entry)), cost)
            )
        return tuple(answers_by_number[number] for number in sorted(answers_by_number))


def _quotes(answer: Mapping[str, Any]) -> list[Evidence]:
    pairs = ((quote.get("path"), quote.get("quote")) for quote in read.rows(answer, "quotes")[:MOST_QUOTES])
    return [
        Evidence(render.original_name(path), quote)
        for path, quote in pairs
        if isinstance(path, str)
        and isinstance(quote, str)
        and len(quote) <= MAX_QUOTE_CHARS
        and sum(char.isalnum() for char in quote) >= MIN_QUOTE_CHARS
    ]
