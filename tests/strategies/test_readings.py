"""Model passes that see only the diff, next to one that also sees the code around it, on the command line."""

from collections.abc import Mapping
from typing import Any

import pytest
from fakes import Repository
from strategies.test_root import CLAIM, FOUND, HELPER, MORE, USER, reviewed

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply

ALONE = "You read the diff of a pull request"
GREW = "".join(
    f"\n\ndef rate_{n}(amount):\n    # rates of the year {2000 + n}, in percent of the amount\n    return amount * {n} / 100\n"
    for n in range(60)
)
OTHER = {
    **FOUND,
    "quote": "    return amount * 7 / 100",
    "title": "The rate of 2007 is not a whole number",
    "trigger": "rate_7(1)",
    "severity": "low",
}


@pytest.fixture
def change(repository: Repository) -> Repository:
    """Commit a branch that removes a check which unchanged code depends on, and adds a lot of code."""
    repository.commit({"shop/__init__.py": "", "shop/helper.py": HELPER, "shop/user.py": USER}, "before")
    repository.git("checkout", "-qb", "feature")
    dropped = HELPER.replace("    if amount < 0:\n        raise ValueError(amount)\n", "")
    repository.commit({"shop/helper.py": dropped + GREW}, "after")
    return repository


class Two:
    """A model in every role whose findings differ between the passes. `asked` lists its calls."""

    def __init__(
        self,
        *,
        beside: tuple[Mapping[str, Any], ...],
        alone: tuple[Mapping[str, Any], ...] | int,
        fails: tuple[str, ...] = ("\0",),
    ) -> None:
        self.beside, self.alone = beside, alone
        self.fails = fails  # passes over only the diff fail if their prompt contains all of these
        self.asked: list[str] = []
        self.forms: list[str] = []  # requests of passes over only the diff, without messages
        self.seen: list[str] = []

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        """Return the next reply."""
        text = str(body["messages"])
        if CLAIM in text:
            self.asked.append("confirmation")
            return doubles.verdict(
                body, {"verdict": "confirmed", "trigger": "t", "author_would_change": True, "reason": ""}
            )
        self.asked.append("alone" if ALONE in text else "reading")
        if ALONE not in text:
            return Reply(data={"answer": "It drops a check.", "findings": list(self.beside)})
        self.seen.append(text)
        self.forms.append(str({name: value for name, value in body.items() if name != "messages"}))
        if isinstance(self.alone, int) or all(one in text for one in self.fails):
            return Reply(status=400, error="content_filter")
        return Reply(data={"answer": "Rates.", "findings": list(self.alone)})


def titles(review: Mapping[str, Any]) -> list[str]:
    """Return the sorted titles of a review's findings."""
    return sorted(finding["title"] for finding in review["findings"])


def test_findings_of_any_pass_are_reported(change: Repository) -> None:
    """One pass sees only the diff, without look-ups."""
    played = Two(beside=(FOUND | {"severity": "low"},), alone=(OTHER,))
    review = reviewed(change, played)
    assert played.asked == ["alone", "reading"]
    assert titles(review) == sorted([FOUND["title"], OTHER["title"]])
    assert review["summary"] == "It drops a check."
    for seen, form in zip(played.seen, played.forms, strict=True):
        assert "shop/user.py" not in seen
        assert "findings" in form
        assert "look_ups" not in form


def test_finding_of_several_passes_needs_no_confirmation(change: Repository) -> None:
    """Their reports are merged by meaning, and the review says how many passes reported the defect."""
    told = {**FOUND, "title": "Negative amounts are not refused any more", "why": "No check."}
    played = Two(beside=(FOUND,), alone=(told, OTHER))
    review = reviewed(change, played)
    assert sorted(played.asked) == ["alone", "reading"]
    votes = {one["title"]: (len(one["sources"]), one["readings"], one["verdict"]) for one in review["findings"]}
    assert votes == {FOUND["title"]: (2, 2, "unproven"), OTHER["title"]: (1, 2, "unproven")}
    places = {one["title"]: one["place"] for one in review["findings"]}
    assert places == {FOUND["title"]: "inline", OTHER["title"]: "folded"}  # the other one has low severity


