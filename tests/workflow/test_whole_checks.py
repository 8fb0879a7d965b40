"""A pull request's check on a real server belongs to a head commit and shows that head's review result."""

import asyncio

import pytest
from whole import BROKEN, MENDED, Whole

from bot.analyzers.checks.tsc import Tsc
from bot.machine.processes import ProcessLimits
from bot.values import ReviewJob
from bot.workflow.dispatch import open_work
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.github import Fault

BAR = {".deeprepo.yml": "fail_on: high\n"}
README = {"README.md": "# Shop\n"}


async def queue(at: Whole, number: int, branch: str = "queue") -> str | None:
    """Return our conclusion for a merge queue's commit."""
    base = await sandbox.git.tip(at.repo.repository.git, "refs/heads/main")
    head = await at.repo.commit(branch, {f"{branch}.txt": "merged\n"}, f"Merge pull request #{number}")
    await at.repo.merge_group(head, base or "", number)
    await at.quiet()
    (found,) = [one for one in at.repo.repository.checks.values() if one.head == head]
    return found.conclusion


async def test_failed_head_stays_failed_after_draft_skip_and_reopen(at: Whole) -> None:
    """After drafting, a skipped label, closing and reopening, the head still fails; no second review runs."""
    await at.repo.commit("main", {".deeprepo.yml": "fail_on: high\ntriggers: {skip_labels: [wip]}\n"})
    number = await at.reviewed(fork=True, author="stranger")
    assert at.ending(number) == "failure"
    await at.repo.set_draft(number, True, by="stranger")  # noqa: FBT003
    await at.repo.close(number, by="stranger")
    await at.repo.reopen(number, by="stranger")
    await at.quiet()
    assert at.ending(number) == "failure"
    await at.repo.add_label(number, "wip")
    await at.repo.set_draft(number, False, by="stranger")  # noqa: FBT003
    await at.quiet()
    last = max(at.gh.pull(number).checks, key=lambda one: one.id)
    assert (last.conclusion, "that result still applies" in (last.summary or "")) == ("failure", True)
    assert len((await at.server.store.listing.page(None, 9)).rows) == 1


async def test_canceled_review_leaves_the_earlier_conclusion(at: Whole) -> None:
    """Both reviews are of the same head, so the first one's failure still applies."""
    await at.repo.commit("main", BAR)
    number = await at.reviewed()
    assert at.ending(number) == "failure"

    async def call_off() -> None:
        """Cancel as `/deeprepo cancel` does, when the review has only its check run."""
        assert await at.server.jobs.cancel(at.pull(number)) == 1

    at.gh.fail("POST", r"/check-runs$", Fault(status=None, after=True, run=call_off))
    await at.repo.rerequest(at.gh.pull(number).checks[0].id)
    await at.quiet()
    await at.until(lambda: at.ending(number) is not None)  # a canceled review's check run ends after its job
    first, second = at.gh.pull(number).checks
    assert (first.conclusion, second.conclusion) == ("failure", "failure")
    summary = second.summary or ""
    assert "The review was stopped" in summary
    assert "that result still applies" in summary


async def test_concurrent_jobs_create_one_check_run(at: Whole) -> None:
    """Two jobs look for a check run before either creates one: only one check run is created."""
    with at.gh.holding():
        await at.opened()
    at.gh.fail("GET", r"/check-runs", Fault(status=None, delay=0.5, times=2))
    server = at.server
    parts_of_work = (server.store, server.jobs, server.identity, server.pace, at.data, server.metrics.review)
    _, apologise = open_work(*parts_of_work, ProcessLimits())
    ask = ReviewJob(at.pull(1), "opened", head=at.gh.pull(1).head_sha)
    await asyncio.gather(apologise(ask, "it was in vain"), apologise(ask, "it was in vain"))
    (check,) = at.gh.pull(1).checks
    assert "it was in vain" in (check.title or "")


