"""Whether an answer is right. Pure: numbers are compared, no model judges."""

import re
from collections.abc import Sequence
from typing import Literal

NOT_FOUND = "NOT FOUND"
_NUMBER = re.compile(r"(?<![\w.])\d{1,3}(?:,\d{3})+(?!\d)|\d+")

Verdict = Literal["right", "wrong", "missed", "made up", "no answer", "refused"]


def judge(answer: str, expected_numbers: Sequence[str], question: str) -> Verdict:
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
