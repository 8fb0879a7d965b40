from dataclasses import replace

import pytest
from doors import shown
from hosted import Scene, finding, reviewed
from unprompted import unprompted

from bot import verdict
from bot.stored import markers
from bot.values import Review
from bot.values.progress import Progress
from bot.workflow.publish import PublishResult, checks
from deeprepo_sandbox.github import Fault

OUTCOME = PublishResult(1, 2, "https://github.example/acme/shop/pull/1#issuecomment-1")


async def run(at: Scene, review: Review, name: str = "run-1") -> int:
    """Start a check run and end it with a review."""
    number = await checks.start(at.host, at.stands.head_sha, checks.CheckOwner(name))
    await checks.end_with_review(at.host, number, name, review, OUTCOME, checks.HeadStatus(verdict.of(review).check))
    return number


async def test_check_run_shows_progress_and_a_conclusion(at: Scene) -> None:
    """A check run shows progress, and ends with a conclusion, annotations and two buttons."""
    head = at.stands.head_sha
    number = await checks.start(at.host, head, checks.CheckOwner("run-1"))
    begun = at.stands.checks[0]
    await checks.progress(at.host, number, checks.CheckOwner("run-1"), Progress(step="7 of 12 units read"))
    told = at.stands.checks[0]
    review = reviewed(head, finding("f1", 5), finding("f2"))
    await checks.end_with_review(at.host, number, "run-1", review, OUTCOME, checks.HeadStatus("neutral"))
    ended = at.stands.checks[0]

    assert (begun.name, begun.external_id, begun.status, begun.title) == ("deeprepo", "1", "in_progress", "Reviewing")
    assert (told.summary or "").endswith("\nCurrent step: 7 of 12 units read\n")
    assert (ended.status, ended.conclusion, ended.title) == ("completed", "neutral", "2 findings (2 high).")
    assert "1 new comment on the changed lines; 2 listed in the summary." in (ended.summary or "")
    assert OUTCOME.summary_url in (ended.summary or "")
    assert "## deeprepo: 🔴 2 findings (2 high)" in (ended.text or "")
    assert [(a["path"], a["start_line"], a["annotation_level"], a["title"]) for a in ended.annotations] == [
        ("app.py", 5, "warning", "High · Finding f1")
    ]
    assert [action["identifier"] for action in ended.actions] == ["again", "full"]
    assert len(at.stands.checks) == 1


async def test_check_run_never_shows_a_secret(at: Scene) -> None:
    """A check run shows neither a committed secret nor a finding's repetition of it."""
    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA2"
    leak = finding("f1", 5, category="secret", quote=f'TOKEN = "{secret}"')
    await run(at, shown(reviewed(at.stands.head_sha, leak, finding("f2", 6, why=f"It logs {secret}."))))
    (check,) = at.stands.checks

    assert len(check.annotations) == 2
    assert secret not in f"{check.title}{check.summary}{check.text}{check.annotations}"


@pytest.mark.parametrize("after", [True, False], ids=["stored", "lost"])
@pytest.mark.parametrize("nth", [0, 2])
async def test_annotations_are_not_sent_twice(at: Scene, nth: int, *, after: bool) -> None:
    """Annotations can only be added, so after a lost response the existing ones are counted first."""
    review = reviewed(at.stands.head_sha, *[finding(f"f{n}", n + 1) for n in range(120)])
    at.gh.fail("PATCH", r"/check-runs/", Fault(502, after=after, skip=nth))
    await run(at, review)
    await run(at, review)

    assert len(at.stands.checks) == 1
    assert len(at.stands.checks[0].annotations) == 120
    assert at.stands.checks[0].conclusion == "neutral"


async def test_each_run_has_exactly_one_check_run(at: Scene) -> None:
    """After a restart, a run continues its own check run.

    A new run takes over an unfinished one, and creates one if all are finished.
    """
    head = at.stands.head_sha
    at.gh.fail("POST", r"/check-runs$", Fault(502, after=True))
    one = await checks.start(at.host, head, checks.CheckOwner("run-1"))
    assert await checks.start(at.host, head, checks.CheckOwner("run-1")) == one
    assert await checks.start(at.host, head, checks.CheckOwner("run-2")) == one
    await checks.end_with_review(at.host, one, "run-2", reviewed(head), OUTCOME, checks.HeadStatus("success"))
    assert await checks.start(at.host, head, checks.CheckOwner("run-2")) == one
    other = await checks.start(at.host, head, checks.CheckOwner("run-3"))

    assert other != one
    assert len(at.stands.checks) == 2


async def test_skipped_review_is_neutral_and_gives_the_reason(at: Scene) -> None:
    """Skipped reviews are neither green nor red, and the title has the reason."""
    number = await checks.start(at.host, at.stands.head_sha, checks.CheckOwner("run-1"))
    await checks.end_without_review(
        at.host, number, "run-1", "it is a draft of @acme/all", checks.HeadStatus("neutral"), lacks="left out"
    )
    one = at.stands.checks[0]

    assert (one.status, one.conclusion, one.title) == (
        "completed",
        "neutral",
        "Not reviewed: it is a draft of @acme/all",
    )
    assert "@acme" not in (one.summary or "")
    assert await checks.lacks_review(at.host, at.stands.head_sha) == "left out"
    assert await checks.lacks_review(at.host.other_pull(2), at.stands.head_sha) == "unreviewed"


async def test_abandoned_review_concludes_by_the_settings_it_started_with(at: Scene) -> None:
    """A review that is given up fails with a threshold, because the settings are not read again."""
    head = at.stands.head_sha
    number = await checks.start(at.host, head, checks.CheckOwner("run-1", if_broken="failure"))
    await checks.end_broken(at.host, number, "run-1", head, "the machine was restarted too often")
    assert at.stands.checks[0].conclusion == "failure"


async def test_text_from_the_change_is_escaped(at: Scene) -> None:
    """Titles and notes are escaped in a summary, and invisible characters are removed in annotations."""
    evil = finding("f1", 5, title="@acme/all \u202eevil", why="<!-- deeprepo -->\n\u200bhidden")
    review = replace(reviewed(at.stands.head_sha, evil), notes=("see @acme/all",))
    number = await checks.start(at.host, at.stands.head_sha, checks.CheckOwner("run-1"))
    outcome = replace(OUTCOME, notes=("see @acme/all",))
    await checks.end_with_review(at.host, number, "run-1", review, outcome, checks.HeadStatus("neutral"))
    one = at.stands.checks[0]

    assert "@acme" not in unprompted(f"{one.summary}{one.text}")  # GitHub ignores @mentions in code
    assert one.annotations[0]["title"] == "High · @acme/all evil"
    assert "\u200b" not in one.annotations[0]["message"]
    marker = markers.read(one.summary or "")
    assert (marker.kind, marker.facts) == ("check", {"run": "run-1"})
