"""Whether an answer is right, and how nearly. Pure: code compares, no model judges."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Literal

NOT_FOUND = "NOT FOUND"
_NUMBER = re.compile(r"(?<![\w.])\d{1,3}(?:,\d{3})+(?!\d)|\d+")
_PAIR = re.compile(r"\(\s*(\w+)\s*,\s*(\w+)\s*\)")
_DATES = ("%Y-%m-%d", "%b %d, %Y", "%B %d, %Y", "%d %B %Y", "%m/%d/%Y")
SHORT = 20  # characters of an answer that is a value and no sentence
COMPARISONS = ("more common", "less common", "same frequency")

Verdict = Literal["right", "partly", "wrong", "missed", "made up", "no answer", "refused"]
Scoring = Literal["numbers", "oolong"]
# Of "numbers": the numbers of the right answer in their order. Of "oolong": a number; a text or a date as a text; several texts, one of which
# is enough; pairs. Nothing: the text does not hold it.
Expected = str | int | None | tuple[str, ...] | tuple[tuple[str, str], ...]


def grade(answer: str, expected: Expected, question: str, scoring: Scoring) -> tuple[Verdict, float]:
    """The verdict, and from 0 to 1 how nearly it is right."""
    if scoring == "numbers":
        verdict = judge(answer, expected, question) if isinstance(expected, tuple) else "wrong"
        return verdict, float(verdict == "right")
    if not answer.strip():
        return "no answer", 0.0
    score = oolong(answer, expected)
    if score in {0.0, 1.0}:
        low: Verdict = "made up" if expected is None else "missed" if is_not_found(answer) else "wrong"
        return ("right" if score else low), score
    return "partly", score


def judge(answer: str, expected_numbers: Sequence[object], question: str) -> Verdict:
    """Right, or how it is not: "missed" says not found of what is there, "made up" gives a value where there is none."""
    if not answer.strip():
        return "no answer"
    values = numbers(answer, question)
    if not expected_numbers:
        return "right" if is_not_found(answer) and not values else "made up"
    if values == list(expected_numbers):
        return "right"
    return "missed" if is_not_found(answer) and not values else "wrong"


def is_not_found(answer: str) -> bool:
    """Whether an answer says that the text does not hold it."""
    return bool(re.search(r"\bnot\s+found\b", answer, re.IGNORECASE))


def numbers(answer: str, question: str) -> list[str]:
    """The numbers of an answer in their order, each once, without those that the question names."""
    known = set(_NUMBER.findall(question))
    found = (number.replace(",", "") for number in _NUMBER.findall(answer) if number not in known)
    return list(dict.fromkeys(found))


def oolong(answer: str, expected: Expected) -> float:
    """The score as OOLONG counts: 0.75^|error| for a number, F1 for pairs, else what is behind the last colon is it or is not."""
    if expected is None:
        return float(is_not_found(answer))
    if isinstance(expected, tuple):
        pairs = {_in_order(*one) for one in expected if not isinstance(one, str)}
        texts = [oolong(answer, one) for one in expected if isinstance(one, str)]
        return max(texts) if texts else f1({_in_order(*one) for one in _PAIR.findall(answer)}, pairs)
    said = _value(answer)
    if isinstance(expected, int):
        return 0.75 ** abs(int(said) - expected) if re.fullmatch(r"-?\d{1,9}", said) else 0.0
    if expected in {said, answer.strip()}:
        return 1.0
    if any(phrase in said and phrase in expected for phrase in COMPARISONS):
        return 1.0
    when = _date(expected)
    return float(when is not None and when == _date(said))


def f1(found: set[tuple[str, str]], expected: set[tuple[str, str]]) -> float:
    """Precision and recall in one figure."""
    return 2 * len(found & expected) / (len(found) + len(expected)) if found or expected else 1.0


def _value(answer: str) -> str:
    """The value that an answer in words comes to: behind the last colon, else all of a short one and the last word of a long one."""
    if ":" in answer:
        return re.sub(r"[*\[\]]", "", answer.rpartition(":")[2]).strip()
    said = next((phrase for phrase in COMPARISONS if phrase in answer), answer.strip())
    return said if len(said) < SHORT else said.split()[-1]


def _in_order(one: str, other: str) -> tuple[str, str]:
    return (one, other) if (len(one), one) <= (len(other), other) else (other, one)


def _date(text: str) -> date | None:
    for form in _DATES:
        try:
            return datetime.strptime(text, form).date()  # noqa: DTZ007 - a day has no zone
        except ValueError:
            continue
    return None
