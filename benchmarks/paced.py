"""A loopback provider in a process of its own that takes as long as a real one, and writes down who waited for whom.

    python -m benchmarks.paced LOG [--speed 5] [--seed 1]

The first token comes after a second, 80 tokens a second follow, both with jitter; some first tries are refused with a 429 and
a Retry-After. Everything is drawn from the request itself and the seed, so that a second run waits for the same times. With
`--speed 5` all of it passes five times faster. Readers report a finding for one prompt in three, second opinions decide, a root
goes on for some turns and asks a worker once.

Every reply carries a mark. A request that repeats a mark was made from that reply: LOG gets a line of JSON for each request with its mark, the
marks that it repeats, when it came and how long its reply took, in seconds of the real speed.
"""

import argparse
import asyncio
import hashlib
import json
import random
import re
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply, Server
from deeprepo_sandbox.providers.dialect import sample
from deeprepo_sandbox.providers.events import PIECE

FIRST, RATE = 1.0, 80.0  # seconds until the first token, tokens a second after it
CHARS = 4  # of a token
REFUSED, AFTER = 0.04, 2.0  # of the first tries, seconds of their Retry-After
FINDS, ASKS_BACK = 0.35, 0.12  # of the prompts that readers answer
MARK = re.compile(r"zq[0-9a-f]{10}")
SECTION = re.compile(
    r"^--- (?P<path>[^\s·]+)(?: \([^()]*\))? ---\n(?P<body>.*?)^--- end ---$", re.MULTILINE | re.DOTALL
)
ADDED = re.compile(r"^\+(?:\d+)? (?P<code>.*[A-Za-z]{3}.{6,80})$", re.MULTILINE)
WORDS = [
    "the",
    "value",
    "that",
    "the",
    "caller",
    "passes",
    "is",
    "read",
    "before",
    "the",
    "check,",
    "so",
    "the",
    "branch",
    "below",
    "it",
    "runs",
    "with",
    "the",
    "state",
    "of",
    "the",
    "last",
    "call",
    "and",
    "keeps",
    "what",
    "it",
    "should",
    "have",
    "given",
    "back;",
    "nothing",
    "in",
    "the",
    "shown",
    "code",
    "repeats",
    "the",
    "check,",
    "and",
    "the",
    "other",
    "reader",
    "takes",
    "the",
    "same",
    "path",
]


