"""A loopback model that asks back and finds as often as recorded readers did, in a process of its own.

    python -m benchmarks.asking LOG

How often is what was recorded (docs/evaluation.md): in 24 reviews of large pairs 79 claims for 38,201 tokens read in each, 2.7 turns of a
root in each, and the shares of readers and second opinions that asked to see more. What each of these things costs is not in here: a claim quotes a
changed line of its prompt, a question asks for names of that line, a root searches for names of its first message, and the product
shows what it shows then. Nothing is drawn by chance. LOG gets what `benchmarks.counted` writes.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import counted
from deeprepo_sandbox.providers import Reply, code

READ_PER_CLAIM = 24 * 38_201 / 79  # tokens
CHARS_PER_TOKEN = 4.1
ASKING, DOUBTING = 0.3, 0.7  # of the readers and of the second opinions
TURNS = 3  # of a root, with the one that ends it; recorded: 2.7
LEAST, MOST = 30, 160  # characters of a line that is quoted
CONFIRMED = {
    "verdict": "confirmed",
    "trigger": "An ordinary call.",
    "author_would_change": True,
    "reason": "Read.",
    "limit": "none",
    "ground": "",
    "by": "code",
}
_SECTION = re.compile(
    r"^--- (?!unchanged: )(\S+?)(?: \((?:new file|renamed[^)]*)\))? ---\n(.*?)^--- end ---$", re.MULTILINE | re.DOTALL
)
_PAIR = re.compile(r"^--- (\S+) · (?:before and after|([^\n]*)) ---\n(.*?)^--- end ---$", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^ *([+-]?)(?:\d+)? (.*)$")
_NAME = re.compile(r"[A-Za-z_]\w{5,40}")
_OTHER = re.compile(r"(?:^|[/_.])(?:tests?|docs?)(?:[/_.]|$)|\.(?:md|txt|rst|lock|json|ya?ml|toml|css|html)$")
Line = tuple[str, str]  # the path and the text of a changed line


class Reader:
    """The answers to one review after another. How many have asked by now decides who asks next, not who they are."""

    def __init__(self) -> None:
        self._asked = {"review": 0.5, "verdict": 0.5}  # how much of a question is due
        self._due = 0.5  # how much of a claim
        self._told: dict[str, list[Line]] = {}  # what a reader has reported, by its first prompt

    def __call__(self, body: Mapping[str, Any], text: str) -> Reply:
        """The answer to a request."""
        roles = [message["role"] for message in body["messages"]]
        again = roles.count("assistant")
        if "tools" in body and "response_format" not in body:
            return _turn(body, again)
        form = counted.form(body)
        first = next(counted.texts({"messages": [m for m in body["messages"] if m["role"] == "user"]}), "")
        if form == "pairs":
            return Reply(data={"broken": list(map(_broken, self._lines(first, _pair_lines(first)))), "doubts": []})
        if form == "review":
            return self._review(body, first, again=bool(again))
        if form in ("verdict", "verdicts"):
            return self._opinion(body, form, first, again=bool(again))
        return counted.nothing(body, text)

    def _review(self, body: Mapping[str, Any], first: str, *, again: bool) -> Reply:
        lines = _changed_lines(first)
        data: dict[str, Any] = {**counted.least(body), "findings": [], "answer": "Read."}
        if not again:
            self._told[first] = self._lines(first, lines)
        told = self._told.get(first, [])
        data["findings"] = [_finding(line, lines) for line in told]
        if "look_ups" in data:
            data["look_ups"] = _look_ups(told or lines[:1]) if not again and self._asks("review", ASKING) else []
        return Reply(data=data)

    def _opinion(self, body: Mapping[str, Any], form: str, first: str, *, again: bool) -> Reply:
        if again or "look_ups" not in counted.least(body) or not self._asks("verdict", DOUBTING):
            return counted.opinion({**body, "messages": [{"role": "user", "content": first}]}, CONFIRMED)
        names = [("", quoted) for quoted in re.findall(r"^Mechanism: (.*)$", first, re.MULTILINE)]
        if form == "verdict":
            return Reply(data={**CONFIRMED, "verdict": "open", "look_ups": _look_ups(names)})
        rows = [{"claim": f"C{number}", **CONFIRMED, "verdict": "open"} for number in range(1, len(names) + 1)]
        return Reply(data={"verdicts": rows, "look_ups": _look_ups(names)})

    def _asks(self, role: str, share: float) -> bool:
        self._asked[role] += share
        due = self._asked[role] >= 1
        self._asked[role] -= due
        return due

    def _lines(self, text: str, lines: Sequence[Line]) -> list[Line]:
        """As many of these lines as claims are due after so much reading, far from each other."""
        self._due += len(text) / CHARS_PER_TOKEN / READ_PER_CLAIM
        count = min(int(self._due), len(lines))
        self._due -= int(self._due)
        step = max(1, len(lines) // max(1, count))
        return list(lines[step // 2 :: step][:count])


def _changed_lines(text: str) -> list[Line]:
    """The changed lines that a claim may be about, those of the product if there are any."""
    lines = [
        (path, row)
        for path, body in _SECTION.findall(text)
        for sign, row in _rows(body)
        if sign == "+" or f"--- {path} (new file) ---" in text
    ]
    return _telling(lines)


def _pair_lines(text: str) -> list[Line]:
    return _telling(
        [(path, row) for path, use, body in _PAIR.findall(text) if not use for sign, row in _rows(body) if sign == "+"]
    )


def _telling(lines: Sequence[Line]) -> list[Line]:
    good = [(path, row) for path, row in lines if LEAST <= len(row.strip()) <= MOST and len(_NAME.findall(row)) > 1]
    return [line for line in good if not _OTHER.search(line[0])] or good


def _rows(body: str) -> Iterator[tuple[str, str]]:
    return ((found[1], found[2]) for row in body.splitlines() if (found := _ROW.match(row)))


def _words(line: Line) -> dict[str, Any]:
    names = [f"`{name}`" for name in _NAME.findall(line[1])]
    return {
        "title": f"{names[0]} does not hold together with {names[-1]}",
        "why": f"{' and '.join(names[:3])} are taken for what they were before {line[0]} changed.",
        "consequence": f"Who calls {names[0]} gets what {names[-1]} does not allow.",
        "trigger": f"A call of {names[0]}.",
        "severity": "medium",
        "category": "logic",
    }


def _finding(line: Line, lines: Sequence[Line]) -> dict[str, Any]:
    name = _NAME.findall(line[1])[0]
    evidence = [{"path": path, "quote": row} for path, row in lines if name in row and row != line[1]][:1]
    return {"path": line[0], "quote": line[1], **_words(line), "evidence": evidence, "claims": [], "suggestion": None}


def _broken(line: Line) -> dict[str, Any]:
    place = {"path": line[0], "quote": line[1]}
    return {"change": place, "use": place, **_words(line)}


def _look_ups(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """The definition and the uses of names, and a search, as readers ask: four for one claim, and two for each further one."""
    found = list(dict.fromkeys(name for _, row in lines for name in _NAME.findall(row)[:3]))
    kinds = ["definition", "uses", "search", "definition", *["definition", "uses"] * len(lines)]
    most = min(12, 2 + 2 * len(lines)) if len(lines) > 1 else 4
    rest = {"path": "", "start": 0, "end": 0, "before": False}
    return [{"kind": kind, "name": name, **rest} for kind, name in zip(kinds[:most], found, strict=False)]


def _turn(body: Mapping[str, Any], turn: int) -> Reply:
    """A turn of a root: it searches for names of its first message, and ends with the last one."""
    if turn + 1 >= TURNS:
        return code("set_answer('What was found is reported.')")
    text = "\n".join(counted.texts(body))
    names = list(dict.fromkeys(_NAME.findall("\n".join(re.findall(r"^- \S+:\d+[^\n]*: (.*)$", text, re.MULTILINE)))))
    names = (names or _NAME.findall(text))[4 * turn :][:4]
    searched = "".join(f"print(search(r'\\b{name}\\b', limit=40))\n" for name in names)
    return code(f"{searched}for row in callers({names[0]!r})[:20]:\n    print(row['path'], row['line'], row['text'])")


if __name__ == "__main__":
    counted.serve(Path(sys.argv[1]), Reader())
