from collections import Counter
from dataclasses import replace

from hosted import Scene, finding, reviewed, wanted
from pydantic import SecretStr
from told_reviews import ALL, put, said, six

from bot import github
from bot.outputs import posts
from bot.stored import markers
from bot.values import PlacedFinding
from bot.values.host import BotIdentity
from bot.workflow import publish


async def test_finding_is_posted_on_its_line_its_file_or_in_the_summary(at: Scene) -> None:
    """Findings are on their lines, on their file, or in the summary, and the counts match."""
    outcome = await put(at, six(at))
    stands = at.stands

    assert said(at) == ALL
    assert [(c.path, c.line, c.subject) for c in stands.review_comments] == [
        ("app.py", 5, "line"),
        ("app.py", 41, "line"),
        ("app.py", None, "file"),
    ]
    assert {c.commit for c in stands.review_comments} == {stands.head_sha}
    assert (outcome.posted_count, outcome.listed_count, outcome.notes) == (4, 2, ())
    assert outcome.summary_url.startswith(at.gh.page(at.number))
    assert "4 findings with comments; findings listed only here: 2" in stands.comments[0].body
    assert all(f"Finding f{n}" in stands.comments[0].body for n in range(1, 6))
    assert {(one.user.login) for one in (*stands.comments, *stands.review_comments)} == {at.gh.login}


async def test_repeated_run_writes_nothing(at: Scene) -> None:
    """A repeated run recognizes all of its comments by their markers."""
    first = await put(at, six(at))
    before = at.writes()
    again = await put(at, six(at))

    assert at.writes() == before
    assert again == first


async def test_duplicate_summary_after_a_lost_response_is_removed(at: Scene) -> None:
    """Two summaries can only exist after a lost response; the older one is kept."""
    await put(at, six(at))
    await at.host.comment(at.stands.comments[0].body)
    await put(at, replace(six(at), summary="New words."), "run-2")

    assert said(at) == ALL
    assert "New words." in at.stands.comments[0].body


async def test_markers_copied_by_a_person_are_ignored(at: Scene) -> None:
    """A person who copies our markers neither hides a finding nor has their comment edited."""
    summary = markers.make("summary", head=at.stands.head_sha, run="run-1", mode="app") + "\nmine"
    copied = markers.make("finding", fingerprint="f1", head=at.stands.head_sha, run="run-1") + "\nmine"
    await at.repo.comment(at.number, summary)
    await at.repo.review_comment(at.number, "app.py", 5, copied)
    await put(at, six(at))

    assert said(at) == ALL + Counter(["summary", "finding f1"])
    assert at.stands.comments[0].body == summary


async def test_workflow_and_app_update_only_their_own_comments(at: Scene) -> None:
    """A workflow and an App only update the comments of their own account."""
    rights = {"pull_requests": "write", "contents": "read", "issues": "write"}
    text = SecretStr(at.gh.actions_token(at.repo, rights))
    await put(at, six(at))
    async with github.open_pull_with_token(
        text, at.gh.api, at.pull, BotIdentity("github-actions[bot]"), at.pace
    ) as host:
        for run in ("run-1", "run-1", "run-2"):
            await publish.publish(host, six(at), posts.comments, run, wanted)

    assert said(at) == ALL + ALL
    assert Counter(one.user.login for one in at.stands.comments) == {at.gh.login: 1, "github-actions[bot]": 1}


async def test_finding_on_several_lines_is_one_comment(at: Scene) -> None:
    """A comment on several lines has a start line and an end line."""
    one = finding("f1", 5)
    assert one.spot is not None
    wide = PlacedFinding(one.finding, "inline", replace(one.spot, end=6))
    await put(at, reviewed(at.stands.head_sha, wide))

    assert [(c.start_line, c.line) for c in at.stands.review_comments] == [(5, 6)]
