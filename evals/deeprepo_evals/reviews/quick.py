"""A worker that reads as a cheap model does when it is quick: it sees what one line says, and never follows a value.

It reports a labelled defect if its prompt holds the lines and the proof, as the oracle does, and if besides the proof says by itself
that something is wrong: it names what the change took away, or calls with fewer arguments than a changed definition asks for.
What is left out by it, others must find: the reader of pairs, the root.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from deeprepo.rlm.values import Completion, Prompt, ToolCall, Usage
from deeprepo_evals.reviews.labels import Label
from deeprepo_evals.reviews.oracle import Oracle, shown_rows

_WORD = re.compile(r"[A-Za-z_$][\w$]{3,}")
_DEFINED = re.compile(r"(?:def|fn|func|function|fun)\s+(?:\([^)]*\)\s*)?(\w+)\s*\(([^)]*)\)|^\s*(\w+)\(([^)]*)\)\s*\{")
TOOL, END = "execute_python", 'set_answer("Nothing was checked.")'


class Quick(Oracle):
    """Reports a labelled defect if a single line of its prompt says it."""

    def _answer(self, prompt: Prompt) -> Mapping[str, Any]:
        self._said = prompt.messages[-1].text
        return super()._answer(prompt)

    def __init__(self, labels: Sequence[Label]) -> None:
        super().__init__(labels)
        self._said = ""

    def finding(self, number: int, shown_lines: Mapping[str, set[str]]) -> dict[str, Any] | None:
        """A defect as a finding, if one line tells it."""
        found = super().finding(number, shown_lines)
        if found is None or not found["evidence"]:
            return found  # the changed lines alone prove it
        return found if says(self._said, found["path"], found["evidence"][0]["quote"]) else None


def says(prompt: str, path: str, line: str) -> bool:
    """Whether a line names what the change took away from a file, or leaves out an argument that it asks for now."""
    rows = [(sign, text) for at, sign, text in shown_rows(prompt) if at == path]
    added, removed = ([text for sign, text in rows if sign == wanted] for wanted in "+-")
    gone = {word for text in removed for word in _WORD.findall(text)} - {
        word for text in added for word in _WORD.findall(text)
    }
    if gone & set(_WORD.findall(line)):
        return True
    for text in added:
        for one, parameters, other, others in _DEFINED.findall(text):
            call = re.search(rf"\b{re.escape(one or other)}\(([^)]*)\)", line)
            if call and _count(call[1]) < _count(parameters or others):
                return True
    return False


def _count(arguments: str) -> int:
    return len([one for one in arguments.split(",") if one.strip() and one.strip() not in ("self", "this")])


class PairsOnly:
    """The script of a root that reads pairs and second opinions, and in its turns nothing. With `silent` not even pairs."""

    def __init__(self, oracle: Oracle, *, silent: bool = False) -> None:
        self._oracle, self._silent = oracle, silent

    def __call__(self, prompt: Prompt) -> Completion:
        """The answer to a prompt with a form; else the shortest block."""
        if prompt.answer is None:
            return Completion("", Usage(1, 1), "end", None, (ToolCall("turn", TOOL, {"code": END}),))
        if prompt.answer.name == "pairs" and self._silent:
            return Completion("", Usage(1, 1), data={"broken": [], "doubts": []})
        return self._oracle(prompt)
