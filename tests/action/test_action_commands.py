"""Every comment command in a workflow, which has no storage except its own answers."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from opening import BASE, event, opened, summary
from stepping import WRITE, Stage, on_stage, stage

from bot.workflow.commands import COMMANDS
from deeprepo_sandbox.github import git
from deeprepo_sandbox.github.things import WorkflowRun

# Each command as typed, and what its answer contains, in a workflow as in the App.
TYPED = {
    "review": ("/deeprepo review", ""),
    "full review": ("/deeprepo full review", ""),
    "ask": ("/deeprepo ask Is the caller right?", "Answering questions needs a model"),
    "explain": ("/deeprepo explain 1", "shop/cart.py"),
    "fix": ("/deeprepo fix 1", "` fixes finding 1"),
    "ignore": ("/deeprepo ignore 1 It goes next week.", "Ignored in this pull request"),
    "remember": (
        "/deeprepo remember in shop/cart.py Prices are in cents everywhere.",
        "Prices are in cents everywhere",
    ),
    "rules": ("/deeprepo rules", "taught"),
    "pause": ("/deeprepo pause", "Reviews of this pull request are paused."),
    "resume": ("/deeprepo resume", "Reviews of this pull request are not paused."),
    "cancel": ("/deeprepo cancel", "No run of this workflow is reviewing this pull request."),
    "config": ("/deeprepo config", "fail_on"),
    "help": ("/deeprepo help", "`/deeprepo cancel`"),
}


@dataclass
class Desk:
    """A reviewed pull request on which people comment."""

    at: Stage
    number: int
    body: dict[str, Any]
    permissions: dict[str, str]

    async def said(self, text: str, author: str = "maintainer") -> list[str]:
        """Comment, run the workflow for it, and return the new answers without their markers."""
        before = len(self.at.gh.pull(self.number).comments)
        with self.at.gh.holding() as held:
            await self.at.repo.comment(self.number, text, author=author)
        told = event([one for one in held if one.event == "issue_comment"])
        await self.at.told("issue_comment", told, permissions=self.permissions)
        return [c.body.partition("\n")[2] for c in self.at.gh.pull(self.number).comments[before + 1 :]]

    async def pushed(self, files: dict[str, str]) -> str:
        """Push, run the workflow for it, and return its conclusion and message."""
        with self.at.gh.holding() as held:
            await self.at.repo.push("feature", files)
        told = await self.at.told("pull_request", event(held))
        return f"{told.conclusion}: {told.says}"


async def desk(at: Stage, **permissions: str) -> Desk:
    """Open and review a pull request with a forgotten caller."""
    number, body = await opened(at)
    await at.told("pull_request", body)
    return Desk(at, number, body, {**WRITE, **permissions})


@pytest.mark.parametrize("name", COMMANDS)
async def test_every_command_works_in_a_workflow(tmp_path: Path, name: str) -> None:
    """The list of commands is the App's. Each gets its own answer, never the help for unknown commands."""
    text, wanted = TYPED[name]
    async with stage(tmp_path, BASE) as at:
        one = await desk(at, actions="write")
        answers = await one.said(text)
        assert not [answer for answer in answers if "is not a command" in answer or "needs the App" in answer]
        if not wanted:
            assert (answers, "review 2" in summary(at.gh, one.number)) == ([], True)
            return
        assert any(word in answers[0] for word in wanted.split("|")), answers
        (asked,) = [c for c in at.gh.pull(one.number).comments if c.user.login == "maintainer"]
        assert [r.content for r in asked.reactions] == ["eyes"]


@on_stage(BASE)
async def test_strangers_commands_are_refused_and_ignored_findings_stay_ignored(at: Stage) -> None:
    """Each command in a comment gets an answer. An ignored finding stays ignored."""
    one = await desk(at)
    (refused,) = await one.said("/deeprepo pause", author="stranger")
    assert "needs write permission" in refused
    explained, settings = await one.said("/deeprepo explain 1\n/deeprepo config")
    assert "shop/cart.py" in explained
    assert "fail_on" in settings
    (ignored,) = await one.said("/deeprepo ignore 1 the caller goes next week")
    assert ignored.startswith("Ignored in this pull request")
    assert "`- finding: " in ignored
    assert (await one.pushed({"NEWS.md": "one\n"})).startswith("success")


