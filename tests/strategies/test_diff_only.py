"""The reader of the diff alone, beside the one with the code around it: played through the command line against models on loopback."""

from collections.abc import Mapping
from typing import Any

import pytest
from fakes import Repository
from strategies.test_cascade import CLAIM, FOUND, HELPER, USER, reviewed

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply

ALONE = "You see the diff by itself"
GREW = "".join(
    f"\n\ndef rate_{n}(amount):\n    # rates of the year {2000 + n}, in percent of the amount\n    return amount * {n} / 100\n"
    for n in range(60)
)
OTHER = {
    **FOUND,
    "quote": "    return amount * 7 / 100",
    "title": "The rate of 2007 is not a whole number",
    "trigger": "rate_7(1)",
}


@pytest.fixture
def change(repository: Repository) -> Repository:
    """A branch that removes a check which unchanged code relies on, and adds more than a glance can take in."""
    repository.commit({"shop/__init__.py": "", "shop/helper.py": HELPER, "shop/user.py": USER}, "before")
    repository.git("checkout", "-qb", "feature")
    dropped = HELPER.replace("    if amount < 0:\n        raise ValueError(amount)\n", "")
    repository.commit({"shop/helper.py": dropped + GREW}, "after")
    return repository


class Two:
    """A model in every role that finds something else in each kind of reading; what it was asked, sorted within a step."""

    def __init__(self, *, beside: tuple[Mapping[str, Any], ...], alone: tuple[Mapping[str, Any], ...] | int) -> None:
        self.beside, self.alone = beside, alone
        self.asked: list[str] = []
        self.forms: list[str] = []  # of the answer that the reader of the diff alone may give
        self.seen: list[str] = []

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        """The next answer."""
        text = str(body["messages"])
        if CLAIM in text:
            self.asked.append("opinion")
            return doubles.verdict(
                body, {"verdict": "confirmed", "trigger": "t", "author_would_change": True, "reason": ""}
            )
        self.asked.append("alone" if ALONE in text else "reading")
        if ALONE not in text:
            return Reply(data={"answer": "It drops a check.", "findings": list(self.beside)})
        self.seen.append(text)
        self.forms.append(str({name: value for name, value in body.items() if name != "messages"}))
        if isinstance(self.alone, int):
            return Reply(status=self.alone, error="content_filter")
        return Reply(data={"answer": "Rates.", "findings": list(self.alone)})


def titles(review: Mapping[str, Any]) -> list[str]:
    """What the review says is wrong."""
    return sorted(finding["title"] for finding in review["findings"])


def test_what_either_reader_finds_is_reported(change: Repository) -> None:
    """The other reader sees no code beside the diff, may ask for none, and does not speak of the whole change."""
    played = Two(beside=(FOUND,), alone=(OTHER,))
    review = reviewed(change, played)
    assert sorted(played.asked) == ["alone", "opinion", "reading"]
    assert titles(review) == sorted([FOUND["title"], OTHER["title"]])
    assert review["summary"] == "It drops a check."
    assert "shop/user.py" not in played.seen[0]
    assert "findings" in played.forms[0]
    assert "look_ups" not in played.forms[0]


def test_a_defect_that_both_find_is_one_finding_with_one_opinion(change: Repository) -> None:
    """Second opinions wait until both have answered: what the two say is put together first."""
    played = Two(
        beside=(FOUND,), alone=({**FOUND, "title": "Negative amounts are not refused any more", "why": "No check."},)
    )
    review = reviewed(change, played)
    assert sorted(played.asked) == ["alone", "opinion", "reading"]
    assert titles(review) == [FOUND["title"]]


def test_a_reader_of_the_diff_who_fails_is_a_note(change: Repository) -> None:
    """The change was read by the other one: the review is whole, and says what it lacks."""
    played = Two(beside=(FOUND,), alone=400)
    review = reviewed(change, played)
    assert (titles(review), review["partial"]) == ([FOUND["title"]], False)
    assert any(note.startswith("nobody has read the diff by itself") for note in review["notes"])
