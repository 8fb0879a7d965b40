"""Model passes that see only the diff, next to one that also sees the code around it, on the command line."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from fakes import Repository
from strategies.test_root import CLAIM, FOUND, HELPER, MORE, USER, reviewed

from bot.review import readings
from bot.values import Unit
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply

ALONE = "You see only the diff"
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
        fails: str = "\0",
    ) -> None:
        self.beside, self.alone = beside, alone
        self.fails = fails  # passes over only the diff fail if their prompt contains this
        self.asked: list[str] = []
        self.forms: list[str] = []  # requests of passes over only the diff, without messages
        self.seen: list[str] = []
        self.things: set[str] = set()  # how many findings a prompt allows

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        """Return the next reply."""
        text = str(body["messages"])
        self.things |= set(re.findall(r"at most (\d+) items", text))
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
        if isinstance(self.alone, int) or self.fails in text:
            return Reply(status=400, error="content_filter")
        return Reply(data={"answer": "Rates.", "findings": list(self.alone)})


def titles(review: Mapping[str, Any]) -> list[str]:
    """Return the sorted titles of a review's findings."""
    return sorted(finding["title"] for finding in review["findings"])


def test_findings_of_any_pass_are_reported(change: Repository) -> None:
    """One pass sees only the diff, from the end, without look-ups."""
    played = Two(beside=(FOUND | {"severity": "low"},), alone=(OTHER,))
    review = reviewed(change, played)
    assert sorted(played.asked) == ["alone", "reading"]
    assert titles(review) == sorted([FOUND["title"], OTHER["title"]])
    assert review["summary"] == "It drops a check."
    assert ["so start at the end" in text for text in played.seen] == [True]
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


def test_high_effort_confirms_diff_only_findings_in_separate_calls(change: Repository) -> None:
    """At effort high, every finding is confirmed by a separate call."""
    played = Two(beside=(), alone=(FOUND,))
    review = reviewed(change, played, "--effort", "high")
    assert played.asked.count("opinion") == 1
    assert [(one["verdict"], one["place"]) for one in review["findings"]] == [("confirmed", "inline")]


def test_unconfirmed_diff_only_finding_is_collapsed(change: Repository) -> None:
    """Without confirmations, nobody has compared the finding with the code around the change."""
    change.git("checkout", "-q", "main")
    change.commit({".deeprepo.yml": "verify: false\n"}, "settings")
    change.git("checkout", "-q", "feature")
    change.git("rebase", "-q", "main")
    played = Two(beside=(), alone=(FOUND,))
    review = reviewed(change, played)
    assert "opinion" not in played.asked
    assert [(one["verdict"], one["place"]) for one in review["findings"]] == [("unproven", "folded")]


def test_severe_finding_about_users_of_the_change_is_confirmed_although_passes_agree(change: Repository) -> None:
    """Passes that agree may all lack the line that decides, such as that of a caller."""
    about_users = FOUND | {"category": "contract"}
    played = Two(beside=(about_users,), alone=(about_users,))
    reviewed(change, played)
    assert played.asked.count("opinion") == 1


@pytest.mark.parametrize(
    ("alone", "settings", "opinions"),
    [
        ((), "", 1),  # a single pass's high-severity finding
        ((FOUND,), "", 0),
        ((FOUND,), "request_changes: high\n", 1),
        ((FOUND | {"evidence": MORE},), "", 1),  # about code outside the diff
        ((FOUND | {"severity": "low"},), "effort: high\n", 1),
    ],
)
def test_finding_is_confirmed_only_if_that_can_change_the_report(
    change: Repository, alone: tuple[Mapping[str, Any], ...], settings: str, opinions: int
) -> None:
    """A single pass's finding, one that reaches a threshold, and every finding at effort high."""
    change.git("checkout", "-q", "main")
    change.commit({".deeprepo.yml": settings}, "settings")
    change.git("checkout", "-q", "feature")
    change.git("rebase", "-q", "main")
    played = Two(beside=(FOUND,), alone=alone)
    reviewed(change, played)
    assert played.asked.count("opinion") == opinions


