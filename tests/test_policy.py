from dataclasses import replace
from typing import Any

import pytest

from bot import config
from bot.config import Config, Settings, Triggers, policy
from bot.config.policy import SkipReview, StartReview
from bot.values.host import PullFacts, RepositoryFacts
from bot.values.job import PullRef, ReviewJob, Trigger

PULL = PullRef(7, 11, "acme", "shop", 5)


def facts(**other: Any) -> PullFacts:  # noqa: ANN401 - any field
    """Return an ordinary pull request with these differences."""
    usual: dict[str, Any] = {
        "title": "A change", "body": "", "author": "contributor", "author_type": "User", "draft": False, "state": "open",
        "merged": False, "base_ref": "main", "base_sha": "b" * 40, "head_ref": "feature", "head_sha": "a" * 40,
        "fork": False, "labels": (), "url": "https://github.com/acme/shop/pull/5",
        "changed_files": 3, "additions": 40, "deletions": 2, "repository": RepositoryFacts("acme/shop"),
    }  # fmt: skip
    return PullFacts(**{**usual, **other})


def under(**rules: Any) -> Config:  # noqa: ANN401 - any trigger
    """Return a configuration with these triggers."""
    return replace(config.resolve({}, None, Settings()), triggers=Triggers(**rules))


def decide(
    trigger: Trigger = "opened",
    *,
    paused: bool = False,
    rules: dict[str, Any] | None = None,
    **other: Any,  # noqa: ANN401 - any field
) -> StartReview | SkipReview:
    """Return the decision for a pull request."""
    ask = ReviewJob(PULL, trigger, actor="somebody")
    return policy.decide(facts(**other), ask, under(**(rules or {})), is_paused=paused)


@pytest.mark.parametrize("trigger", ["opened", "reopened", "ready", "labeled", "push", "command", "rerun", "catch-up"])
def test_ordinary_pull_request_is_reviewed(trigger: Trigger) -> None:
    """Every trigger leads to a review with models, also for a pull request from a fork."""
    assert decide(trigger) == decide(trigger, fork=True) == StartReview()


def test_removed_label_starts_a_review_only_if_labels_can_prevent_one() -> None:
    """With `events: [labeled]` and `skip_labels`, removing a label starts a review. Without `skip_labels`, it does not."""
    assert decide("unlabeled", rules={"events": ["labeled"], "skip_labels": ["wip"]}) == StartReview()
    assert isinstance(decide("unlabeled", rules={"events": ["labeled"]}), SkipReview)


@pytest.mark.parametrize("trigger", ["command", "rerun"])
def test_command_on_a_fork_counts_as_a_push_after_its_head_moved(trigger: Trigger) -> None:
    """If a fork's head has moved, the command counts as a push. Other branches keep the command."""
    given = ReviewJob(PULL, trigger, full=True, actor="maintainer", head="a" * 40)
    moved = facts(fork=True, head_sha="c" * 40)
    assert policy.bound(given, facts(fork=True)) == given
    assert policy.bound(given, moved) == ReviewJob(PULL, "push", actor="maintainer", head="a" * 40)
    assert policy.bound(given, facts(head_sha="c" * 40)) == given
    unasked = ReviewJob(PULL, "push", head="a" * 40)
    assert policy.bound(unasked, moved) == unasked


REFUSED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"draft": True}, {}, "draft"),
    ({"author": "dependabot[bot]", "author_type": "Bot"}, {}, "triggers.bots"),
    ({"fork": True}, {"forks": False}, "triggers.forks"),
    ({"author": "Dependabot[bot]", "author_type": "Bot"}, {"bots": True, "skip_authors": ["dependabot"]}, "skip_authors"),
    ({"base_ref": "gh-pages"}, {"branches": ["main", "release/*"]}, "triggers.branches"),
    ({"labels": ("WIP",)}, {"skip_labels": ["wip"]}, "`wip`"),
    ({"labels": ("docs",)}, {"labels": ["review me"]}, "triggers.labels"),
    ({}, {"events": []}, "triggers.events"),
    ({}, {"events": ["ready"]}, "triggers.events"),
    ({"changed_files": 5_001}, {}, "5,001 files"),
    ({"additions": 999_999, "deletions": 2}, {}, "1,000,001 lines"),
]  # fmt: skip


