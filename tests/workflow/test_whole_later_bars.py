"""A bar that the owner sets after a review reaches what the review found, wherever it decides: no new finding is needed."""

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from families import few
from whole import WORSE, Whole, whole

from bot.render import load
from bot.values import PullRef
from deeprepo_sandbox.github import Fault

Event = Callable[[Whole, int], Awaitable[str]]
CHECK = "checks: [{name: Notes, ask: 'Does NEWS.md tell users of it?', severity: fail}]\n"


def shown(at: Whole, number: int) -> str:
    """The conclusion of the newest check run on the head."""
    return str(max(at.gh.pull(number).checks, key=lambda check: check.id).conclusion)


async def reopened(at: Whole, number: int) -> str:
    """Its author closes it and opens it again."""
    await at.repo.close(number, by="stranger")
    await at.repo.reopen(number, by="stranger")
    await at.quiet()
    return shown(at, number)


async def ready(at: Whole, number: int) -> str:
    """Its author makes it a draft and takes that back."""
    await at.repo.set_draft(number, draft=True, by="stranger")
    await at.quiet()
    await at.repo.set_draft(number, draft=False, by="stranger")
    await at.quiet()
    return shown(at, number)


async def left_out(at: Whole, number: int) -> str:
    """A push to a draft, which nobody reviews."""
    await at.repo.set_draft(number, draft=True, by="stranger")
    await at.repo.push("feature", {"NEWS.md": "More.\n"})
    await at.quiet()
    return shown(at, number)


async def told(at: Whole, number: int) -> tuple[str, str]:
    """A merge queue asks for its own commit: how its check ends, and what it says."""
    text = f"{len(at.repo.repository.checks)}\n"  # a commit of its own each time
    commit = await at.repo.commit(f"gh-readonly-queue/main/pr-{number}", {"QUEUED.md": text})
    await at.repo.merge_group(commit, at.gh.pull(number).base_sha, number)
    await at.quiet()
    (answer,) = {(str(one.conclusion), one.title) for one in at.repo.repository.checks.values() if one.head == commit}
    return answer


async def queued(at: Whole, number: int) -> str:
    """The same without what it says."""
    return (await told(at, number))[0]


@pytest.mark.parametrize(
    ("bar", "event", "ending"),
    few(
        [
            ("fail_on: high\n", reopened, "failure"),
            ("fail_on: high\n", ready, "failure"),
            ("fail_on: high\n", queued, "failure"),
            ("fail_on: low\nfail_also: []\n", queued, "failure"),
            ("fail_on: high\nfail_also: []\n", left_out, "failure"),
            (CHECK, queued, "failure"),
            ("fail_on: critical\n", queued, "success"),
            ("fail_on: critical\n", reopened, "neutral"),
            ("fail_on: critical\nfail_also: []\n", left_out, "neutral"),
            ("language: en\n", queued, "success"),
        ],
        0,
        2,
        4,
        6,
    ),
)
def test_a_bar_that_is_set_later_counts(tmp_path: Path, bar: str, event: Event, ending: str) -> None:
    """The finding is of severity high; a bar that it does not reach stops nothing."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            number = await at.reviewed(fork=True, author="stranger")
            assert shown(at, number) == "neutral"
            await at.repo.commit("main", {".deeprepo.yml": bar})
            assert await event(at, number) == ending

    asyncio.run(go())


@pytest.mark.slow
def test_what_people_have_silenced_stops_no_queue_by_a_later_bar(tmp_path: Path) -> None:
    """The stored review is graded with their words."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            number = await at.reviewed()
            await at.repo.comment(number, "/deeprepo ignore 1 agreed", author="maintainer")
            await at.quiet()
            await at.repo.commit("main", {".deeprepo.yml": "fail_on: high\n"})
            assert await queued(at, number) == "success"

    asyncio.run(go())