class Heard(Two):
    """Like Two, and counts the claims that it was asked to confirm."""

    claims = 0

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        """Return the next reply."""
        self.claims += len(re.findall(CLAIM, str(body["messages"])))
        return super().__call__(body)


def at_rate(number: int, title: str, severity: str) -> Mapping[str, Any]:
    """Return a finding about one of the added functions."""
    return {**OTHER, "quote": f"    return amount * {number} / 100", "title": title, "severity": severity}


@pytest.mark.parametrize(
    ("severity", "claims", "shown"),
    [("high", 1, ("confirmed", "inline")), ("medium", 0, ("unproven", "inline")), ("low", 0, ("unproven", "folded"))],
)
def test_medium_root_model_finding_in_changed_files_needs_no_confirmation(
    change: Repository, severity: str, claims: int, shown: tuple[str, str]
) -> None:
    """A medium finding is shown in full if there is room, with its single pass, and unconfirmed."""
    played = Heard(beside=(at_rate(9, "Unit gets lost", severity),), alone=())
    review = reviewed(change, played)
    assert played.claims == claims
    assert [(one["verdict"], one["place"]) for one in review["findings"]] == [shown]
    assert [(len(one["sources"]), one["readings"]) for one in review["findings"]] == [(1, 2)]


def test_medium_finding_with_code_outside_the_change_gets_its_own_call(change: Repository) -> None:
    """Only the pass with the surrounding code can see what breaks there, so no other pass agrees with it."""
    played = Two(beside=({**FOUND, "severity": "medium", "evidence": [*MORE]},), alone=())
    review = reviewed(change, played)
    assert played.asked.count("opinion") == 1
    assert [(one["verdict"], one["place"]) for one in review["findings"]] == [("confirmed", "inline")]


def test_low_finding_of_one_pass_is_collapsed_without_a_confirmation(change: Repository) -> None:
    """A low-severity finding of one pass is never shown in full, because nothing has checked it."""
    played = Two(beside=(OTHER,), alone=())
    review = reviewed(change, played)
    assert "opinion" not in played.asked
    assert [(one["place"], one["verdict"]) for one in review["findings"]] == [("folded", "unproven")]


def test_remark_is_a_collapsed_one_line_finding(change: Repository) -> None:
    """A remark needs no reason and no trigger, and the format does not ask for them."""

    class Brief(Two):
        def __call__(self, body: Mapping[str, Any]) -> Reply:
            reply = super().__call__(body)
            remarks = [{name: OTHER[name] for name in ("path", "quote", "title")}]
            return Reply(data={**reply.data, "remarks": remarks}) if reply.data and "findings" in reply.data else reply

    played = Brief(beside=(), alone=())
    review = reviewed(change, played)
    assert sorted(played.asked) == ["alone", "reading"]
    rows = [(one["title"], one["severity"], one["place"], len(one["sources"])) for one in review["findings"]]
    assert rows == [(OTHER["title"], "low", "folded", 2)]


def test_each_configured_model_reads_the_diff_once(change: Repository) -> None:
    """Each named model reads the diff once instead of the worker, one from the start, one from the end."""
    change.git("checkout", "-q", "main")
    change.commit({".deeprepo.yml": "models: {readers: [compatible/second, compatible/third]}\n"}, "settings")
    change.git("checkout", "-q", "feature")
    change.git("rebase", "-q", "main")
    played = Two(beside=(FOUND,), alone=(FOUND, OTHER))
    review = reviewed(change, played, DEEPREPO_MODELS="compatible/*")
    assert sorted(played.asked) == ["alone", "alone", "reading"]
    assert sum("so start at the end" in text for text in played.seen) == 1
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


def test_partly_failed_pass_counts_only_where_it_found_something(change: Repository) -> None:
    """No finding counts more passes than there were."""
    change.commit(MORE_RATES, "more")
    played = Two(beside=(FOUND,), alone=(FOUND,), fails="rate_9_1")
    review = reviewed(change, played)
    assert any(note.startswith("one model pass over the diff failed") for note in review["notes"])
    assert [(len(one["sources"]), one["readings"]) for one in review["findings"]] == [(2, 2)]


