"""A worker without a model: it reports a planted defect if, and only if, its prompt shows the lines that a person would need.

Those are the planted line, what makes it one of its kind where the same line stands elsewhere too, and a line of the proof. Naming
a path shows nothing. What is not found with it in the worker's place was not delivered.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from deeprepo.rlm.values import Completion, Prompt, Usage
from deeprepo_evals.plant.values import CLASSES, CodeBase, Label, Line

NAME = "scripted/reader"
_NUMBERED = re.compile(r"^(?:[ +-]?\s*\d{1,7} |[+-] )")
FindingFields = dict[str, Any]


class Reader:
    """The script of a `ScriptedModel`: answers reviews, looks, confirmations and free prompts; remembers what it was shown."""

    def __init__(self, code: CodeBase, usage: Callable[[Prompt], Usage] | None = None) -> None:
        self.labels = code.labels
        self.shown: set[int] = set()  # labels, by their place in code.labels
        self._usage = usage
        self._often = Counter(row.strip() for text in code.files.values() for row in text.split("\n"))

    def __call__(self, prompt: Prompt) -> Completion:
        """What a worker says that reads what it is shown and nothing else."""
        found = self.visible(prompt.messages[-1].text)
        asked = prompt.answer.name if prompt.answer is not None else ""
        usage = self._usage(prompt) if self._usage is not None else Usage()
        if not asked:
            return Completion(json.dumps([_report(label) for label in found]), usage)
        data = _verdict(found) if asked == "verdict" else _answer(found, asked)
        return Completion(json.dumps(data), usage, data=data)

    def visible(self, text: str) -> list[Label]:
        """The defects that a text lets its reader see."""
        rows = {_NUMBERED.sub("", row).strip() for row in text.split("\n")} | {row.strip() for row in text.split("\n")}
        numbers = [n for n, label in enumerate(self.labels) if self._shows(label, rows, text)]
        self.shown.update(numbers)
        return [self.labels[n] for n in numbers]

    def _shows(self, label: Label, rows: set[str], text: str) -> bool:
        if label.text not in rows or (self._often[label.text] > 1 and label.head.text not in rows):
            return False
        return not label.proof or any(self._stands(line, rows, text) for line in label.proof)

    def _stands(self, line: Line, rows: set[str], text: str) -> bool:
        return line.text in rows and (self._often[line.text] == 1 or line.path in text)


def _report(label: Label) -> FindingFields:
    """A finding as `report(**finding)` takes it."""
    return {
        "path": label.path,
        "quote": label.text,
        "start": label.line,
        "title": f"{label.function}(): {label.kind.replace('-', ' ')}",
        "why": f"{label.why}. Trigger: {label.trigger}.",
        "consequence": f"{label.function}() does the wrong thing: {label.trigger}",
        "severity": "high",
        "category": CLASSES[label.kind][0],
        "evidence": [[line.path, line.text] for line in label.proof],
    }


def _answer(labels: Sequence[Label], question: str) -> FindingFields:
    findings = [_in_schema(_report(label), label) for label in labels]
    reply: FindingFields = {"answer": f"{len(findings)} found." if findings else "Nothing found.", "findings": findings}
    if question == "look":
        quotes = [{"path": label.path, "quote": label.text} for label in labels]
        reply |= {"found": bool(labels), "quotes": quotes}
    return reply


def _in_schema(finding: FindingFields, label: Label) -> FindingFields:
    """Return a finding in the form of a structured answer."""
    pairs: list[Mapping[str, str]] = [{"path": path, "quote": quote} for path, quote in finding["evidence"]]
    rest = {key: value for key, value in finding.items() if key not in {"start", "evidence"}}
    return {**rest, "line": label.line, "trigger": label.trigger, "evidence": pairs, "suggestion": None}


def _verdict(labels: Sequence[Label]) -> FindingFields:
    """A confirmation: what it can see itself it confirms, the rest it cannot prove."""
    trigger = labels[0].trigger if labels else ""
    verdict = "confirmed" if labels else "unproven"
    return {"verdict": verdict, "trigger": trigger, "author_would_change": bool(labels), "reason": "as the lines show"}