class Model:
    """Every model of the provider."""

    def __init__(self, log: Path, speed: float, seed: int) -> None:
        self._log = log.open("a", buffering=1, encoding="utf-8")
        self._speed, self._seed = speed, seed
        self._refused: set[str] = set()

    def answer(self, body: Mapping[str, Any]) -> Reply:
        """The reply to one request, and its line in the log."""
        asked = json.dumps(body["messages"])
        mark = "zq" + hashlib.sha256(f"{self._seed}{body['model']}{asked}".encode()).hexdigest()[:10]
        chance = random.Random(mark)  # noqa: S311 - a rehearsal
        role = _role(body)
        row = {"mark": mark, "role": role, "after": sorted({*MARK.findall(asked)} - {mark}), "at": time.monotonic()}
        if mark not in self._refused and chance.random() < REFUSED:
            self._refused.add(mark)
            self._write({**row, "seconds": AFTER, "refused": True})
            return Reply("Rate limit reached", status=429, retry_after=f"{AFTER / self._speed:.3f}")
        chance.random()
        reply = _reply(role, body, mark, chance)
        chars = len(json.dumps(reply.data or [dict(call.arguments) for call in reply.calls]))
        first = FIRST * chance.uniform(0.7, 1.6)
        rest = chars / CHARS / (RATE * chance.uniform(0.75, 1.25))
        self._write({**row, "seconds": first + rest, "tokens": chars // CHARS, "refused": False})
        pause = rest / self._speed / (chars / PIECE + 2)
        return doubles.Reply(data=reply.data, calls=reply.calls, delay=first / self._speed, pause=pause)

    def _write(self, row: Mapping[str, Any]) -> None:
        self._log.write(json.dumps(row) + "\n")


def _role(body: Mapping[str, Any]) -> str:
    """Who is asked: a root has a tool, a second opinion hands in a verdict."""
    form = (body.get("response_format") or {}).get("json_schema", {}).get("name")
    if form is None:
        return "root" if body.get("tools") else "prose"
    return "verify" if form == "verdict" else "reader"


def _reply(role: str, body: Mapping[str, Any], mark: str, chance: random.Random) -> Reply:
    match role:
        case "root":
            return _turn(body, mark, chance)
        case "prose":
            return Reply(data={"answer": _prose(mark, chance, 150)})
    form = body["response_format"]["json_schema"]["schema"]
    if role == "verify":
        verdict = chance.choices(("confirmed", "refuted", "unproven"), (6, 3, 1))[0]
        said = {
            "verdict": verdict,
            "trigger": "the second call",
            "author_would_change": True,
            "reason": _prose(mark, chance, 120),
        }
        return Reply(data={**sample(form), **said})
    text = next(message["content"] for message in body["messages"] if message["role"] == "user")
    again = any(message["role"] == "assistant" for message in body["messages"])
    lines = list(_added(text)) if chance.random() < FINDS else []
    said = {
        "answer": _prose(mark, chance, 160),
        "findings": [_finding(*chance.choice(lines), mark, chance)] if lines else [],
    }
    if "look_ups" in form.get("properties", {}) and not again and chance.random() < ASKS_BACK:
        said["look_ups"] = [{"kind": "search", "name": "return", "path": "", "start": 0, "end": 0, "before": False}]
    return Reply(data={**sample(form), **{name: value for name, value in said.items() if name in form["properties"]}})


def _added(text: str) -> Iterator[tuple[str, str]]:
    """Path and code of the added lines of a prompt."""
    for section in SECTION.finditer(text):
        for line in ADDED.finditer(section["body"]):
            yield section["path"], line["code"]


def _finding(path: str, quote: str, mark: str, chance: random.Random) -> dict[str, Any]:
    return {
        "path": path,
        "quote": quote,
        "line": 0,
        "title": f"The check comes after the value is used {mark}",
        "why": _prose(mark, chance, 90),
        "consequence": _prose(mark, chance, 40),
        "trigger": "a second call with the same key",
        "severity": chance.choice(("medium", "high", "low")),
        "category": chance.choice(("logic", "crash", "resource", "security")),
        "evidence": [],
        "claims": [],
        "suggestion": None,
    }


def _turn(body: Mapping[str, Any], mark: str, chance: random.Random) -> Reply:
    """The next turn of a root: it looks around, asks a worker, and hands in."""
    done = sum(message["role"] == "assistant" for message in body["messages"])
    last = 2 + len(body["messages"][1]["content"]) % 3
    said = "\n".join(f"# {_prose(mark, chance, 25)}" for _ in range(4))
    if done >= last:
        code = f"set_answer({_prose(mark, chance, 80)!r})"
    elif done == 1:
        code = f"print(ask([units[0]['path']], 'Who relies on it? {mark}')['answer'])"
    else:
        code = f"print(coverage())\nprint(search('return', 'src/**')[:5], {mark!r})"
    return doubles.code(f"{said}\n{code}")


def _prose(mark: str, chance: random.Random, tokens: int) -> str:
    """About so many tokens of a reply."""
    count = int(tokens * chance.uniform(0.6, 1.5))
    start = chance.randrange(len(WORDS))
    return " ".join([mark, *(WORDS[(start + at) % len(WORDS)] for at in range(count))])


async def _serve() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", type=Path)
    parser.add_argument("--speed", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    server = Server(Model(asked.log, asked.speed, asked.seed).answer)
    await server.start()
    sys.stdout.write(f"{server.openai_url}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve())