DOUBLE = {"shop/rates.py": 'RATES = {"a": 1, "a": 2}\n'}  # a finding of severity medium
PLAIN = {"NEWS.md": "One.\n"}
SKIP = "triggers: {paths: [docs/**]}\n"
SKIP_TOO = "triggers: {paths: [docs/**], skip_labels: [wip]}\n"
NO_SKIPPED = "fail_on: high\nfail_also: [unreviewed]\n"


async def clean(at: Whole, files: dict[str, str] = PLAIN) -> int:
    """A pull request of a stranger in which nothing is found."""
    number = await at.reviewed(files=files, fork=True, author="stranger")
    assert shown(at, number) in ("success", "neutral")
    return number


async def paused(at: Whole) -> int:
    """An earlier head was reviewed and is clean; what was pushed since is not reviewed."""
    number = await clean(at)
    await at.repo.comment(number, "/deeprepo pause", author="maintainer")
    await at.quiet()
    await at.repo.push("feature", WORSE, author="stranger")
    await at.quiet()
    return number


async def draft(at: Whole) -> int:
    """An earlier head was reviewed, with a finding; what was pushed since is a draft."""
    number = await at.reviewed(fork=True, author="stranger")
    await left_out(at, number)
    return number


async def left(at: Whole) -> int:
    """The first head is left out by the settings."""
    return await clean(at, WORSE)


async def moved(at: Whole) -> int:
    """Its head was reviewed against a branch that holds the same; then somebody moves it to another base, which nobody reviews."""
    await at.repo.commit("next", WORSE)
    await at.repo.commit("feature", WORSE)
    number = await at.repo.open_pull("feature", base="next", title="Prices")
    await at.quiet()
    await at.repo.comment(number, "/deeprepo pause", author="maintainer")
    await at.quiet()
    await at.repo.retarget(number, "main")
    await at.quiet()
    return number


@pytest.mark.parametrize(
    ("before", "head", "bar", "ending"),
    few(
        [
            ("language: en\n", paused, "fail_on: high\n", "failure"),
            ("language: en\n", paused, "language: de\n", "success"),
            ("language: en\n", draft, "fail_on: high\n", "failure"),
            ("language: en\n", draft, "fail_on: high\nfail_also: []\n", "failure"),
            ("language: en\n", moved, "fail_on: high\n", "failure"),
            ("fail_on: high\nfail_also: []\n", paused, "fail_on: high\n", "failure"),
            ("fail_on: high\nfail_also: []\n", paused, "fail_on: high\nfail_also: []\n", "success"),
            ("triggers: {skip_lines: 1}\n", left, "fail_on: high\ntriggers: {skip_lines: 1}\n", "failure"),
            ("quota: many\n", left, "fail_on: high\n", "failure"),
            (SKIP, left, f"fail_on: high\n{SKIP}", "failure"),
            (SKIP, left, NO_SKIPPED + SKIP, "success"),
            (SKIP, left, NO_SKIPPED, "failure"),
            ("triggers: {events: []}\n", left, NO_SKIPPED + "triggers: {events: []}\n", "success"),
            ("triggers: {events: []}\n", left, NO_SKIPPED, "failure"),
            (SKIP_TOO, left, NO_SKIPPED + SKIP_TOO, "success"),
        ],
        0,
        3,
        10,
        11,
        14,
    ),
)
def test_a_queue_stops_at_a_head_that_nobody_has_reviewed(
    tmp_path: Path, before: str, head: Callable[[Whole], Awaitable[int]], bar: str, ending: str
) -> None:
    """A check that has ended is no review, and a review of another head or base is none of this one, whatever its bar was.

    What the owner's own rules leave out passes if they let it pass, as long as they are the same.
    """

    async def go() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": before})
            number = await head(at)
            await at.repo.commit("main", {".deeprepo.yml": bar})
            assert await queued(at, number) == ending

    asyncio.run(go())


