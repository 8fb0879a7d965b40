from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
import step
from fakes import Repository

from bot.errors import DeepRepoError
from bot.findings.merge import identify
from bot.findings.placing import place, rank
from bot.outputs import facts
from bot.review.incremental import Past
from bot.review.judging import JudgedFindings, judge
from bot.values import Basis, Dependents, EarlierReview, Evidence, Finding, PullRequest, Source, Verdict
from bot.values.finding import AGAINST
from deeprepo.rlm.errors import BadAnswer, BudgetSpent, ProviderDown
from deeprepo.rlm.values import Completion, Prompt, Usage

FINDING = Finding(
    "a.py",
    "x = f(None)",
    "f fails for None",
    "w",
    "c",
    "high",
    "logic",
    Basis((Source("model", "m", "worker"),)),
    start=2,
    end=2,
)
PROVEN = Finding(
    "b.py",
    "f()",
    "f is gone",
    "w",
    "c",
    "high",
    "broken-caller",
    Basis((Source("analyser", "contracts"),), verdict=Verdict.PROVEN),
    start=1,
    end=1,
)


class Judge:
    """A model that answers every prompt with the same verdict and records the prompts."""

    def __init__(self, reply: Mapping[str, Any] | DeepRepoError | None) -> None:
        self.reply, self.asked = reply, list[Prompt]()

    async def __call__(self, prompts: Sequence[Prompt], _shown: object) -> Sequence[Completion | DeepRepoError]:
        self.asked += prompts
        reply = self.reply if isinstance(self.reply, DeepRepoError) else Completion("", Usage(), data=self.reply)
        return [reply for _ in prompts]


def judged(
    repository: Repository,
    ask: Judge | None,
    dependents: Dependents = Dependents(),  # noqa: B008 - frozen
    findings: Sequence[Finding] = (FINDING, PROVEN),
    earlier: EarlierReview | None = None,
    least: str = "low",
    fail_on: str | None = None,
) -> JudgedFindings:
    pull: PullRequest = repository.change(
        {"c.py": "# a\nf(3)\n"}, {"a.py": "def f(x): return x.y\nx = f(None)\n", "b.py": "f()\n"}
    )

    past = Past(earlier)
    return step.over(
        pull,
        lambda tree, _: judge(
            step.survey(pull, tree, dependents=dependents, past=past, least=least, fail_on=fail_on), findings, ask
        ),
    )


CONFIRMED = {"verdict": "confirmed", "trigger": "f(None)", "author_would_change": True, "reason": "r"}


@pytest.mark.parametrize(
    ("limit", "severity"),
    [("none", "high"), ("smaller", "medium"), ("hand-made", "medium"), ("tests", "low"), ("older", "")],
)
def test_confirmed_consequence_determines_the_severity(repository: Repository, limit: str, severity: str) -> None:
    """Less harm means lower severity; a problem that existed before the change is dropped."""
    found = judged(repository, Judge(CONFIRMED | {"limit": limit, "ground": ""}))
    assert [f.severity for f in found.findings_with_status("new") if f.path == "a.py"] == (
        [severity] if severity else []
    )


def test_refutation_without_a_ground_leaves_the_claim_unproven(repository: Repository) -> None:
    """A refutation without a ground leaves the claim unproven."""
    refuted = CONFIRMED | {"verdict": "refuted", "limit": "none"}
    grounds = [{"ground": "if x is None: return"}, {}, {"ground": " "}]
    states = [judged(repository, Judge(refuted | ground)) for ground in grounds]
    assert [
        (len(found.findings_with_status("refuted")), len(found.findings_with_status("unproven"))) for found in states
    ] == [
        (1, 0),
        (0, 1),
        (0, 1),
    ]


