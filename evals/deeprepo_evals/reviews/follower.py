"""A root that knows no label while it looks: it follows the names of the change over two steps with the tools of the REPL.

What its turns print is all that it can report from. It reports a labelled defect if what it was shown has its lines and its proof,
as the oracle in the worker's place does; so a loss is that of the tools, or of a walk as plain as this one.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from deeprepo.rlm.values import Completion, Prompt, ToolCall, Usage
from deeprepo_evals.reviews.oracle import Oracle, sections

SCRIPT = Path(__file__).with_name("scripts") / "follow.txt"
TOOL = "execute_python"
_SHOWN = re.compile(r"^--- (.+?), of [\d,]+ lines? ---$")
_ROW = re.compile(r"^ *(\d+) (.*)$")
_PLACE = re.compile(r"^([^\s:][^:]*):(\d+): (.*)$")


class Follower:
    """The script of a root. `oracle`: who knows the labels, and remembers what was shown."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle, self._turn = oracle, 0
        self._reported: set[int] = set()

    def __call__(self, prompt: Prompt) -> Completion:
        """The next block of code; a confirmation is always that of the oracle."""
        if prompt.answer is not None:
            return self._oracle(prompt)
        shown = _shown_lines(prompt)
        for number in range(len(self._oracle.labels)):
            if number not in self._reported and (finding := self._oracle.finding(number, shown)):
                self._reported.add(number)
                return self._code(_report(finding))
        block = blocks()[min(self._turn, len(blocks()) - 1)]
        self._turn += 1
        return self._code(block)

    @staticmethod
    def _code(code: str) -> Completion:
        return Completion("", Usage(1, 1), "end", None, (ToolCall("turn", TOOL, {"code": code}),))


@cache
def blocks() -> tuple[str, ...]:
    """The blocks of the walk."""
    return tuple(part.strip("\n") for part in SCRIPT.read_text("utf-8").split("\n---\n"))


def _report(finding: Mapping[str, object]) -> str:
    words = ("path", "quote", "title", "why", "consequence", "severity", "category", "trigger")
    given = ", ".join(f"{word}={finding[word]!r}" for word in words)
    proof = [[row["path"], row["quote"]] for row in finding["evidence"]]  # type: ignore[attr-defined]
    return f"print(report({given}, start={finding['line']!r}, evidence={proof!r}))"


def _shown_lines(prompt: Prompt) -> Mapping[str, set[str]]:
    """Path -> the lines that the conversation has shown of it: in the first message, and by what its blocks printed."""
    found: dict[str, set[str]] = defaultdict(set)
    for message in prompt.messages:
        for path, lines in sections(message.text).items():
            found[path] |= lines
        path = ""
        for row in message.text.split("\n"):
            if head := _SHOWN.match(row):
                path = head[1]
            elif path and (line := _ROW.match(row)):
                found[path].add(line[2].strip())
            else:
                path = ""
                if place := _PLACE.match(row):
                    found[place[1]].add(place[3].strip())
    return found
