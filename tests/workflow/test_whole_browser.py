"""What people do on the page of a pull request, in a real browser: the page, the webhooks, the server, the model, and back.

The model is the demo's, and so is the change: one of its findings is wrong, and one is about a test.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import browsing
import pytest
from browsing import Window
from whole import Whole, whole

from deeprepo_sandbox import demo
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.demo import model, story
from deeprepo_sandbox.github import Repo, git

pytestmark = browsing.NEEDED
FOLDED = "details.hidden summary"
FIX = "button[value='/deeprepo fix']"
PUSHED = "return [...document.querySelectorAll('.commit')].map((one) => one.innerText)"
CLOSED = f"return [...document.querySelectorAll('.thread:has({FOLDED})')].map((one) => one.innerText)"


@dataclass(frozen=True)
class Visitor:
    """Somebody with a browser at the page of the demo's pull request. Each deed ends when the bot has nothing left to do."""

    window: Window
    at: Whole
    repo: Repo
    number: int
    loop: asyncio.AbstractEventLoop

    @property
    def page(self) -> str:
        """Where the pull request is."""
        return self.at.gh.page(self.number, "acme/parcel")

    def look(self) -> str:
        """The page once everything is quiet."""
        asyncio.run_coroutine_threadsafe(self.at.quiet(), self.loop).result()
        return self.window.open(self.page)

    def press(self, selector: str) -> str:
        """Press a button."""
        self.window.click(selector)
        return self.look()

    def write(self, form: str, text: str, button: str) -> str:
        """Fill the box of a form and press one of its buttons."""
        self.window.type(f"{form} textarea", text)
        return self.press(f"{form} {button}")

    def reply(self, title: str, text: str) -> str:
        """Reply in the thread of a finding."""
        return self.write(f"#{self.anchor(title)} form[action$='/reply']", text, "button")

    def react(self, anchor: str, sign: str) -> str:
        """Press a reaction under a comment."""
        return self.press(f"#{anchor} form.react button[value='{sign}']")

    def commits_since(self, sha: str) -> list[str]:
        """The commits of the branch after this one."""
        listed = git.commits(self.repo.repository.git, sha, self.pull.head_sha)
        return asyncio.run_coroutine_threadsafe(listed, self.loop).result()

    def anchor(self, words: str) -> str:
        """The newest comment on lines with these words."""
        found = [one.id for one in self.pull.review_comments if words in one.body]
        return f"discussion_r{found[-1]}"

    @property
    def pull(self) -> Any:  # noqa: ANN401 - the sandbox's own value
        """What GitHub holds."""
        return self.at.gh.pull(self.number, "acme/parcel")


async def visited(
    folder: Path,
    patch: pytest.MonkeyPatch,
    visit: Callable[[Visitor], None],
    *,
    grant: bool = False,
    fork: bool = False,
    is_used: bool = False,
) -> None:
    """Let somebody visit the reviewed pull request of the demo. The browser refuses nothing of its pages."""
    async with doubles.openai_server(model.answer) as double:
        operator = {"ROOT": model.NAME, "WORKER": model.NAME, "BASE_URL": double.base_url}
        for name, value in (operator | ({"CONSUMERS": "owner"} if is_used else {})).items():
            patch.setenv(f"DEEPREPO_{name}", value)
        async with whole(folder) as at:
            if grant:
                at.gh.grant(contents="write")
            work = folder / "work"
            work.mkdir()
            demo.build(str(work))
            repo = await at.gh.repository("acme", "parcel", from_git=work)
            if is_used:
                user = folder / "user"
                user.mkdir()
                demo.build_user(str(user))
                await at.gh.repository("acme", "storefront", from_git=user)
                await at.gh.install()
                await at.quiet()
            for each in (at.repo, repo):  # who administers all of an installation's repositories sees them
                each.add("maintainer", "admin")
            await repo.commit("main", {".deeprepo.yml": demo.SETTINGS})
            at.gh.world.commands, at.gh.world.links = (
                ("/deeprepo rules", "/deeprepo fix"),
                (("The operator's page", at.address),),
            )
            number = await repo.open_pull("pull-request", title=demo.TITLE, body=demo.BODY, fork=fork)
            repo.offer(number, demo.repair(), demo.REPAIRED)
            await at.quiet()
            loop = asyncio.get_running_loop()

            def go() -> None:
                with browsing.window(folder) as window:
                    one = Visitor(window, at, repo, number, loop)
                    one.look()
                    visit(one)
                    assert [line for line in window.logged() if "Content Security Policy" in line] == []

            await asyncio.to_thread(go)