def test_change_is_read_once_at_low_effort(change: Repository) -> None:
    """At effort low, there is a single pass."""
    played = Two(beside=(), alone=(OTHER,))
    reviewed(change, played, "--effort", "low")
    assert played.asked == ["reading"]


def test_finding_limit_is_equal_for_small_and_large_parts(repository: Repository, change: Repository) -> None:
    """A small change may have as many defects, so the limit is equal.

    Only a prompt that replaces several allows more.
    """
    small, large = Two(beside=(), alone=()), Two(beside=(), alone=())
    reviewed(change, small)
    change.commit(MORE_RATES, "more")
    reviewed(change, large)
    assert (small.things, large.things) == ({"14"}, {"14"})


@pytest.mark.parametrize("fails", ["\0", "files with the highest risk"])
def test_root_model_reads_the_whole_diff_alongside_the_workers(change: Repository, fails: str) -> None:
    """Workers and the pass over the whole diff can agree on a finding; that pass only counts if it worked."""
    change.commit(MORE_RATES, "more")

    class Parts(Two):
        def __call__(self, body: Mapping[str, Any]) -> Reply:
            if "'doubts'" in str({name: value for name, value in body.items() if name != "messages"}):
                self.asked.append("pairs")
                return Reply(data={"broken": [], "doubts": []})
            return super().__call__(body)

    played = Parts(beside=(FOUND,), alone=(FOUND, OTHER), fails=fails)
    review = reviewed(change, played, "--strategy", "parts")
    at_once = [text for text in played.seen if "files with the highest risk" in text]
    assert len(at_once) == 1
    assert "rate_7" in at_once[0]
    assert "rate_9_1" in at_once[0]
    has_read = fails == "\0"
    votes = {one["title"]: (len(one["sources"]), one["readings"]) for one in review["findings"]}
    assert votes == {FOUND["title"]: (2 + has_read, 2 + has_read), OTHER["title"]: (1 + has_read, 2 + has_read)}
    note = "compatible/model also read the whole diff in one call."
    assert (note in review["notes"]) == has_read
    assert review["partial"] is False


class Roles(Two):
    """Like Two, and records which model was asked for what, and which fields its answers may have."""

    def __init__(
        self,
        *,
        beside: tuple[Mapping[str, Any], ...],
        alone: tuple[Mapping[str, Any], ...],
        fails: str = "\0",
        opinion: str = "confirmed",
    ) -> None:
        super().__init__(beside=beside, alone=alone, fails=fails)
        self.opinion = opinion
        self.calls = list[tuple[str, str]]()  # (model, what it was asked for)
        self.asked_for: dict[str, set[str]] = {}  # model -> fields of its answers

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        """Return the next reply; the worker's model gives the opinion, and the root's model confirms."""
        reply = super().__call__(body)
        self.calls.append((body["model"], self.asked[-1]))
        form = str({name: value for name, value in body.items() if name != "messages"})
        if self.asked[-1] != "opinion":
            fields = {name for name in ("look_ups", "overview") if f"'{name}'" in form}
            self.asked_for.setdefault(body["model"], set()).update(fields)
            if "'overview'" in form and reply.data is not None:
                notes = {"overview": "Adds rates.", "files": ["shop/helper.py | rates | adds sixty rates"]}
                return Reply(data={**reply.data, **notes, "look_first": "shop/helper.py"})
        elif body["model"] == "small":
            row = {"verdict": self.opinion, "trigger": "t", "author_would_change": True, "reason": "", "by": "code"}
            return doubles.verdict(body, {**row, "ground": "x" if self.opinion == "refuted" else ""})
        return reply


SMALL = ("--worker", "compatible/small")


