from collections import Counter
from typing import Any

import pytest
from deliveries import HEAD, OLD, OURS, check, comment, delivery, examples, pull, reply
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.values.job import (
    Cancel,
    CommandJob,
    CommentRef,
    Forget,
    IgnoredDelivery,
    Job,
    MergeGroup,
    PullRef,
    RemarkJob,
    ReviewJob,
)
from bot.workflow import events

PULL = PullRef(7, 11, "acme", "shop", 5)
BELOW, THREAD = CommentRef(90, "issue"), CommentRef(91, "review", 80)


def read(name: str, payload: object) -> Job | IgnoredDelivery:
    return events.read(name, payload, OURS)


def test_every_real_delivery_is_handled_or_ignored_with_a_reason() -> None:
    """Of 329 collected deliveries, those listed here ask for something; each other one has a reason."""
    found = [(name, read(name, payload)) for name, payload in examples()]
    asked = Counter((name, type(job).__name__) for name, job in found if not isinstance(job, IgnoredDelivery))
    assert len(found) == 329
    assert asked == {
        ("pull_request", "ReviewJob"): 7,
        ("pull_request", "Cancel"): 3,
        ("pull_request", "Relabeled"): 4,
        ("installation", "Forget"): 2,
        ("installation", "CatchUp"): 1,
        ("installation_repositories", "Forget"): 1,
        ("merge_group", "MergeGroup"): 2,
    }
    assert all(job.reason for _, job in found if isinstance(job, IgnoredDelivery))


@pytest.mark.parametrize(
    ("payload", "trigger"),
    [
        (pull("opened"), "opened"),
        (pull("opened", draft=True), "opened"),
        (pull("opened", fork=True), "opened"),
        (pull("opened", sender={"login": "dependabot[bot]", "type": "Bot"}), "opened"),
        (pull("reopened"), "reopened"),
        (pull("ready_for_review"), "ready"),
        (pull("synchronize", before=OLD, after=HEAD), "push"),
        (pull("edited", changes={"base": {"ref": {"from": "main"}, "sha": {"from": OLD}}}), "push"),
    ],
)
def test_new_diff_requests_a_review(payload: dict[str, Any], trigger: str) -> None:
    """Drafts, deleted forks and bots ask too: the policy decides later whether a review is due."""
    ask = read("pull_request", payload)
    assert isinstance(ask, ReviewJob)
    assert (ask.pull, ask.trigger, ask.head, ask.comment, ask.full) == (PULL, trigger, HEAD, None, False)
    assert ask.actor == payload["sender"]["login"]


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (pull("synchronize", before=HEAD, after=HEAD), "did not change"),
        (pull("synchronize", state="closed"), "closed"),
        (pull("edited", changes={"body": {"from": "x"}}), "only the title or text changed"),
        (pull("edited", state="closed", changes={"title": {"from": "x"}}), "closed"),
        (pull("locked"), "action"),
        (pull("opened") | {"installation": None}, "no App installation"),
        (pull("opened") | {"repository": {"id": 11, "name": "..", "owner": {"login": "acme"}}}, "repository.name"),
        (pull("opened") | {"repository": {"id": 1 << 70, "name": "shop", "owner": {"login": "acme"}}}, "repository.id"),
        (pull("opened") | {"pull_request": {"number": 5, "head": {"sha": "HEAD^{/x}"}}}, "pull_request.head.sha"),
        (pull("opened") | {"action": ["opened"]}, "action"),
        ([], "not an object"),
        (None, "not an object"),
    ],
)
def test_event_without_a_new_diff_or_malformed_event_is_ignored(payload: object, reason: str) -> None:
    """The reason names the field but never its value, which may be anything."""
    ask = read("pull_request", payload)
    assert isinstance(ask, IgnoredDelivery)
    assert reason in ask.reason


