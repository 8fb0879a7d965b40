"""What the honest model makes of a question and of lines of text. It knows the language of the problems, not their answers. Pure."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from deeprepo_evals.context import lines as labelled
from deeprepo_evals.context.score import NOT_FOUND

FACT = re.compile(r"The secret magic number of (\w+) is (\d+)\.")
LINK = re.compile(r"The (\w+) of (\w+) is ([A-Z]\w+)\.")
ASKED = re.compile(r"the (\w+) of ")
LOOSE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it was understood."""

    kind: str  # "numbers", "count", "compare", "json", "lines"
    names: tuple[str, ...] = ()  # whose numbers; the word; the company; the key path; the whole question
    steps: tuple[str, ...] = ()  # relations to follow from the name, the first one first


def understand(text: str) -> Question | None:
    """What is asked; None for a question in other words."""
    if found := re.search(r"secret magic numbers? of (.+)\?", text):
        who = re.sub(r", in this order$", "", found[1])
        steps = tuple(reversed(ASKED.findall(who)))
        names = re.findall(r"[A-Z]\w+", ASKED.sub("", who))
        return Question("numbers", tuple(names), steps)
    if text.startswith(labelled.HEAD):
        return Question("lines", (text,))
    for kind, pattern in (
        ("count", r"the word '(\w+)'"),
        ("compare", r"growth of company (\w)"),
        ("json", r"key path (\S+)"),
    ):
        if found := re.search(pattern, text):
            return Question(kind, (found[1],))
    return None


def evidence(question: Question, text: str) -> list[str]:
    """The lines that help, each as it is there."""
    return _EVIDENCE[question.kind](question, text)


def answer(question: Question, lines: Sequence[str]) -> str:
    """The answer as these lines give it."""
    return _ANSWER[question.kind](question, lines)


def owner(question: Question, lines: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """How far the steps can be followed: the name that was reached and the steps that are left."""
    links = {(relation, of): name for line in lines for relation, of, name in LINK.findall(line)}
    name, steps = question.names[0], question.steps
    while steps and (steps[0], name) in links:
        name, steps = links[steps[0], name], steps[1:]
    return name, steps


def _facts(question: Question, text: str) -> list[str]:
    lines = [found[0] for found in LINK.finditer(text)]
    wanted, helpful = set(question.names), []
    for _ in (*question.steps, ""):
        for line in lines:
            relation, of, name = LINK.findall(line)[0]
            if relation in question.steps and of in wanted and line not in helpful:
                helpful.append(line)
                wanted.add(name)
    return helpful + [found[0] for found in FACT.finditer(text) if found[1] in wanted]


def _numbers(question: Question, lines: Sequence[str]) -> str:
    numbers = {name: value for line in lines for name, value in FACT.findall(line)}
    if question.steps:
        name, left = owner(question, lines)
        return NOT_FOUND if left else numbers.get(name, NOT_FOUND)
    return ", ".join(numbers[name] for name in question.names if name in numbers) or NOT_FOUND


def _with(word: str, text: str) -> list[str]:
    return re.findall(rf"^.*\b{re.escape(word)}\b.*$", text, re.MULTILINE)


def _count(question: Question, lines: Sequence[str]) -> str:
    """Lines that hold the word are counted; counts that somebody else has written down are added up."""
    said = [int(n) for line in lines for n in re.findall(rf"'{question.names[0]}' occurs (\d+) times", line)]
    total = sum(said) + len({line for line in lines if f"'{question.names[0]}' occurs " not in line})
    return str(total) if total else NOT_FOUND


def _highest(question: Question, lines: Sequence[str]) -> str:
    rates = [int(rate) for line in lines for rate in re.findall(rf"company {question.names[0]} grew by (\d+)", line)]
    return str(max(rates)) if rates else NOT_FOUND


def totals(found: Sequence[str]) -> labelled.Totals:
    """What labelled lines come to, each counted once, with what somebody has counted already."""
    once = [line for line in dict.fromkeys(found) if not labelled.TOTAL.match(line)]
    rows = map(labelled.read, [*once, *filter(labelled.TOTAL.match, found)])
    return labelled.together(row for row in rows if row)


def _records(_: Question, text: str) -> list[str]:
    rows = [labelled.RECORD.search(line) or labelled.TOTAL.match(line) for line in text.split("\n")]
    return [row[0] for row in rows if row]


def _by_label(question: Question, lines: Sequence[str]) -> str:
    expected = labelled.answer(question.names[0], totals(lines))
    pairs = [f"({', '.join(one)})" for one in expected] if isinstance(expected, tuple) else []
    return ", ".join(pairs) or (NOT_FOUND if expected is None else str(expected))


def _row(question: Question, text: str) -> list[str]:
    path = question.names[0]
    rows = re.findall(rf"^(?:\S+:\d+: )?({re.escape(path)}: .+)$", text, re.MULTILINE)
    if rows or not text.lstrip().startswith("{"):
        return rows
    value = _walk(text, path)
    return [] if value is None else [f"{path}: {value}"]


def _value(question: Question, lines: Sequence[str]) -> str:
    values = [line.rpartition(f"{question.names[0]}: ")[2] for line in lines]
    return values[0] if values else NOT_FOUND


def _walk(text: str, path: str) -> Any:  # noqa: ANN401 - a JSON value
    """A scalar by its key path in a document that may break off, as somebody reads it from the top."""
    stack: list[Any] = []  # a key, or the number of an item
    key = False  # whether the next text is a key
    for piece in LOOSE.findall(text):
        if piece in "{[":
            stack.append("" if piece == "{" else 0)
            key = piece == "{"
        elif piece in "}]":
            if not stack:
                return None  # it began somewhere in the middle: nobody can know the path
            stack.pop()
        elif piece == ",":
            key = bool(stack) and isinstance(stack[-1], str)
            if stack and not key:
                stack[-1] += 1
        elif key and piece.startswith('"'):
            stack[-1], key = json.loads(piece), False
        elif piece != ":" and _path(stack) == path and re.fullmatch(r'".*"|true|false|null|-?[\d.eE+-]+', piece):
            return piece
    return None


def _path(stack: Sequence[str | int]) -> str:
    return "".join(f".{at}" if isinstance(at, str) else f"[{at}]" for at in stack).removeprefix(".")


_EVIDENCE: dict[str, Callable[[Question, str], list[str]]] = {
    "numbers": _facts,
    "count": lambda question, text: _with(question.names[0], text),
    "compare": lambda question, text: _with(f"company {question.names[0]}", text),
    "json": _row,
    "lines": _records,
}
_ANSWER: dict[str, Callable[[Question, Sequence[str]], str]] = {
    "numbers": _numbers,
    "count": _count,
    "compare": _highest,
    "json": _value,
    "lines": _by_label,
}