def test_root_reads_the_change_and_the_worker_model_only_the_diff(change: Repository) -> None:
    """The root also summarizes the change."""
    low = FOUND | {"severity": "low"}
    played = Roles(beside=(low,), alone=(low,))
    review = reviewed(change, played, *SMALL)
    assert sorted(played.calls) == [("model", "reading"), ("small", "alone")]
    assert [(one["verdict"], len(one["sources"])) for one in review["findings"]] == [("unproven", 2)]


def test_with_effort_low_there_is_one_call_without_look_ups_and_one_that_confirms(change: Repository) -> None:
    """The only pass summarizes the change itself."""
    played = Roles(beside=(FOUND,), alone=())
    review = reviewed(change, played, *SMALL, "--effort", "low")
    assert played.calls == [("model", "reading"), ("small", "opinion")]
    assert played.asked_for == {"model": {"overview"}}
    assert review["walkthrough"]["overview"] == "Adds rates."


@pytest.mark.parametrize(
    ("opinion", "settings", "who"),
    [
        ("confirmed", "", ["small"]),
        ("refuted", "", ["small", "model"]),
        ("unproven", "", ["small", "model"]),
        ("confirmed", "fail_on: high\n", ["model"]),
        ("confirmed", "effort: high\n", ["model"]),
    ],
)
def test_finding_of_only_the_root_model_is_confirmed_by_another_model(
    change: Repository, opinion: str, settings: str, who: list[str]
) -> None:
    """The other model can only confirm; the root's model judges the rest, and what may block a merge."""
    change.git("checkout", "-q", "main")
    change.commit({".deeprepo.yml": settings}, "settings")
    change.git("checkout", "-q", "feature")
    change.git("rebase", "-q", "main")
    played = Roles(beside=(FOUND,), alone=(), opinion=opinion)
    review = reviewed(change, played, *SMALL, returns=int("fail_on" in settings))
    assert [model for model, asked in played.calls if asked == "opinion"] == who
    assert [(one["verdict"], one["place"]) for one in review["findings"]] == [("confirmed", "inline")]


@pytest.mark.parametrize(("category", "who"), [("logic", []), ("contract", ["small"])])
def test_medium_finding_of_the_root_model_about_users_of_the_change_is_confirmed(
    change: Repository, category: str, who: list[str]
) -> None:
    """The root's model saw the changed files, but not all code that uses them."""
    played = Roles(beside=({**OTHER, "severity": "medium", "category": category},), alone=(), opinion="confirmed")
    reviewed(change, played, *SMALL)
    assert [model for model, asked in played.calls if asked == "opinion"] == who


@pytest.mark.parametrize(
    ("severity", "opinion", "who", "shown"),
    [
        ("high", "confirmed", ["small"], ("confirmed", "inline")),
        ("high", "unproven", ["small", "model"], ("confirmed", "inline")),
        ("medium", "confirmed", ["small"], ("confirmed", "inline")),
        ("medium", "unproven", ["small"], ("unproven", "folded")),
    ],
)
def test_guess_of_both_models_about_unchanged_users_is_shown_in_full_only_if_confirmed(
    change: Repository, severity: str, opinion: str, who: list[str], shown: tuple[str, str]
) -> None:
    """Both may guess what unchanged code takes for granted. The root's model judges only severe guesses again."""
    guess = {**FOUND, "severity": severity, "category": "broken-caller", "evidence": MORE}
    played = Roles(beside=(guess,), alone=(guess,), opinion=opinion)
    review = reviewed(change, played, *SMALL)
    assert [model for model, asked in played.calls if asked == "opinion"] == who
    assert [(one["verdict"], one["place"]) for one in review["findings"]] == [shown]


@pytest.mark.parametrize(
    ("guess", "opinion", "who", "shown"),
    [
        (FOUND, "confirmed", ["small"], ("confirmed", "inline")),
        (FOUND, "refuted", ["small"], ("unproven", "folded")),
        ({**FOUND, "severity": "medium"}, "refuted", [], ("unproven", "inline")),
        ({**FOUND, "severity": "medium", "category": "contract"}, "unproven", ["small"], ("unproven", "folded")),
    ],
)
def test_cheaper_model_confirms_what_both_models_report_without_the_line_that_decides(
    change: Repository, guess: Mapping[str, Any], opinion: str, who: list[str], shown: tuple[str, str]
) -> None:
    """Passes may agree on a wrong guess, so severe findings and guesses about users of the change are confirmed."""
    played = Roles(beside=(guess,), alone=(guess,), opinion=opinion)
    review = reviewed(change, played, *SMALL)
    assert [model for model, asked in played.calls if asked == "opinion"] == who
    assert [(one["verdict"], one["place"]) for one in review["findings"]] == [shown]
    assert len(played.calls) == 2 + len(who)  # the root doesn't continue either