@on_stage(BASE)
async def test_pause_lasts_until_resume(at: Stage) -> None:
    """Our newest answer stores the pause: pushes are skipped, commands still work."""
    one = await desk(at)
    await one.said("/deeprepo pause")
    assert "already paused" in (await one.said("/deeprepo pause"))[0]
    assert "reviews of this pull request are paused" in await one.pushed({"NEWS.md": "one\n"})
    await one.said("/deeprepo review")
    assert "not reviewed" not in summary(at.gh, one.number)
    assert "reviews of this pull request are paused" in await one.pushed({"NEWS.md": "one more\n"})
    assert "Reviews are on again" in (await one.said("/deeprepo resume"))[0]
    assert "paused" not in await one.pushed({"NEWS.md": "two\n"})
    await one.said("/deeprepo pause")
    comments = at.repo.repository.pulls[one.number].comments
    comments.remove(next(c for c in reversed(comments) if "are paused" in c.body))
    assert "paused" not in await one.pushed({"NEWS.md": "three\n"})


@on_stage(BASE)
async def test_fix_is_committed_and_reviewed_in_the_same_job(at: Stage) -> None:
    """The commit uses the job's token. Without the permission, the answer is a patch and what to add."""
    one = await desk(at, contents="read")
    folder = at.repo.repository.git
    before = await git.tip(folder, "feature")
    (refused,) = await one.said("/deeprepo fix 1")
    assert "`contents: write`" in refused
    assert "+    return total(items)" in refused
    assert await git.tip(folder, "feature") == before

    one.permissions["contents"] = "write"
    (fixed,) = await one.said("/deeprepo fix 1")
    after = await git.tip(folder, "feature")
    assert after is not None
    assert after[:10] in fixed
    assert "GitHub starts no workflows for a commit by this token" in fixed
    assert (await git.text(folder, "show", f"{after}:shop/cart.py")).endswith("return total(items)")
    assert "review 2" in summary(at.gh, one.number)
    assert [check.conclusion for check in at.gh.pull(one.number).checks if check.head == after] == ["success"]


@on_stage(BASE)
async def test_learning_applies_in_this_pull_request(at: Stage) -> None:
    """The answer has the settings entry that keeps a learning. Learnings are listed and removed by number."""
    one = await desk(at)
    (first,) = await one.said("/deeprepo remember in shop/** The caller is generated at build time.")
    assert first.startswith("In this pull request, this applies to models' findings in `shop/**` (a folder includes")
    entry = yaml.safe_load(first.partition("`- ")[2].partition("`")[0])
    assert entry == {"path": "shop/**", "kind": "claims", "reason": "The caller is generated at build time."}
    await one.said("/deeprepo remember in shop/cart.py:pay Prices are checked in the form.")
    (listed,) = await one.said("/deeprepo rules")
    assert [row.split("|")[1].strip() for row in listed.splitlines() if row.startswith("| ")][1:] == ["1", "2"]
    assert "| 0 |" not in listed  # a workflow does not know how many findings it silenced
    assert "no number 7" in (await one.said("/deeprepo rules remove 7"))[0]
    assert "no longer applies" in (await one.said("/deeprepo rules remove 1"))[0]
    (listed,) = await one.said("/deeprepo rules")
    assert "| `shop/cart.py:pay` | Prices are checked in the form. |" in listed
    assert "generated at build time" not in listed


@on_stage(BASE)
async def test_cancel_ends_only_this_workflows_runs(at: Stage) -> None:
    """`cancel` ends this workflow's runs on the head; without `actions: write` it says what to add."""
    one = await desk(at, actions="read")
    head = await git.tip(at.repo.repository.git, "feature")
    home, now = at.repo.repository, datetime.now(UTC)
    rows: list[dict[str, Any]] = [{}, {"path": ".github/workflows/other.yml"}, {"event": "push"}, {"head": "f" * 40}]
    for number, row in enumerate(rows, 1):
        facts = {"event": "pull_request", "status": "in_progress", "conclusion": None, "head": head, **row}
        home.runs.append(WorkflowRun(number, now, home, **facts))
    (refused,) = await one.said("/deeprepo cancel")
    assert "`actions: write`" in refused
    one.permissions["actions"] = "write"
    assert "was cancelled" in (await one.said("/deeprepo cancel"))[0]
    assert [run.conclusion for run in home.runs] == ["cancelled", None, None, None]
    assert "No run of this workflow is reviewing" in (await one.said("/deeprepo cancel"))[0]
