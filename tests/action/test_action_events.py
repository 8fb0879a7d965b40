"""action.yml as a runner carries it out, for each event that a workflow may be started by."""

import json

import pytest
from opening import BASE, event, opened, summary
from stepping import READ, Stage, on_stage

from bot.errors import UsageError


@on_stage(BASE)
async def test_a_pull_request_is_reviewed_and_the_job_says_how(at: Stage) -> None:
    """The review is posted on the pull request. Outputs, annotations and the job summary agree with it, and the title gives no orders."""
    number, body = await opened(at)
    ran = await at.run("pull_request", body, fail_on="critical", sarif="out.sarif", json="out.json")

    assert (ran.code, ran.outputs["conclusion"]) == (0, "neutral")
    assert "1 finding" in summary(at.gh, number)
    assert (ran.outputs["findings"], ran.outputs["cost"], ran.outputs["round"]) == ("1", "0.0000", "1")
    assert ran.outputs["summary-url"].startswith(at.gh.page(number))
    assert ran.annotated == [("warning", "shop/cart.py", "5")]
    assert {name for name, _, _ in ran.orders} == {"warning"}
    assert "1 finding" in ran.summary
    assert ran.outputs["sarif"] == str(at.workspace / "out.sarif")
    assert '"version": "2.1.0"' in (at.workspace / "out.sarif").read_text()
    assert '"schema_version": 2' in (at.workspace / "out.json").read_text()
    assert at.gh.pull(number).checks == []


@on_stage(BASE)
async def test_results_of_other_tools_are_posted_and_a_wrong_path_is_said(at: Stage) -> None:
    """The input `sarif-reports` names files of earlier steps; a path out of the workspace is a usage error."""
    number, body = await opened(at)
    place = {"artifactLocation": {"uri": "shop/price.py"}, "region": {"startLine": 2}}
    result = {"message": {"text": "a smell"}, "locations": [{"physicalLocation": place}], "level": "error"}
    run = {"tool": {"driver": {"name": "Sniffer"}}, "results": [result]}
    (at.workspace / "s.sarif").write_text(json.dumps({"version": "2.1.0", "runs": [run]}))
    await at.told("pull_request", body, sarif_reports="s.sarif")
    assert "2 findings" in summary(at.gh, number)
    with pytest.raises(UsageError, match="must be in the workspace or"):
        await at.told("pull_request", body, sarif_reports="../../etc/passwd")


@on_stage({**BASE, ".deeprepo.yml": "models: {worker: openai/gpt-5-mini}\n"})
async def test_without_secrets_a_fork_is_reviewed_offline_and_only_the_job_says_so(at: Stage) -> None:
    """With the token and the settings that a fork's job gets: nothing is written, the conclusion is the bar's alone."""
    number, body = await opened(at, fork=True)
    quiet = await at.told("pull_request", body, permissions=READ)
    page = (at.folder / "summary").read_text()
    strict = await at.told("pull_request", body, permissions=READ, fail_on="high")

    assert (quiet.conclusion, strict.conclusion) == ("neutral", "failure")
    assert "no secrets for pull requests from forks" in page
    assert "is shown only here" in page
    assert "1 finding" in page
    stands = at.gh.pull(number)
    assert [*stands.comments, *stands.review_comments, *stands.checks] == []


@on_stage(BASE)
async def test_pull_request_target_reviews_a_fork_with_all_rights_and_runs_nothing_of_it(at: Stage) -> None:
    """The workspace's modules are never imported (see `stage`), and its clone is not believed."""
    number, body = await opened(at, fork=True)
    told = await at.told("pull_request_target", body)

    assert told.fault is None
    assert "1 finding" in summary(at.gh, number)
    assert "no secrets" not in (at.folder / "summary").read_text()


@on_stage(BASE)
async def test_a_command_is_carried_out_for_who_may_write_alone(at: Stage) -> None:
    """The job runs on the default branch, so deeprepo creates a check run on the head. It has no buttons: nobody would get their events."""
    number, _ = await opened(at, draft=True)
    for who, conclusion, count in (("stranger", "skipped", 0), ("maintainer", "neutral", 1)):
        with at.gh.holding() as held:
            await at.repo.comment(number, "Please.\n\n/deeprepo review", author=who)
        # The input names the pull request too: that makes nobody a maintainer.
        told = await at.told("issue_comment", event(held), pull_request=str(number))
        posted = [c for c in at.gh.pull(number).comments if "## deeprepo" in c.body]
        assert (told.conclusion, len(posted)) == (conclusion, count)
    asked = [c for c in at.gh.pull(number).comments if c.user.type == "User"]
    assert [[r.content for r in c.reactions] for c in asked] == [["-1"], ["eyes"]]
    (check,) = at.gh.pull(number).checks
    assert (check.status, check.conclusion, check.actions) == ("completed", "neutral", [])
    assert not [row for row in at.rows if "file=" in row]