def test_no_call_is_made_for_medium_findings_of_passes_over_the_bare_diff(change: Repository) -> None:
    """It is collapsed."""
    medium = {**OTHER, "severity": "medium"}
    played = Roles(beside=(), alone=(medium,))
    review = reviewed(change, played, *SMALL)
    assert "opinion" not in played.asked
    assert [(one["place"], one["verdict"], len(one["sources"])) for one in review["findings"]] == [
        ("folded", "unproven", 1)
    ]
    played = Roles(beside=(), alone=(medium, FOUND))
    review = reviewed(change, played, *SMALL)
    assert {one["title"]: one["verdict"] for one in review["findings"]} == {
        OTHER["title"]: "unproven",
        FOUND["title"]: "confirmed",
    }


def test_finding_of_only_the_worker_model_is_confirmed_by_the_root_model(change: Repository) -> None:
    """No model confirms its own claim, and no call is made only for a medium one of that model."""
    medium = {**OTHER, "severity": "medium", "quote": "    return amount * 24 / 100", "title": "Unit gets lost"}
    played = Roles(beside=(), alone=(FOUND, medium))
    review = reviewed(change, played, *SMALL)
    assert [call for call in played.calls if call[1] == "opinion"] == [("small", "opinion"), ("model", "opinion")]
    verdicts = {one["title"]: one["verdict"] for one in review["findings"]}
    assert verdicts == {FOUND["title"]: "confirmed", "Unit gets lost": "unproven"}
    played = Roles(beside=(FOUND,), alone=(medium,))
    review = reviewed(change, played, *SMALL)
    assert [call for call in played.calls if call[1] == "opinion"] == [("small", "opinion")]
    verdicts = {one["title"]: one["verdict"] for one in review["findings"]}
    assert verdicts == {FOUND["title"]: "confirmed", "Unit gets lost": "unproven"}


@pytest.mark.parametrize(("opinion", "left"), [("refuted", []), ("unproven", [("unproven", "folded")])])
def test_worker_model_drops_or_leaves_open_what_only_its_own_passes_report(
    change: Repository, opinion: str, left: list[tuple[str, str]]
) -> None:
    """With the code in view, it may refute what it guessed from the diff, so the root's model is not asked."""
    played = Roles(beside=(), alone=(FOUND,), opinion=opinion)
    review = reviewed(change, played, *SMALL)
    assert [call for call in played.calls if call[1] == "opinion"] == [("small", "opinion")]
    assert [(one["verdict"], one["place"]) for one in review["findings"] if one["status"] == "new"] == left


class Confirming(Roles):
    """Like Roles, and keeps the text of each confirmation."""

    opinions: tuple[str, ...] = ()

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        """Return the next reply."""
        text = str(body["messages"])
        self.opinions += (text,) if CLAIM in text else ()
        return super().__call__(body)


def test_riskiest_files_that_fit_are_read_whole_in_one_pass() -> None:
    """No file is read in part, so the review can name what the pass has read."""
    units = [
        Unit(f"{path}.py:f{n}", f"{path}.py", f"f{n}", n, n, "head", "", (), risk=risk, tokens=100)
        for path, number, risk in (("low", 1, 1), ("long", 9, 9), ("high", 3, 7))
        for n in range(1, number + 1)
    ]
    assert {unit.path for unit in readings.riskiest(units, 400)} == {"high.py", "low.py"}
    assert [unit.path for unit in readings.riskiest(units, 900)] == ["long.py"] * 9
