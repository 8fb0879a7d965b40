"""Run action.yml for each event that may start a workflow."""

from opening import BASE, event, opened, summary
from stepping import READ, Stage, on_stage


@on_stage(BASE)
async def test_pull_request_is_reviewed_and_all_outputs_agree(at: Stage) -> None:
    """Comments, outputs, annotations and job summary agree, and the title injects no commands."""
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


@on_stage({**BASE, ".deeprepo.yml": "models: {worker: openai/gpt-5-mini}\n"})
async def test_fork_without_secrets_is_reviewed_offline_and_not_commented_on(at: Stage) -> None:
    """With a fork job's read-only token, nothing is posted, and only the threshold sets the conclusion."""
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
async def test_pull_request_target_reviews_a_fork_without_running_its_code(at: Stage) -> None:
    """The fork's modules in the workspace are never imported (see `stage`), nor is its clone used."""
    number, body = await opened(at, fork=True)
    told = await at.told("pull_request_target", body)

    assert told.fault is None
    assert "1 finding" in summary(at.gh, number)
    assert "no secrets" not in (at.folder / "summary").read_text()


@on_stage(BASE)
async def test_command_runs_only_for_people_with_write_permission(at: Stage) -> None:
    """The job runs on the default branch, so it creates a check run on the head, without buttons."""
    number, _ = await opened(at, draft=True)
    for who, conclusion, count in (("stranger", "skipped", 0), ("maintainer", "neutral", 1)):
        with at.gh.holding() as held:
            await at.repo.comment(number, "Please.\n\n/deeprepo review", author=who)
        # Naming the pull request in an input doesn't grant write permission.
        told = await at.told("issue_comment", event(held), pull_request=str(number))
        posted = [c for c in at.gh.pull(number).comments if "## deeprepo" in c.body]
        assert (told.conclusion, len(posted)) == (conclusion, count)
    asked = [c for c in at.gh.pull(number).comments if c.user.type == "User"]
    assert [[r.content for r in c.reactions] for c in asked] == [["-1"], ["eyes"]]
    (check,) = at.gh.pull(number).checks
    assert (check.status, check.conclusion, check.actions) == ("completed", "neutral", [])
    assert not [row for row in at.rows if "file=" in row]