@pytest.mark.slow
def test_a_queue_passes_what_adds_nothing_to_its_base(tmp_path: Path) -> None:
    """There is nothing to review, under any bar."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            number = await at.reviewed(files={"README.md": "# A shop\n"})
            assert shown(at, number) == "success"
            await at.repo.commit("main", {".deeprepo.yml": "fail_on: high\n"})
            assert await queued(at, number) == "success"

    asyncio.run(go())


@pytest.mark.parametrize(
    ("before", "bar", "event", "ending"),
    few(
        [
            ("minimum_severity: high\n", "fail_on: low\nminimum_severity: high\n", queued, "failure"),
            ("minimum_severity: high\n", "fail_on: low\n", queued, "failure"),
            ("minimum_severity: high\n", "fail_on: medium\nfail_also: []\n", left_out, "failure"),
            ("minimum_severity: high\n", "fail_on: low\n", reopened, "failure"),
            ("minimum_severity: high\n", "fail_on: high\n", queued, "success"),
            ("minimum_severity: high\nfail_on: high\n", "fail_on: medium\n", queued, "failure"),
            ("quota: 0\n", "fail_on: medium\n", queued, "failure"),
        ],
        0,
        2,
        4,
    ),
)
def test_a_later_bar_counts_what_a_review_kept_back(
    tmp_path: Path, before: str, bar: str, event: Event, ending: str
) -> None:
    """The finding is of severity medium and was not posted: what reaches `fail_on` stops the change all the same."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": before})
            number = await clean(at, DOUBLE)
            await at.repo.commit("main", {".deeprepo.yml": bar})
            assert await event(at, number) == ending

    asyncio.run(go())


def check(ask: str, more: str = "", also: str = "[unreviewed, undecided]") -> str:
    """The settings with one check of the team's own, which asks nothing of a change without documents."""
    return f"fail_also: {also}\nchecks: [{{name: Notes, ask: '{ask}', severity: fail{more}}}]\n"


DOCS = ", paths: [docs/**]"
NO_REVIEW = load("en").say("check_queue_unreviewed")
KEY = "Is AKIA" + "Q3ZRT5PLMX7WQN2B gone?"  # in pieces: no secret of this project


@pytest.mark.parametrize(
    ("before", "later", "event", "ending"),
    few(
        [
            (check("Is it told?", DOCS), check("Is it tested?"), queued, "failure"),
            (check("Is it told?", DOCS), check("Is it told?"), queued, "failure"),
            (check("Is it told?", DOCS), check("Is it told?"), reopened, "failure"),
            (check("Is it told?", DOCS), check("Is it told?", also="[undecided]"), queued, "failure"),
            (check("Is it told?", DOCS), check("Is it told?", also="[undecided]"), left_out, "failure"),
            (check("Is it told?", DOCS), check("Is it told?", DOCS) + "quota: 2\n", queued, "success"),
            (check(KEY, DOCS), check(KEY, DOCS) + "quota: 2\n", queued, "success"),
            (check(KEY, DOCS), check(KEY.replace("gone", "there"), DOCS), queued, "failure"),
        ],
        0,
        2,
        5,
    ),
)
def test_a_check_that_is_edited_and_keeps_its_name_was_not_asked(
    tmp_path: Path, before: str, later: str, event: Event, ending: str
) -> None:
    """An answer to other words, or about other files, does not count."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": before})
            number = await clean(at, {"shop/new.py": "X = 1\n"})
            assert shown(at, number) == "success"
            await at.repo.commit("main", {".deeprepo.yml": later})
            assert await event(at, number) == ending

    asyncio.run(go())


@pytest.mark.slow
@pytest.mark.parametrize(("event", "ending"), [(queued, "failure"), (reopened, "failure"), (left_out, "failure")])
def test_a_stored_review_in_another_form_is_none_under_a_later_bar(tmp_path: Path, event: Event, ending: str) -> None:
    """Nobody can tell what it found: the queue stops, the next event has it reviewed again, and a push that is left out is looked at by code."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            number = await at.reviewed(fork=True, author="stranger")
            pull, reviews = at.gh.pull(number), at.server.store.reviews
            stored = await reviews.newest(PullRef(at.gh.installation, at.repo.repository.id, "acme", "shop", number))
            assert stored is not None
            place = f'"base": "{pull.base_sha}", "head": "{pull.head_sha}", "base_name": "main"'
            await reviews.rewrite(stored[0], f'{{"pull": {{{place}}}}}'.encode())
            await at.repo.commit("main", {".deeprepo.yml": "fail_on: high\nfail_also: []\n"})
            assert await event(at, number) == ending

    asyncio.run(go())