async def test_truncated_or_skipped_review_fails_when_a_threshold_is_set(at: Whole) -> None:
    """With a threshold, the check fails without a merge base and for a draft by a stranger."""
    await at.repo.commit("main", BAR)
    await sandbox.git.commit(at.repo.repository.git, "orphan", None, {"a.py": "x = 1\n"}, "First", "colleague")
    orphan = await at.repo.open_pull("orphan")
    await at.quiet()
    drafts = []
    for branch, author in (("theirs", "stranger"), ("ours", "maintainer")):
        await at.repo.commit(branch, {**BROKEN, f"docs/{branch}.md": "# Notes\n"})
        drafts.append(await at.repo.open_pull(branch, draft=True, fork=author == "stranger", author=author))
        await at.quiet()
    assert [at.ending(number) for number in (orphan, *drafts)] == ["failure", "failure", "neutral"]


async def test_changes_excluded_by_the_owner_are_neutral(at: Whole) -> None:
    """Drafts, bots and other paths stay neutral under a threshold unless `strict` is on; queues pass."""
    at.gh.world.user("dependabot[bot]", "Bot")
    paths = "triggers: {paths: ['shop/']}\n"
    await at.repo.commit("main", {".deeprepo.yml": f"fail_on: high\n{paths}"})
    draft = await at.reviewed(branch="draft", draft=True)
    bot = await at.reviewed(branch="bot", author="dependabot[bot]")
    beside = await at.reviewed(branch="beside", files=README)
    assert [at.ending(number) for number in (draft, bot, beside)] == ["neutral"] * 3
    assert await queue(at, bot) == "success"
    await at.repo.set_draft(draft, False)  # noqa: FBT003
    await at.quiet()
    assert at.ending(draft) == "failure"  # because of the forgotten caller
    await at.repo.commit("main", {".deeprepo.yml": f"fail_on: high\nstrict: true\n{paths}"})
    later = await at.reviewed(branch="later", files={"docs/more.md": "# More\n"})
    assert at.ending(later) == "failure"
    assert await queue(at, bot, "second") == "failure"


async def test_removed_label_leaves_the_gate_closed(at: Whole) -> None:
    """Without its label, a pushed head still fails until the finding is ignored, and again if that is undone."""
    await at.repo.commit("main", {".deeprepo.yml": "fail_on: high\ntriggers: {labels: [ai]}\n"})
    number = await at.reviewed()
    assert at.ending(number) == "neutral"
    await at.repo.add_label(number, "ai")
    await at.quiet()
    assert at.ending(number) == "failure"
    await at.repo.remove_label(number, "ai")
    await at.pushed(README)
    held = max(at.gh.pull(number).checks, key=lambda one: one.id)
    assert (held.conclusion, "still open" in (held.title or "")) == ("failure", True)
    assert await queue(at, number) == "failure"
    await at.repo.comment(number, "/deeprepo ignore 1")
    await at.quiet()
    assert at.ending(number) == "neutral"
    assert await queue(at, number, "second") == "success"


async def test_merge_queue_gets_the_conclusion_of_the_head(at: Whole) -> None:
    """A neutral head passes and a failed one does not. A threshold set after the review counts."""
    number = await at.reviewed(files={**BROKEN, **README})
    assert at.ending(number) == "neutral"
    assert await queue(at, number) == "success"
    await at.repo.commit("main", BAR)
    assert await queue(at, number, "second") == "failure"
    await at.pushed(MENDED)
    assert at.ending(number) == "success"
    assert await queue(at, number, "third") == "success"


async def test_merge_queue_fails_for_an_unreviewed_head_if_a_threshold_is_set(at: Whole) -> None:
    """With a threshold the queue's check fails; without one it passes."""
    with at.gh.holding():  # so that no review starts
        number = await at.opened()
    assert [await queue(at, number), await queue(at, 999, "second")] == ["success"] * 2
    await at.repo.commit("main", BAR)
    assert [await queue(at, number, "third"), await queue(at, 999, "fourth")] == ["failure"] * 2


