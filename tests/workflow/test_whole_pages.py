"""Every count on a pull request's page is right after each ignore, rule, fix, new fault and full review."""

import random
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from families import few
from whole import Whole, whole

from deeprepo_sandbox.github.things import ReviewComment

STRICT = "fail_on: low\nrequest_changes: low\nquota: 9\n"
# Each file has exactly one finding. A rule silences one kind of finding in one file.
FAULTS = {
    "shop/rates.py": ('RATES = {"a": 1, "a": 2}\n', "F601"),
    "shop/kinds.py": ('def known(kind):\n    return kind is "parcel"\n', "F632"),
    "shop/twice.py": ("def pay():\n    return 1\n\n\ndef pay():\n    return 2\n", "F811"),
    "shop/names.py": ("def name():\n    return unknown_name\n", "F821"),
    "shop/last.py": ("def last():\n    return other_name\n", "F821"),
}
MENDED = "SOUND = 1\n"
SHOWN = r"· (\d+)\."  # a finding's number in its comment


@dataclass
class Truth:
    """The expected state, tracked by the test without any code of the product."""

    faulty: set[str] = field(default_factory=set)  # paths that contain their fault
    ignored: set[str] = field(default_factory=set)

    @property
    def open(self) -> set[str]:
        """Return the paths whose finding should be reported."""
        return self.faulty - self.ignored

    @property
    def by_word(self) -> int:
        """Return how many findings a command silences."""
        return len(self.faulty & self.ignored)


def number_in(pattern: str, text: str) -> int:
    """Return the number in the sentence that matches, or 0 if none does."""
    found = re.search(pattern, text)
    return int(found[1]) if found else 0


def compared(at: Whole, number: int, truth: Truth) -> None:
    """Compare summary, check run, request for changes, prompt and threads with the expected state."""
    page, stands = at.summary(number), at.gh.pull(number)
    check = max(stands.checks, key=lambda one: one.id)
    left = len(truth.open)
    assert number_in(r"## deeprepo: .*?(\d+) finding", page) == left
    assert number_in(r"^(\d+) finding", check.title or "") == left
    assert number_in(r"## deeprepo: .*?(\d+) finding", check.text or "") == left
    assert check.conclusion == ("failure" if left else "success")
    assert number_in(r"(\d+) findings? (?:is|are) silenced", page) == truth.by_word
    prompts = [int(one) for one in re.findall(r"Prompt for a coding agent: (?:all )?(\d+) finding", page)]
    assert prompts == ([left] if prompts else [])
    asking = [one for one in stands.reviews if one.state == "CHANGES_REQUESTED"]
    assert bool(asking) == bool(left)
    first = re.search(r"\*\*Start with\*\* \[`([^:`]+):\d+`\]\([^)]*\): finding", page)
    assert first is None or first[1] in truth.open
    for each in stands.review_comments:
        if '"kind": "finding"' in each.body and each.path in truth.faulty - truth.open:
            assert each.is_resolved


def commented(at: Whole, number: int, path: str) -> ReviewComment:
    """Return the newest comment about a file's finding; a finding that comes back gets a new comment."""
    *_, found = [c for c in at.gh.pull(number).review_comments if c.path == path and '"kind": "finding"' in c.body]
    return found


async def stepped(at: Whole, number: int, truth: Truth, dice: random.Random) -> None:
    """Do one random step: ignore a finding, fix or break a file, or review in full."""
    match dice.choice(("ignore", "mend", "break", "full")):
        case "ignore" if truth.open:
            path = dice.choice(sorted(truth.open))
            await at.said(number, f"/deeprepo ignore {number_in(SHOWN, commented(at, number, path).body)} seen")
            truth.ignored.add(path)
        case "mend" if truth.faulty:
            path = dice.choice(sorted(truth.faulty))
            truth.faulty.discard(path)
            await at.repo.push("feature", {path: MENDED})
        case "break" if len(truth.faulty) < len(FAULTS):
            path = dice.choice(sorted(set(FAULTS) - truth.faulty))
            truth.faulty.add(path)
            await at.repo.push("feature", {path: FAULTS[path][0]})
        case _:
            await at.said(number, "/deeprepo full review")
    await at.quiet()


@pytest.mark.parametrize("game", few(tuple(range(20, 28)), 7))
async def test_every_number_is_correct_after_every_step(game: int, tmp_path: Path) -> None:
    """Play five random steps on one pull request, and compare the page after each."""
    dice = random.Random(game)  # noqa: S311 - not for security
    async with whole(tmp_path) as at:
        await at.repo.commit("main", {".deeprepo.yml": STRICT})
        truth = Truth(set(dice.sample(sorted(FAULTS), 3)))
        number = await at.reviewed(files={path: FAULTS[path][0] for path in truth.faulty})
        compared(at, number, truth)
        for _ in range(5):
            await stepped(at, number, truth, dice)
            compared(at, number, truth)