@pytest.mark.parametrize(
    ("reply", "left"),
    [(CONFIRMED, ["confirmed"]), (CONFIRMED | {"verdict": "refuted"}, []), (CONFIRMED | {"verdict": "unproven"}, [])],
)
@pytest.mark.parametrize("again", [True, False])
def test_finding_that_would_not_be_shown_is_not_confirmed(
    repository: Repository, reply: Mapping[str, Any], left: list[str], again: bool
) -> None:
    """A finding below the shown severity is confirmed only in a review that would show it."""
    ask = Judge(reply)
    first = judged(repository, ask, least="critical")
    assert (ask.asked, first.findings_with_status("refuted", "unproven"), first.unheard) == ([], (), ())
    (kept,) = [f for f in first.findings_with_status("new") if f.path == "a.py"]
    assert kept.basis.unconfirmed
    past = EarlierReview(1, "b", "h", findings=(replace(kept, fingerprint="f1"),))
    second = judged(repository, ask, findings=[FINDING] * again, earlier=past, least="critical")
    assert (ask.asked, len(second.findings_with_status("still"))) == ([], 1)
    last = judged(repository, ask, findings=[FINDING] * again, earlier=past)
    assert len(ask.asked) == 1
    assert [f.verdict for f in last.findings_with_status("still")] == left


@pytest.mark.parametrize(
    "reply",
    [
        {**CONFIRMED, "verdict": "refuted"},
        {**CONFIRMED, "verdict": "unproven"},
        {**CONFIRMED, "trigger": " "},
        {**CONFIRMED, "author_would_change": False},
    ],
)
def test_refuted_or_unproven_finding_is_dropped(repository: Repository, reply: Mapping[str, Any]) -> None:
    """A finding that is refuted, unproven, without a trigger or not worth changing is dropped."""
    found = judged(repository, Judge(reply))
    assert [f.path for f in found.findings_with_status("new")] == ["b.py"]
    assert len(found.findings_with_status("refuted", "unproven")) == 1


TWICE = Basis(tuple(Source("model", name, "root", view="diff") for name in ("m", "n")), readings=3)


@pytest.mark.parametrize(
    ("reply", "status", "unsettled"),
    [
        (
            {**CONFIRMED, "verdict": "unproven", "reason": "What f gets is set in a file that was not shown."},
            "new",
            "What f gets is set in a file that was not shown.",
        ),
        ({**CONFIRMED, "verdict": "unproven", "reason": ""}, "new", "the confirmation gave no reason"),
        ({**CONFIRMED, "verdict": "refuted", "ground": ""}, "new", "r"),
        ({**CONFIRMED, "verdict": "refuted", "ground": "if x is None: return"}, "refuted", ""),
        ({**CONFIRMED, "author_would_change": False}, "refuted", ""),
    ],
)
def test_undecided_finding_from_two_passes_stays(
    repository: Repository, reply: Mapping[str, Any], status: str, unsettled: str
) -> None:
    """A finding from two passes that the confirmation can't decide stays, with the open question."""
    found = judged(repository, Judge(reply), findings=[replace(FINDING, basis=TWICE)])
    assert [(f.status, f.basis.unsettled) for f in found.findings] == [(status, unsettled)]


@pytest.mark.parametrize(
    ("reply", "is_collapsed"),
    [
        (CONFIRMED, False),
        (CONFIRMED | {"limit": "tests", "holds": "All is fine here."}, False),
        (CONFIRMED | {"sentence": "S1", "repeats": "D1"}, False),
        (ProviderDown("gone"), False),
        (None, False),
        (CONFIRMED | {"author_would_change": False}, True),
        (CONFIRMED | {"verdict": "refuted", "ground": "if x is None: return"}, True),
        (CONFIRMED | {"verdict": "unproven"}, True),
    ],
)
@pytest.mark.parametrize("is_known", [True, False])
def test_confirmation_only_collapses_a_challenged_proof(
    repository: Repository, reply: Mapping[str, Any] | DeepRepoError | None, is_collapsed: bool, is_known: bool
) -> None:
    """Whatever a confirmation answers, a challenged proof keeps its severity, title, verdict and status."""
    ask, against = Judge(reply), Evidence("a.py", "def f(x): return x.y", 1, note=AGAINST)
    past = EarlierReview(1, "b", "h", findings=(identify(PROVEN).with_number(1),)) if is_known else None
    found = judged(repository, ask, findings=[replace(PROVEN, evidence=(against,))], earlier=past)
    (one,) = place(found.findings, ())
    (row,) = rank((one,), 4)
    assert (len(ask.asked), one.finding.title, one.finding.severity, one.finding.proven) == (
        1,
        PROVEN.title,
        "high",
        True,
    )
    assert (one.finding.status, row.place == "folded") == ("still" if is_known else "new", is_collapsed)
    assert found.unheard == ()


