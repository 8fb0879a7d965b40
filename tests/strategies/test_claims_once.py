"""One claim is verified once, however often and in whichever words it is told: 12 reviews, played through the command line."""

from collections.abc import Mapping
from typing import Any

import pytest
from fakes import Repository
from families import few
from strategies.test_cascade import read
from strategies.test_pairs import BROKEN, Led, change

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply

__all__ = ["change"]

CHANGED = ("shop/clock.py", "    return job.delay * 1000")
USE = ("shop/page.py", "    return f'{pause(job)} seconds'")
# What readers have called one mechanism: title, why, category.
WORDINGS = (
    ("show() prints milliseconds as seconds", "The unit of the wait has changed.", "logic"),
    ("A wait of two seconds is shown as 2000 seconds", "wait() multiplies by 1000 and show() writes what it gets.", "contract"),
)  # fmt: skip


class Retelling(Led):
    """A reader of pairs and a worker or a root, who tell one claim in words of their own."""

    def __init__(self, who: str, at: str, wording: tuple[str, str, str]) -> None:
        self.who, (self.title, self.why, self.category) = who, wording
        self.here, self.there = (CHANGED, USE) if at == "the change" else (USE, CHANGED)
        super().__init__(BROKEN, read=self._finding() if who == "a worker" else None)

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        """The next answer; a root tells the claim in its first block."""
        reply = super().__call__(body)
        if self.who == "the root" and self.asked[-1] == "turn" and self.asked.count("turn") == 1:
            told = [*self.here, self.title, self.why]
            rest = f"severity='high', category={self.category!r}, trigger='show(Job(delay=2))', evidence={[[*self.there]]!r}"
            return Reply(calls=doubles.code(f"print(report({', '.join(map(repr, told))}, {rest}))").calls)
        return reply

    def _finding(self) -> dict[str, Any]:
        own = {
            "path": self.here[0],
            "quote": self.here[1],
            "title": self.title,
            "why": self.why,
            "category": self.category,
        }
        evidence = [{"path": self.there[0], "quote": self.there[1]}]
        told = {name: BROKEN[name] for name in ("trigger", "consequence", "severity")}
        return {**own, **told, "evidence": evidence, "line": 0, "claims": [], "suggestion": None}


REVIEWS = [
    (who, at, wording) for who in ("a worker", "the root") for at in ("the change", "the use") for wording in WORDINGS
]


@pytest.mark.parametrize(("who", "at", "wording"), few(REVIEWS, 1, 7))
def test_a_claim_is_verified_once(change: Repository, who: str, at: str, wording: tuple[str, str, str]) -> None:
    """The reader of pairs has told it before: one finding, and one second opinion."""
    played = Retelling(who, at, wording)
    review = read(change, played)
    assert (played.asked.count("opinion"), len(review["findings"])) == (1, 1), [
        row["title"] for row in review["findings"]
    ]