def test_closing_or_converting_to_draft_cancels_jobs() -> None:
    """Closing a pull request or converting it to a draft cancels its running jobs."""
    assert read("pull_request", pull("closed", state="closed")) == Cancel(PULL, "closed", actor="maintainer")
    assert read("pull_request", pull("converted_to_draft", draft=True)) == Cancel(PULL, "draft", actor="maintainer")


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (comment("Nice work."), "no command"),
        (comment("> /deeprepo review, @deeprepo"), "no command"),
        (comment("/deeprepo review", on_pull=False), "on an issue"),
        (comment("/deeprepo review", author="helper[bot]", kind="Bot"), "written by a bot"),
        (comment("/deeprepo review", author="deeprepo[bot]", kind="Bot"), "our own"),
        (comment("/deeprepo review", app=4242), "our own"),
        (comment("/deeprepo review", action="edited"), "starts nothing"),
        (comment("/deeprepo review", action="deleted"), "action"),
        (
            comment("/deeprepo review") | {"comment": {"id": 90, "body": "/deeprepo review", "user": None}},
            "comment.user",
        ),
    ],
)
def test_other_comments_are_ignored(payload: dict[str, Any], reason: str) -> None:
    """Most importantly, bots are ignored, because two bots that answer each other never stop."""
    ask = read("issue_comment", payload)
    assert isinstance(ask, IgnoredDelivery)
    assert reason in ask.reason


def test_comment_counts_if_it_mentions_us_or_replies_in_a_thread() -> None:
    """A mention counts anywhere in a sentence. In a thread, only the first comment needs a mention."""
    assert read("issue_comment", comment("Why, @deeprepo?")) == RemarkJob(PULL, "maintainer", BELOW, mentioned=True)
    in_thread = "pull_request_review_comment"
    assert read(in_thread, reply("No.")) == RemarkJob(PULL, "maintainer", THREAD, mentioned=False)
    first = CommentRef(91, "review", 91)
    assert read(in_thread, reply("Hm, @deeprepo?", top=None)) == RemarkJob(PULL, "maintainer", first, mentioned=True)
    assert isinstance(read(in_thread, reply("No.", top=None)), IgnoredDelivery)


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (check("rerequested", app=1), "another App"),
        (check("rerequested", number="x"), "no pull request"),
        (check("rerequested", number="٣"), "no pull request"),
        (check("requested_action", button="merge"), "does not have this button"),
        (check("requested_action"), "does not have this button"),
        (check("completed"), "action"),
        (check("rerequested") | {"check_run": {"head_sha": HEAD, "app": {"id": 4242}, "pull_requests": [{"number": 9, "base": {"repo": {"id": 12}}}]}}, "no pull request"),
    ],
)  # fmt: skip
def test_other_check_runs_are_ignored(payload: dict[str, Any], reason: str) -> None:
    """Check runs of other Apps, unknown buttons and pull requests into other repositories are ignored."""
    ask = read("check_run", payload)
    assert isinstance(ask, IgnoredDelivery)
    assert reason in ask.reason


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
    max_leaves=8,
)
SOUND = [
    ("pull_request", pull("opened")),
    ("issue_comment", comment("/deeprepo ask why?")),
    ("pull_request_review_comment", reply("/deeprepo explain")),
    ("check_run", check("rerequested", pulls=(6,))),
    ("merge_group", delivery("checks_requested", merge_group={"head_sha": HEAD})),
    ("installation_repositories", delivery("removed", repositories_removed=[{"id": 11}])),
]


def changed(value: Any, data: st.DataObject) -> Any:  # noqa: ANN401 - any JSON value
    """Replace or remove one part of a JSON value."""
    if not isinstance(value, dict) or not value or data.draw(st.booleans()):
        return data.draw(JSON)
    key = data.draw(st.sampled_from(sorted(value)))
    if data.draw(st.booleans()):
        return {name: item for name, item in value.items() if name != key}
    return value | {key: changed(value[key], data)}


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_parser_never_raises_on_malformed_deliveries(data: st.DataObject) -> None:
    """Replace or remove any part of a valid delivery: the parser still returns one of its types."""
    name, payload = data.draw(st.sampled_from(SOUND))
    kinds = (ReviewJob, CommandJob, RemarkJob, Cancel, Forget, MergeGroup, IgnoredDelivery)
    assert isinstance(read(name, changed(payload, data)), kinds)


@pytest.mark.parametrize(
    ("payload", "number", "full"),
    [
        (check("rerequested"), 5, False),
        (check("rerequested", number="", pulls=(6,)), 6, False),
        (check("requested_action", button="again"), 5, False),
        (check("requested_action", button="full"), 5, True),
    ],
)
def test_check_run_button_requests_a_review(payload: dict[str, Any], number: int, full: bool) -> None:
    """The pull request number is the one we stored in the check run, since GitHub lists none for a fork."""
    ask = read("check_run", payload)
    assert isinstance(ask, ReviewJob)
    assert (ask.pull.number, ask.trigger, ask.full, ask.actor) == (number, "rerun", full, "maintainer")
