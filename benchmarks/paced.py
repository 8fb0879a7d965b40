"""Models that take as long as real ones: readers report a finding for one prompt in three, and second opinions decide.

The first token comes after a second, 80 tokens a second follow, both with jitter; some first tries are refused with a 429 and a
Retry-After. Everything is drawn from the request itself, so that a second run waits for the same times.
"""

import hashlib
import json
import random
import re
from collections.abc import Iterator, Mapping
from typing import Any

from deeprepo_sandbox.providers import Reply
from deeprepo_sandbox.providers.dialect import sample
from deeprepo_sandbox.providers.events import PIECE

FIRST, RATE = 1.0, 80.0  # seconds until the first token, tokens a second after it
CHARS = 4  # of a token
REFUSED, AFTER = 0.04, 2.0  # of the first tries, seconds of their Retry-After
FINDS, ASKS_BACK = 0.35, 0.12  # of the prompts that readers answer
SECTION = re.compile(
    r"^--- (?P<path>[^\s·]+)(?: \([^()]*\))? ---\n(?P<body>.*?)^--- end ---$", re.MULTILINE | re.DOTALL
)
ADDED = re.compile(r"^\+(?:\d+)? (?P<code>.*[A-Za-z]{3}.{6,80})$", re.MULTILINE)
SENTENCE = "The value that the caller passes is read before the check, so the branch below it runs with the last state."


class Model:
    """Every model of the provider. `speed`: how many times faster than a real one."""

    def __init__(self, speed: float) -> None:
        self._speed = speed
        self._refused: set[str] = set()

    def answer(self, body: Mapping[str, Any]) -> Reply:
        """The reply to one request."""
        mark = hashlib.sha256(f"{body['model']}{json.dumps(body['messages'])}".encode()).hexdigest()
        chance = random.Random(mark)  # noqa: S311 - a rehearsal
        if mark not in self._refused and chance.random() < REFUSED:
            self._refused.add(mark)
            return Reply("Rate limit reached", status=429, retry_after=f"{AFTER / self._speed:.3f}")
        said = _said(body, chance)
        chars = len(json.dumps(said))
        first = FIRST * chance.uniform(0.7, 1.6)
        rest = chars / CHARS / (RATE * chance.uniform(0.75, 1.25))
        return Reply(data=said, delay=first / self._speed, pause=rest / self._speed / (chars / PIECE + 2))


def _said(body: Mapping[str, Any], chance: random.Random) -> dict[str, Any]:
    form = body.get("response_format", {}).get("json_schema")
    if form is None:
        return {"answer": _prose(chance, 150)}
    schema = form["schema"]
    if form["name"] == "verdict":
        verdict = chance.choices(("confirmed", "refuted", "unproven"), (6, 3, 1))[0]
        said = {"verdict": verdict, "trigger": "the second call", "author_would_change": True}
        return {**sample(schema), **said, "reason": _prose(chance, 120)}
    text = next(message["content"] for message in body["messages"] if message["role"] == "user")
    again = any(message["role"] == "assistant" for message in body["messages"])
    lines = list(_added(text)) if chance.random() < FINDS else []
    answer: dict[str, Any] = {"answer": _prose(chance, 160)}
    answer["findings"] = [_finding(*chance.choice(lines), chance)] if lines else []
    if not again and chance.random() < ASKS_BACK:
        answer["look_ups"] = [{"kind": "search", "name": "return", "path": "", "start": 0, "end": 0, "before": False}]
    return {**sample(schema), **{name: value for name, value in answer.items() if name in schema["properties"]}}


def _added(text: str) -> Iterator[tuple[str, str]]:
    """Path and code of the added lines of a prompt."""
    for section in SECTION.finditer(text):
        for line in ADDED.finditer(section["body"]):
            yield section["path"], line["code"]


def _finding(path: str, quote: str, chance: random.Random) -> dict[str, Any]:
    return {
        "path": path,
        "quote": quote,
        "line": 0,
        "title": "The check comes after the value is used",
        "why": _prose(chance, 90),
        "consequence": _prose(chance, 40),
        "trigger": "a second call with the same key",
        "severity": chance.choice(("medium", "high", "low")),
        "category": chance.choice(("logic", "crash", "resource", "security")),
        "evidence": [],
        "claims": [],
        "suggestion": None,
    }


def _prose(chance: random.Random, tokens: int) -> str:
    """About so many tokens of a reply."""
    count, words = int(tokens * chance.uniform(0.6, 1.5)), SENTENCE.split()
    return " ".join(words[at % len(words)] for at in range(count))