def test_undecided_finding_stays_undecided_in_later_reviews(repository: Repository) -> None:
    """An undecided finding stays undecided in later reviews, even if a pass reports it again."""
    unproven = {**CONFIRMED, "verdict": "unproven"}
    first = judged(repository, Judge(unproven), findings=[replace(FINDING, basis=TWICE, fingerprint="f1")])
    (kept,) = first.findings_with_status("new")
    past = EarlierReview(1, "b", "h", findings=(kept.with_number(1),))
    for again in ([], [replace(FINDING, basis=TWICE, fingerprint="f1")]):
        later = judged(repository, Judge(unproven), findings=again, earlier=past)
        assert [(f.number, f.status, f.basis.unsettled) for f in later.findings] == [(1, "still", "r")]


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        (CONFIRMED, "confirmed"),
        (CONFIRMED | {"author_would_change": False}, "confirmed"),
        (CONFIRMED | {"verdict": "unproven"}, "unsettled"),
        (ProviderDown("gone"), "unconfirmed"),
        (CONFIRMED | {"verdict": "refuted", "ground": "if x is None: return"}, "refuted"),
    ],
)
@pytest.mark.parametrize("again", [True, False])
def test_open_finding_is_confirmed_once_it_reaches_a_threshold(
    repository: Repository, reply: Mapping[str, Any] | DeepRepoError, left: str, again: bool
) -> None:
    """A finding of an earlier review that was not confirmed is confirmed if it can fail the check."""
    known = replace(FINDING, fingerprint="f1", basis=TWICE)
    past = EarlierReview(1, "b", "h", findings=(known.with_number(1),))
    ask = Judge(reply)
    assert [f.basis.certainty for f in judged(repository, ask, findings=[known] * again, earlier=past).findings] == [
        "agreed"
    ]
    found = judged(repository, ask, findings=[known] * again, earlier=past, fail_on="high")
    assert len(ask.asked) == 1
    (one,) = found.findings
    assert (one.status, one.basis.certainty) == (("fixed", "agreed") if left == "refuted" else ("still", left))


@pytest.mark.parametrize(
    "reply",
    [
        None,
        {},
        {"verdict": "sure!"},
        ProviderDown("gone"),
        BadAnswer("the answer of m was cut off at 8,192 tokens (including thinking)"),
        BudgetSpent("the cap of $1.00 would be exceeded"),
    ],
)
def test_missing_verdict_leaves_the_finding_open(
    repository: Repository, reply: Mapping[str, Any] | DeepRepoError | None
) -> None:
    """An answer without a verdict or a failed call leaves the finding open, unconfirmed, with the reason."""
    found = judged(repository, Judge(reply))
    assert [(f.path, f.verdict, f.basis.unconfirmed) for f in found.findings_with_status("new")] == [
        ("a.py", "unproven", True),
        ("b.py", "proven", False),
    ]
    assert found.findings_with_status("refuted", "unproven") == ()
    assert "could not be confirmed" in found.why[0]
    assert "not confirmed" in facts.origin(found.findings_with_status("new")[0])


def test_worse_findings_are_confirmed_first(repository: Repository) -> None:
    """If the budget ends before the last confirmation, the worse findings have been asked about."""
    mild = replace(FINDING, path="b.py", quote="f()", start=1, end=1, title="No argument is given", severity="medium")
    ask = Judge(CONFIRMED)
    judged(repository, ask, findings=[mild, FINDING])
    assert [FINDING.title in prompt.about for prompt in ask.asked] == [True, False]


def test_findings_are_marked_unproven_if_confirmation_is_off(repository: Repository) -> None:
    """Confirmation can be switched off, and the findings then say so."""
    found = judged(repository, None)
    assert [(f.path, f.verdict) for f in found.findings_with_status("new")] == [
        ("a.py", "unproven"),
        ("b.py", "proven"),
    ]