def test_unconfirmed_diff_only_finding_is_collapsed(change: Repository) -> None:
    """Without confirmations, nobody has compared the finding with the code around the change."""
    change.git("checkout", "-q", "main")
    change.commit({".deeprepo.yml": "verify: false\n"}, "settings")
    change.git("checkout", "-q", "feature")
    change.git("rebase", "-q", "main")
    played = Two(beside=(), alone=(FOUND,))
    review = reviewed(change, played)
    assert "confirmation" not in played.asked
    assert [(one["verdict"], one["place"]) for one in review["findings"]] == [("unproven", "folded")]


@pytest.mark.parametrize(
    ("alone", "settings", "confirmations"),
    [
        ((), "", 0),
        ((), "request_changes: high\n", 1),
        ((FOUND | {"evidence": MORE},), "", 0),
        ((FOUND | {"severity": "low"},), "effort: high\n", 1),
    ],
)
def test_finding_is_confirmed_only_if_that_can_change_the_report(
    change: Repository, alone: tuple[Mapping[str, Any], ...], settings: str, confirmations: int
) -> None:
    """A finding of the root needs no confirmation, unless it reaches a threshold or the effort is high."""
    change.git("checkout", "-q", "main")
    change.commit({".deeprepo.yml": settings}, "settings")
    change.git("checkout", "-q", "feature")
    change.git("rebase", "-q", "main")
    played = Two(beside=(FOUND,), alone=alone)
    reviewed(change, played)
    assert played.asked.count("confirmation") == confirmations


def test_each_configured_model_reads_the_diff_once(change: Repository) -> None:
    """Each named model reads the diff once, instead of the root's model."""
    change.git("checkout", "-q", "main")
    change.commit({".deeprepo.yml": "models: {readers: [compatible/second, compatible/third]}\n"}, "settings")
    change.git("checkout", "-q", "feature")
    change.git("rebase", "-q", "main")
    played = Two(beside=(FOUND,), alone=(FOUND, OTHER))
    review = reviewed(change, played, DEEPREPO_MODELS="compatible/*")
    assert sorted(played.asked) == ["alone", "alone", "reading"]
    assert sorted(review["cost"]["models"]) == ["compatible/model", "compatible/second", "compatible/third"]
    votes = {one["title"]: (len(one["sources"]), one["readings"]) for one in review["findings"]}
    assert votes == {FOUND["title"]: (3, 3), OTHER["title"]: (2, 3)}


def test_failed_pass_is_reported_in_a_note(change: Repository) -> None:
    """Another pass has read the change, so the review is complete, with a note and the right pass count."""
    played = Two(beside=(FOUND,), alone=400)
    review = reviewed(change, played)
    assert (titles(review), review["partial"]) == ([FOUND["title"]], False)
    assert any(note.startswith("one model pass over the diff failed") for note in review["notes"])
    assert [one["readings"] for one in review["findings"]] == [1]


MORE_RATES: dict[str, str | bytes | None] = {
    "shop/rates.py": "".join(GREW.replace("rate_", f"rate_{n}_") for n in range(12))
}


WHOLE = ("def rate_7(", "def rate_0_0(", "def rate_11_59(")  # texts of the first and the last file part


@pytest.mark.parametrize("fails", [("\0",), WHOLE])
def test_root_model_reads_the_whole_diff_alongside_the_workers(change: Repository, fails: tuple[str, ...]) -> None:
    """Workers and the pass over the whole diff can agree on a finding; that pass only counts if it worked."""
    change.commit(MORE_RATES, "more")

    played = Two(beside=(FOUND,), alone=(FOUND, OTHER), fails=fails)
    review = reviewed(change, played, "--strategy", "parts")
    assert len([text for text in played.seen if all(one in text for one in WHOLE)]) == 1
    has_read = fails != WHOLE
    votes = {one["title"]: (len(one["sources"]), one["readings"]) for one in review["findings"]}
    assert votes == {FOUND["title"]: (2 + has_read, 2 + has_read), OTHER["title"]: (1 + has_read, 2 + has_read)}
    assert review["partial"] is False