@pytest.mark.slow
def test_a_reply_that_is_right_withdraws_the_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Typed and sent on the page; the thread is folded as resolved, the others stay open."""

    def visit(one: Visitor) -> None:
        one.reply(model.WRONG, story.OBJECTION)
        (folded,) = one.window.script(CLOSED)
        assert "Hidden as resolved" in folded
        said = one.window.script(f"document.querySelector({FOLDED!r}).click(); return document.body.innerText")
        assert f"Withdrawn: {model.WRONG}" in said
        assert "if weight_kg <= 0:" in said

    asyncio.run(visited(tmp_path, monkeypatch, visit))


@pytest.mark.slow
def test_a_reaction_proposes_a_rule_and_another_confirms_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """👎 on a finding, 👍 on the proposal, the list of rules after each; the summary is silent about it at once and says so."""

    def visit(one: Visitor) -> None:
        one.react(one.anchor(story.BY_CODE), "-1")
        assert "proposed" in one.press("button[value='/deeprepo rules']")
        proposal = one.anchor("Proposed as rule 1")
        one.react(proposal, "+1")
        text = one.press("button[value='/deeprepo rules']")
        assert "in force: maintainer" in text
        assert "1 finding is silenced by a rule." in text

    asyncio.run(visited(tmp_path, monkeypatch, visit))


@pytest.mark.slow
def test_the_checks_of_the_team_are_a_table_and_a_failed_one_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One failed with its line, one is undecided with what is missing, one does not apply; the commit that mends the first one passes it."""

    def rows(one: Visitor) -> dict[str, str]:
        table = "[...document.querySelectorAll('table tr')].map((row) => [...row.cells].map((cell) => cell.innerText))"
        return {cells[0]: cells[1] for cells in one.window.script(f"return {table}") if len(cells) > 1}

    def visit(one: Visitor) -> None:
        shown = rows(one)
        assert "failed, stops the change" in shown["errors name the parcel"]
        assert "undecided" in shown["announced once"]
        assert "does not apply" in shown["migrations"]
        assert model.AGAIN.replace("`", "") in one.window.text
        assert one.pull.checks[-1].conclusion == "failure"
        one.press("form[action$='/push'] button")
        assert "passed" in rows(one)["errors name the parcel"]

    asyncio.run(visited(tmp_path, monkeypatch, visit))


@pytest.mark.slow
def test_a_fix_is_a_patch_until_the_app_may_commit_and_then_one_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a button: the answer has the patch, then the commit of the bot; the round that follows says what is fixed and adds nothing."""

    def visit(one: Visitor) -> None:
        before = one.pull.head_sha
        text = one.press(FIX)
        assert "the App lacks the permission contents: write" in text
        assert "The patch below fixes 3 findings" in text
        assert one.pull.head_sha == before
        one.press("aside button[name=commits]")
        text = one.press(FIX)
        after = one.pull.head_sha
        assert f"Committed {after[:10]}" in text
        assert one.commits_since(before) == [after]
        assert one.window.script(PUSHED)[-1].startswith("deeprepo[bot]\npushed\nFix findings 2, 6, 7 of the review")
        assert "None of them is new. 3 findings are fixed." in text

    asyncio.run(visited(tmp_path, monkeypatch, visit))


@pytest.mark.slow
def test_from_the_pull_request_to_the_operators_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the link beside it and GitHub's own sign-in; who administers nothing is refused. A suggestion that a click commits is counted."""

    def visit(one: Visitor) -> None:
        assert "1 finding is fixed" in one.press("form[action$='/apply'] button")
        one.press("aside button[value=stranger]")
        one.window.click(f"aside a[href='{one.at.address}']")
        one.window.click("a.go")
        assert "does not administer any installation" in one.window.click("button[value=stranger]")
        one.look()
        one.press("aside button[value=maintainer]")
        one.window.open(one.at.address)
        one.window.click("a.go")
        said = one.window.click("button[value=maintainer]")
        assert one.window.address.rstrip("/") == one.at.address.rstrip("/")
        assert "acme/parcel" in said
        assert "100%" in said

    asyncio.run(visited(tmp_path, monkeypatch, visit))