@pytest.mark.parametrize(
    ("bar", "says"),
    few(
        [
            ("fail_on: high\n", NO_REVIEW),
            ("fail_on: high\nquota: many\n", "settings of deeprepo cannot be used"),
        ],
        0,
    ),
)
def test_a_stopped_queue_names_the_reason_and_the_remedy(tmp_path: Path, bar: str, says: str) -> None:
    """Not the check of the pull request, which passes. Once it is reviewed under the bar, the queue goes on."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": SKIP})
            number = await clean(at)
            await at.repo.commit("main", {".deeprepo.yml": bar})
            ending, title = await told(at, number)
            assert ending == "failure"
            assert says in title
            await at.repo.commit("main", {".deeprepo.yml": "fail_on: high\n"})
            await at.repo.comment(number, "/deeprepo review", author="maintainer")
            await at.quiet()
            assert await queued(at, number) == "success"

    asyncio.run(go())


async def silenced_by_a_rule(at: Whole) -> tuple[int, str]:
    """A pull request whose one finding a rule silences, and the number of the rule."""
    await at.repo.commit("main", {".deeprepo.yml": "fail_on: low\n"})
    number = await at.reviewed(files=DOUBLE)
    await at.repo.comment(number, "/deeprepo ignore 1 known", author="maintainer")
    await at.quiet()
    rule = next(found[1] for reply in at.replies(number) if (found := re.search(r"rules confirm (\d+)", reply)))
    await at.repo.comment(number, f"/deeprepo rules confirm {rule} shop/**", author="maintainer")
    await at.quiet()
    await at.repo.push("feature", {"shop/other.py": DOUBLE["shop/rates.py"]})
    await at.quiet()
    return number, rule


async def taken_back(at: Whole, rule: str) -> None:
    """Somebody takes the rule back, elsewhere."""
    other = await at.reviewed(branch="other", files={"NEWS.md": "Another.\n"})
    await at.repo.comment(other, f"/deeprepo rules remove {rule}", author="maintainer")
    await at.quiet()


def test_a_rule_that_is_taken_back_meets_a_pull_request_that_is_opened_again(tmp_path: Path) -> None:
    """Its page did not follow while it was closed; it is reviewed again, and a queue stops at it."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            number, rule = await silenced_by_a_rule(at)
            assert await queued(at, number) == shown(at, number) == "success"
            await at.repo.close(number)
            await at.quiet()
            await taken_back(at, rule)
            assert shown(at, number) == "success"
            assert await reopened(at, number) == "failure"

    asyncio.run(go())


@pytest.mark.slow
def test_a_rule_that_is_taken_back_stops_a_queue_whose_page_did_not_follow(tmp_path: Path) -> None:
    """Also while its check passes still: of a pull request that counts as closed, or beyond those that follow at once."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            number, rule = await silenced_by_a_rule(at)
            pull = PullRef(at.gh.installation, at.repo.repository.id, "acme", "shop", number)
            await at.server.store.reviews.close(pull, time.time())
            await taken_back(at, rule)
            assert shown(at, number) == "success"
            assert await told(at, number) == ("failure", NO_REVIEW)

    asyncio.run(go())


@pytest.mark.parametrize(
    "later", few([("language: en\n"), ("fail_on: critical\n"), ("fail_on: high\n"), ("fail_on: high\nquota: 2\n")], 1)
)
def test_a_bar_that_is_lowered_is_met_once_the_pull_request_is_opened_again(tmp_path: Path, later: str) -> None:
    """A check that failed by a bar which is gone does not stay red; one that fails all the same is not made again."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": "fail_on: high\n"})
            number = await at.reviewed()
            count = len(at.gh.pull(number).checks)
            assert shown(at, number) == "failure"
            await at.repo.commit("main", {".deeprepo.yml": later})
            is_lower = "high" not in later
            assert await reopened(at, number) == ("neutral" if is_lower else "failure")
            assert (len(at.gh.pull(number).checks) > count) is is_lower

    asyncio.run(go())