@pytest.mark.parametrize(("other", "rules", "word"), REFUSED)
def test_refusal_names_the_setting_that_excludes_the_pull_request(
    other: dict[str, Any], rules: dict[str, Any], word: str
) -> None:
    """The refusal names the setting and how to request a review anyway, for the check run to show."""
    found = decide(rules=rules, **other)
    assert isinstance(found, SkipReview)
    assert word in found.reason
    assert "Comment `/deeprepo review`" in found.reason
    assert not found.quiet


@pytest.mark.parametrize(("other", "rules", "word"), REFUSED)
@pytest.mark.parametrize("trigger", ["command", "rerun"])
def test_requested_review_ignores_the_rules_for_automatic_ones(
    trigger: Trigger, other: dict[str, Any], rules: dict[str, Any], word: str
) -> None:
    """The rules only apply to automatic reviews. A huge change is reviewed without a model."""
    found = decide(trigger, rules=rules, paused=True, **other)
    assert isinstance(found, StartReview)
    assert found.offline == ("files" in word or "lines" in word)


def test_path_patterns_match_as_in_gitignore() -> None:
    """The patterns work as in .gitignore, with exceptions. Without patterns, all paths match."""
    rules = under(paths=("src/", "!src/gen/"))
    assert policy.decide_on_paths(["docs/a.md", "src/a.py"], rules, "push") == StartReview()
    found = policy.decide_on_paths(["docs/a.md", "src/gen/b.py"], rules, "push")
    assert isinstance(found, SkipReview)
    assert "`src/`" in found.reason
    assert (
        policy.decide_on_paths(["docs/a.md"], rules, "command")
        == policy.decide_on_paths(["x"], under(), "push")
        == StartReview()
    )


BY_AUTHOR = (
    "draft",
    "triggers.events",
    "triggers.forks",
    "5,001 files",
    "1,000,001 lines",
)  # reasons that an author can cause without write access


@pytest.mark.parametrize(("other", "rules", "word"), REFUSED)
@pytest.mark.parametrize("stranger", [False, True])
def test_skip_caused_by_an_outsider_counts_as_missing(
    other: dict[str, Any], rules: dict[str, Any], word: str, *, stranger: bool
) -> None:
    """If an outsider causes the skip, the review counts as missing; with write access, as excluded."""
    ask, settings = ReviewJob(PULL, "opened", actor="somebody"), under(**rules)
    found = policy.decide(facts(**other), ask, settings, stranger=stranger)
    assert isinstance(found, SkipReview)
    assert found.lacks == ("unreviewed" if stranger and word in BY_AUTHOR else "left out")


def test_pause_command_excludes_but_pause_after_pushes_does_not() -> None:
    """A pause command excludes the pull request, but a pause after pushes doesn't for an outsider."""
    ask, settings = ReviewJob(PULL, "push", actor="somebody"), under()
    paused = policy.decide(facts(), ask, settings, is_paused=True, stranger=True)
    spent = [policy.decide(facts(), ask, settings, pushes=3, stranger=one) for one in (True, False)]
    assert [one.lacks for one in (paused, *spent) if isinstance(one, SkipReview)] == [
        "left out",
        "unreviewed",
        "left out",
    ]


def test_large_change_is_reviewed_without_a_model_unless_requested() -> None:
    """The review gives the reason and how to request a model."""
    found = decide(changed_files=1_001)
    assert isinstance(found, StartReview)
    assert (found.offline, "1,001 files" in found.reason, "with a model" in found.reason) == (True, True, True)
    assert decide("command", changed_files=1_001) == StartReview()


def test_command_counts_as_a_push_if_an_outsider_changed_the_base() -> None:
    """If an outsider changes the base branch, the command counts as a push; a team member's command stays."""
    given = ReviewJob(PULL, "command", full=True, actor="maintainer", head="a" * 40, base="main")
    for told, stranger, stays in (
        (facts(fork=True, base_ref="v1"), True, False),
        (facts(base_ref="v1"), True, False),
        (facts(base_ref="v1"), False, True),
        (facts(fork=True), True, True),
    ):
        assert (policy.bound(given, told, stranger=stranger) == given) == stays
