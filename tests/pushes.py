"""Reviews of a pull request with three pushes. Each review gets the JSON output of the previous one."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository
from reported import reported

from bot.outputs import json_file
from bot.values import Finding, Review, TypedChange
from bot.wiring.review import local_review
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply, Server

Files = dict[str, str | bytes | None]
Worker = Callable[[Mapping[str, Any]], Reply]
CONFIRMED = {"verdict": "confirmed", "trigger": "t", "author_would_change": True, "reason": "r"}
BASE: Files = {
    "shop/__init__.py": "",
    "shop/rates.py": "def apply(rate, amount):\n    if amount < 0:\n        raise ValueError(amount)\n    return amount * rate\n",
    "shop/cart.py": "from shop.rates import apply\n\n\ndef total(rows):\n    return sum(apply(0.2, row) for row in rows)\n",
}
FIRST: Files = {
    "shop/rates.py": "def apply(rate, amount):\n    return amount * rate + 0\n",
    "shop/label.py": "def label(parcel):\n    size = parcel.size[0]\n    return str(size)\n\n\ndef weigh(parcel):\n    return parcel.weight\n",
}
SECOND: Files = {
    "shop/rates.py": "def apply(rate, amount):\n    if amount < 0:\n        return 0\n    return amount * rate + 0\n",
    "shop/label.py": "# labels of parcels\n# as they are printed\n\n" + str(FIRST["shop/label.py"]),
    "shop/stamp.py": "def stamp(letter):\n    return letter.stamps.pop()\n",
}
NEGATIVE, SIZES, STAMPS, OLD = "amount * rate + 0", "parcel.size[0]", "letter.stamps.pop()", "return parcel.weight"


def found(path: str, quote: str, severity: str, title: str) -> dict[str, Any]:
    return reported(path, quote, 0, title, severity=severity)


KNOWN = {
    NEGATIVE: found("shop/rates.py", "    return amount * rate + 0", "medium", "A negative amount is accepted"),
    SIZES: found("shop/label.py", "    size = parcel.size[0]", "medium", "An empty size crashes the label"),
    STAMPS: found("shop/stamp.py", "    return letter.stamps.pop()", "medium", "A letter without stamps crashes"),
}


class Hand:
    """A repository with a feature branch, and a way to review it."""

    def __init__(self, repository: Repository, scratch: Path, env: pytest.MonkeyPatch) -> None:
        self.repository, self.scratch, self.env = repository, scratch, env
        self.requests: list[str] = []

    def review(self, previous: Review | bytes | None = None, worker: Worker | None = None, **flags: object) -> Review:
        """Review the current branch, given the previous review."""
        data = json_file.render(previous).encode() if isinstance(previous, Review) else previous
        with doubles.in_thread(Server(worker or judge)) as server:
            self.env.setenv("DEEPREPO_BASE_URL", server.openai_url)
            given = {"worker": "compatible/worker", "strategy": "parts", "previous": data, **flags}
            review = asyncio.run(local_review(TypedChange(str(self.repository.folder)), given, str(self.scratch)))
            self.requests = [str(body["messages"]) for body in server.requests]
        return review


def judge(body: Mapping[str, Any]) -> Reply:
    """Report each known finding whose code is in the prompt; refute the negative amount if it is handled."""
    text = str(body["messages"])
    if "The claim, about" in text:

        def verdict(claim: str) -> Mapping[str, Any]:
            handled = "A negative amount" in claim.partition("Trigger:")[0] and "return 0" in text
            return {**CONFIRMED, "verdict": "refuted", "ground": "return 0"} if handled else CONFIRMED

        return doubles.verdict(body, verdict)
    hits = [item for quote, item in KNOWN.items() if quote in text]
    if "return 0" in text:
        hits = [item for item in hits if item is not KNOWN[NEGATIVE]]
    return Reply(data={"answer": "Read.", "findings": hits})


def titles(findings: Iterable[Finding]) -> set[str]:
    return {finding.title for finding in findings}


def first_push(repository: Repository, scratch: Path, env: pytest.MonkeyPatch) -> Hand:
    """Return a repository whose feature branch has the first push."""
    repository.commit(BASE, "before")
    repository.git("checkout", "-qb", "feature")
    repository.commit(FIRST, "first push")
    scratch.mkdir()
    return Hand(repository, scratch, env)