async def another_check(at: Whole, number: int) -> None:
    """A check of the team's own has failed in the stored review, as one that warns."""
    pull, reviews = PullRef(at.gh.installation, at.repo.repository.id, "acme", "shop", number), at.server.store.reviews
    stored = await reviews.newest(pull)
    assert stored is not None
    output = json.loads(stored[1])
    (report,) = output["checks"]
    report["verdict"], report["cause"], report["reason"] = "failed", "", "It is not told."
    await reviews.rewrite(stored[0], json.dumps(output).encode())


@pytest.mark.slow
@pytest.mark.parametrize(("severity", "ending"), [("fail", "failure"), ("warn", "success")])
def test_a_check_that_is_raised_later_stops_what_has_failed_it(tmp_path: Path, severity: str, ending: str) -> None:
    """Its answer is there: only what it comes to has changed."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            checks = "checks: [{name: Notes, ask: 'Is it told?', paths: [docs/**], severity: %s}]\n"
            await at.repo.commit("main", {".deeprepo.yml": checks % "warn"})
            number = await clean(at, {"shop/new.py": "X = 1\n"})
            await another_check(at, number)
            bar = "fail_on: critical\nfail_also: []\n"
            await at.repo.commit("main", {".deeprepo.yml": bar + checks % severity})
            assert await queued(at, number) == ending

    asyncio.run(go())


@pytest.mark.slow
def test_a_label_that_is_gone_leaves_nothing_out_of_a_queue(tmp_path: Path) -> None:
    """The rules are the same, and do not name this pull request any more."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            rules = "triggers: {skip_labels: [wip]}\n"
            await at.repo.commit("main", {".deeprepo.yml": NO_SKIPPED + rules})
            await at.repo.commit("feature", PLAIN)
            number = await at.repo.open_pull("feature", title="Notes", labels=("wip",))
            await at.quiet()
            assert await queued(at, number) == "success"
            await at.repo.remove_label(number, "wip")
            await at.quiet()
            assert await told(at, number) == ("failure", NO_REVIEW)

    asyncio.run(go())


@pytest.mark.parametrize(("bar", "ending"), few([("fail_on: high\n", "failure"), ("language: en\n", "success")], 0))
def test_a_queue_whose_pull_request_is_not_found_stops_at_a_bar(tmp_path: Path, bar: str, ending: str) -> None:
    """GitHub answers 404 as often as it is asked: nobody has graded anything."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": bar})
            number = await at.reviewed()
            at.gh.fail("GET", rf"/pulls/{number}$", Fault(status=404, times=2))
            assert (await told(at, number))[0] == ending

    asyncio.run(go())


@pytest.mark.slow
def test_a_queue_names_the_other_pull_request_that_it_waits_for(tmp_path: Path) -> None:
    """One with the same head that nobody has reviewed yet: a review of its own changes nothing."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("v1", PLAIN)
            await at.repo.commit("main", {".deeprepo.yml": "fail_on: high\n"})
            number = await at.reviewed(files=PLAIN)
            with at.gh.holding():  # nobody has heard of it yet
                other = await at.repo.open_pull("feature", base="v1", title="The same")
            ending, title = await told(at, number)
            assert ending == "failure"
            assert f"#{other}" in title

    asyncio.run(go())
