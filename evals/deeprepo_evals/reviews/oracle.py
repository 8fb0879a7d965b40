"""A worker that knows the labels and speaks only where its prompt would let anybody see the defect.

What is lost with it in the model's place is lost by the harness: it separates what is delivered from what a model sees.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bot.findings import read
from deeprepo.rlm.values import Completion, Prompt, Usage
from deeprepo_evals.reviews.labels import Label, Line

NAME = "scripted/oracle"
CONFIRMED = {"verdict": "confirmed", "trigger": "as labelled", "author_would_change": True, "reason": "labelled"}
_SECTION = re.compile(
    r"^--- (?!what the |end ---)(?:unchanged: )?(.+?)(?: · .*)?(?: \((?:new file|deleted file|renamed .*|copied .*)\))? ---$"
)
_NUMBERED = re.compile(r"^([ +-])\s*(\d*) (.*)$")


def confirmation(prompt: Prompt) -> Mapping[str, Any] | None:
    """Confirm the claim of a request for a confirmation; None for another prompt."""
    return CONFIRMED if read.kind(prompt.answer) == "verdict" else None


class Oracle:
    """Reports a labelled defect if, and only if, one prompt holds its lines and its proof; remembers which ones it saw."""

    def __init__(self, labels: Sequence[Label]) -> None:
        self.labels, self.shown, self.together = labels, set[int](), set[int]()

    def __call__(self, prompt: Prompt) -> Completion:
        """The script of a `ScriptedModel`."""
        return Completion("", Usage(1, 1), data=self._answer(prompt))

    def _answer(self, prompt: Prompt) -> Mapping[str, Any]:
        if (confirmed := confirmation(prompt)) is not None:
            return confirmed
        shown = sections(prompt.messages[-1].text)
        found = [item for number in range(len(self.labels)) if (item := self.finding(number, shown)) is not None]
        return {"answer": "Read.", "findings": found}

    def finding(self, number: int, shown_lines: Mapping[str, set[str]]) -> dict[str, Any] | None:
        """A defect as a finding, if what is shown (path -> lines) has its lines and its proof."""
        label = self.labels[number]
        at = next((line for line in label.lines if line.text in shown_lines.get(line.path, ())), None)
        if at is None:
            return None
        self.shown.add(number)
        proof = next(_proofs(label, shown_lines), None)
        known = bool(label.proof or label.doubtful)
        if known and proof is None:
            return None
        if not known and label.proof_files and not any(path in shown_lines for path in label.proof_files):
            return None
        self.together.add(number)
        return _finding(at, proof)


def _proofs(label: Label, shown_lines: Mapping[str, set[str]]) -> Iterator[Line]:
    """Evidence that stands in the prompt: what proves by itself, then what does so unless its excuse stands beside it."""
    yield from (line for line in label.proof if line.text in shown_lines.get(line.path, ()))
    excused = {line.path for line in label.excuse if line.text in shown_lines.get(line.path, ())}
    yield from (
        line for line in label.doubtful if line.text in shown_lines.get(line.path, ()) and line.path not in excused
    )


def _finding(at: Line, proof: Line | None) -> dict[str, Any]:
    return {
        "path": at.path,
        "quote": at.text,
        "line": at.number,
        "title": "The labelled defect",
        "why": "As labelled.",
        "consequence": "As labelled.",
        "trigger": "as labelled",
        "severity": "high",
        "category": "logic",
        "evidence": [{"path": proof.path, "quote": proof.text}] if proof else [],
        "suggestion": None,
    }


def sections(text: str) -> dict[str, set[str]]:
    """Path -> the texts of the lines that a prompt shows of it."""
    found: dict[str, set[str]] = defaultdict(set)
    for path, _, line in shown_rows(text):
        found[path].add(line)
    return found


def shown_rows(text: str) -> Iterator[tuple[str, str, str]]:
    """Path, sign and text of the lines that a prompt shows."""
    path = ""
    for row in text.split("\n"):
        if head := _SECTION.match(row):
            path = head[1]
        elif row == "--- end ---":
            path = ""
        elif path and (line := _NUMBERED.match(row)):
            yield path, line[1], line[3].strip()