class Roles(Two):
    """Like Two, and records which model was asked for what, and which fields its answers may have."""

    def __init__(
        self,
        *,
        beside: tuple[Mapping[str, Any], ...],
        alone: tuple[Mapping[str, Any], ...],
        fails: tuple[str, ...] = ("\0",),
        verdict: str = "confirmed",
    ) -> None:
        super().__init__(beside=beside, alone=alone, fails=fails)
        self.verdict = verdict
        self.calls = list[tuple[str, str]]()  # (model, what it was asked for)
        self.asked_for: dict[str, set[str]] = {}  # model -> fields of its answers

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        """Return the next reply. Every confirmation is `verdict`."""
        reply = super().__call__(body)
        self.calls.append((body["model"], self.asked[-1]))
        form = str({name: value for name, value in body.items() if name != "messages"})
        if self.asked[-1] != "confirmation":
            fields = {name for name in ("look_ups", "overview") if f"'{name}'" in form}
            self.asked_for.setdefault(body["model"], set()).update(fields)
            if "'overview'" in form and reply.data is not None:
                notes = {
                    "overview": "Adds rates.",
                    "files": ["shop/helper.py | def rate_0(amount): | rates | adds sixty rates"],
                }
                return Reply(data={**reply.data, **notes, "look_first": "shop/helper.py"})
        else:
            row = {"verdict": self.verdict, "trigger": "t", "author_would_change": True, "reason": ""}
            return doubles.verdict(body, {**row, "ground": "x" if self.verdict == "refuted" else ""})
        return reply


SMALL = ("--worker", "compatible/small")


def test_root_model_reads_the_diff_before_it_searches(change: Repository) -> None:
    """The root also summarizes the change."""
    low = FOUND | {"severity": "low"}
    played = Roles(beside=(low,), alone=(low,))
    review = reviewed(change, played, *SMALL)
    assert played.calls == [("model", "alone"), ("model", "reading")]
    assert [(one["verdict"], len(one["sources"])) for one in review["findings"]] == [("unproven", 2)]


def test_with_effort_low_there_is_one_call_without_look_ups_and_one_that_confirms(change: Repository) -> None:
    """The only pass summarizes the change itself."""
    played = Roles(beside=(FOUND,), alone=())
    review = reviewed(change, played, *SMALL, "--effort", "low")
    assert played.calls == [("model", "reading"), ("small", "confirmation")]
    assert played.asked_for == {"model": {"overview"}}
    assert review["walkthrough"]["overview"] == "Adds rates."


@pytest.mark.parametrize(
    ("verdict", "shown"),
    [("confirmed", [("confirmed", "inline")]), ("refuted", []), ("unproven", [("unproven", "folded")])],
)
def test_finding_of_only_the_diff_needs_a_confirmation(
    change: Repository, verdict: str, shown: list[tuple[str, str]]
) -> None:
    """A serious finding that no pass with the surrounding code reported is confirmed by the root's model."""
    change.git("checkout", "-q", "main")
    change.commit({".deeprepo.yml": "models: {readers: [compatible/small]}\n"}, "settings")
    change.git("checkout", "-q", "feature")
    change.git("rebase", "-q", "main")
    played = Roles(beside=(), alone=(FOUND,), verdict=verdict)
    review = reviewed(change, played, *SMALL, DEEPREPO_MODELS="compatible/*")
    assert [call for call in played.calls if call[1] == "confirmation"] == [("model", "confirmation")]
    assert [(one["verdict"], one["place"]) for one in review["findings"] if one["status"] == "new"] == shown