LEFT_OUT: dict[str, str | bytes | sandbox.TreeEntry | None] = {
    "deps": sandbox.TreeEntry("2" * 40, "160000"),
    "plugins/new": sandbox.TreeEntry("3" * 40, "160000"),
    ".gitmodules": '[submodule "deps"]\n\tpath = deps\n\turl = https://example.com/other/deps.git\n',
    "bin/deploy": sandbox.TreeEntry("../vendor/tool", "120000"),
    "current": sandbox.TreeEntry("releases/2", "120000"),
    ".github/workflows": sandbox.TreeEntry("../docs/samples", "120000"),
    "vendor/lib.py": "def f():\n    return 2\n",
    "static/app.min.js": "var a=1;" * 400 + "other()\n",
    "package-lock.json": '{"packages": {"node_modules/x": {"resolved": "https://example.com/x.tgz"}}}\n',
    "LICENSE-SH": sandbox.TreeEntry("#!/bin/sh\nfetch | sh\n", "100755"),
}


async def test_unread_files_fail_the_check_only_for_strangers(at: Whole) -> None:
    """Submodules, links and files skipped by name fail a stranger's check, but not a maintainer's."""
    before: dict[str, str | bytes | sandbox.TreeEntry | None] = {
        "deps": sandbox.TreeEntry("1" * 40, "160000"),
        ".gitmodules": '[submodule "deps"]\n\tpath = deps\n\turl = https://example.com/acme/deps.git\n',
        "current": sandbox.TreeEntry("releases/1", "120000"),
        "vendor/lib.py": "def f():\n    return 1\n",
        "static/app.min.js": "var a=1;" * 400 + "\n",
    }
    await at.repo.commit("main", {**BAR, **before})
    await at.repo.commit("theirs", LEFT_OUT)
    await at.repo.commit("ours", LEFT_OUT, "The same by somebody who may merge")
    ours = await at.repo.open_pull("ours", title="Ours")
    theirs = await at.repo.open_pull("theirs", title="Theirs", fork=True, author="stranger")
    await at.quiet()
    assert (at.ending(ours), at.ending(theirs)) == ("success", "failure")
    (check,) = at.gh.pull(theirs).checks
    assert (
        check.title
        == f"Not checked: {len(LEFT_OUT)} skipped files. No problems found in the parts that were checked. Checked 1 changed code region. Checks that ran: secrets."
    )
    assert "part of the change was not checked" in (check.summary or "")


@pytest.mark.skipif(Tsc().program() is None, reason="tsc is not installed")
async def test_stopped_type_checker_fails_the_check_only_for_strangers(at: Whole) -> None:
    """A stranger's push that stops a type checker fails the check; a maintainer's label or command reviews it anyway."""
    box = "export class Box { size = 1; weight = 2 }\nexport const make = () => new Box();\n"
    use = "import { make } from './lib';\nexport const w = make().weight;\n"
    settings = {".deeprepo.yml": "fail_on: high\ntriggers: {labels: [go]}\n"}
    await at.repo.commit("main", {**settings, "lib.ts": box, "use.ts": use})
    endings = []
    for branch, author in (("ours", "maintainer"), ("theirs", "stranger")):
        await at.repo.commit(branch, {"lib.ts": box.replace("; weight = 2", "") + "export const = ;\n"}, branch)
        number = await at.repo.open_pull(branch, fork=author == "stranger", author=author)
        await at.quiet()
        await at.repo.add_label(number, "go")
        await at.quiet()
        labeled = at.ending(number)
        await at.repo.push(branch, README, author=author)
        await at.quiet()
        pushed = at.ending(number)
        await at.said(number, "/deeprepo review")
        endings.append((labeled, pushed, at.ending(number)))
    assert endings == [("neutral",) * 3, ("neutral", "failure", "neutral")]
