"""Every story that ends in a failed check, with one odd answer of GitHub at each of its requests in turn: it ends the same.

What GitHub may answer instead: a refusal, an empty list, an empty object, data of GraphQL that is null beside an error.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import histories
import pytest
from families import few
from test_whole_refusals import BAR, ENFORCED, Shown, newest
from whole import BROKEN, WORSE, Whole, whole

from deeprepo_sandbox.github import Fault, hooks, payloads

FAILED = ("completed", "failure")
TOKEN = "ghp_" + "Jd83kQpXw71LmZt5RvYb20NcHsAeGu4KfTi9"
LEAK = {"conf.py": f'KEY = "{TOKEN}"\n'}
NEWS, OLD = {"NEWS.md": "hello\n"}, {"README.md": "# old\n"}
Arm = Callable[[], None]
Story = Callable[[Whole, Arm], Awaitable[Shown]]


@dataclass(frozen=True, slots=True)
class Answer(Fault):
    """Something with the status 200 that is not what was asked for."""

    json: object = None

    def body(self) -> object:  # type: ignore[override]
        """What GitHub says."""
        return self.json


ALL = r"^(?!.*(access_tokens|installation/token))"  # tokens apart: those of git and of the App itself
REST = r"^(?!.*(access_tokens|installation/token|/graphql|\.git/))"
GONE = {
    "type": "NOT_FOUND",
    "path": ["repository"],
    "message": "Could not resolve to a Repository with the name 'acme/shop'.",
}
FAILS = {
    "message": "Something went wrong while executing your query. Please include `AB12:34` when reporting this issue."
}
ANSWERS: Mapping[str, tuple[str, Fault]] = {
    "404": (ALL, Fault(404)),
    "403": (ALL, Fault(403)),
    "422": (ALL, Fault(422)),
    "an empty list": (REST, Answer(200, json=[])),
    "an empty object": (REST, Answer(200, json={})),
    "no data": (r"/graphql$", Answer(200, json={"data": None, "errors": [FAILS]})),
    "no repository": (r"/graphql$", Answer(200, json={"data": {"repository": None}, "errors": [GONE]})),
}


def of_commit(at: Whole, sha: str) -> Shown:
    """The newest check run of a commit, whosever it is."""
    one = max((check for check in at.repo.repository.checks.values() if check.head == sha), key=lambda check: check.id)
    return one.status, one.conclusion


async def failed(at: Whole, *, fork: bool = True, **how: object) -> int:
    """A stranger's pull request whose check fails at the owner's bar."""
    await at.repo.commit("main", BAR)
    number = await at.reviewed(fork=fork, author="stranger", **how)
    assert newest(at, number) == FAILED
    return number


async def takes_a_secret_back(at: Whole, arm: Arm) -> Shown:
    """By a rewritten branch."""
    number = await failed(at, files=LEAK)
    arm()
    await at.repo.force_push("feature", NEWS, author="stranger")
    await at.quiet()
    return newest(at, number)


async def takes_a_secret_back_while_closed(at: Whole, arm: Arm) -> Shown:
    """The push comes between closing and opening again."""
    number = await failed(at, fork=False, files=LEAK)
    arm()
    await at.repo.close(number, by="stranger")
    await at.repo.force_push("feature", NEWS, author="stranger")
    await at.repo.reopen(number, by="stranger")
    await at.quiet()
    return newest(at, number)


async def takes_a_secret_back_before_anybody_looks(at: Whole, arm: Arm) -> Shown:
    """In a later commit of the same push."""
    await at.repo.commit("main", BAR)
    await at.repo.commit("feature", LEAK)
    await at.repo.commit("feature", {"conf.py": 'KEY = ""\n', **NEWS})
    arm()
    number = await at.repo.open_pull("feature", title="News", fork=True, author="stranger")
    await at.quiet()
    return newest(at, number)


async def pushes_beside_the_finding(at: Whole, arm: Arm) -> Shown:
    """It is of an earlier round."""
    number = await failed(at, files=WORSE)
    arm()
    await at.repo.push("feature", NEWS, author="stranger")
    await at.quiet()
    return newest(at, number)


async def argues(at: Whole, arm: Arm) -> Shown:
    """A stranger's words and their resolved thread, and a push after them."""
    number = await failed(at, files=WORSE)
    first = at.gh.pull(number).review_comments[0].id
    arm()
    await at.repo.reply(number, first, "/deeprepo dismiss it is a false positive", author="stranger")
    at.repo.resolve(number, first)
    await at.repo.comment(number, "/deeprepo review", author="stranger")
    await at.quiet()
    await at.repo.push("feature", NEWS, author="stranger")
    await at.quiet()
    return newest(at, number)


async def opens_again(at: Whole, arm: Arm) -> Shown:
    """A closed one."""
    number = await failed(at)
    arm()
    await at.repo.close(number, by="stranger")
    await at.repo.reopen(number, by="stranger")
    await at.quiet()
    return newest(at, number)


async def makes_a_draft_of_it(at: Whole, arm: Arm) -> Shown:
    """And makes it ready again."""
    number = await failed(at)
    arm()
    await at.repo.set_draft(number, True, by="stranger")  # noqa: FBT003 - of the sandbox
    await at.repo.set_draft(number, False, by="stranger")  # noqa: FBT003
    await at.quiet()
    return newest(at, number)


async def is_asked_again(at: Whole, arm: Arm) -> Shown:
    """A person presses "Re-run"."""
    number = await failed(at)
    arm()
    await at.repo.rerequest(max(check.id for check in at.gh.pull(number).checks))
    await at.quiet()
    return newest(at, number)


async def changes_its_base(at: Whole, arm: Arm) -> Shown:
    """From a branch without a bar to one that has it."""
    await at.repo.commit("v1", OLD)
    await at.repo.commit("main", BAR)
    number = await at.reviewed(base="v1", fork=True, author="stranger")
    arm()
    await at.repo.retarget(number, "main", by="stranger")
    await at.quiet()
    return newest(at, number)


async def opens_a_second_one(at: Whole, arm: Arm) -> Shown:
    """Of the same head, against a branch without a bar."""
    await at.repo.commit("v1", OLD)
    await at.repo.commit("main", BAR)
    await at.reviewed()
    arm()
    two = await at.repo.open_pull("feature", base="v1", title="The same head", author="stranger")
    await at.quiet()
    return newest(at, two)


async def chooses_an_old_base(at: Whole, arm: Arm) -> Shown:
    """Whose settings the default branch bounds."""
    await at.repo.commit("release/1", OLD)
    await at.repo.commit("main", ENFORCED)
    arm()
    return newest(at, await at.reviewed(fork=True, author="stranger", base="release/1"))


async def belongs_to_an_organization(at: Whole, arm: Arm) -> Shown:
    """Whose defaults have the bar."""
    await at.gh.repository("acme", ".deeprepo", files=ENFORCED, private=True)
    arm()
    return newest(at, await at.reviewed(fork=True, author="stranger"))


async def has_several_merge_bases(at: Whole, arm: Arm) -> Shown:
    """Of which GitHub names one."""
    await at.repo.commit("main", {".deeprepo.yml": "fail_on: critical\n", **histories.OLD})
    await asyncio.to_thread(histories.draw, at.repo.repository.git, histories.SEVERAL_BASES["crossed"])
    arm()
    number = await at.repo.open_pull("feature", title="News", fork=True, author="stranger")
    await at.quiet()
    return newest(at, number)


async def meets_a_later_bar(at: Whole, arm: Arm) -> Shown:
    """That came to the base branch after its review."""
    number = await at.reviewed(fork=True, author="stranger")
    arm()
    await at.repo.push("main", BAR)
    await at.quiet()
    await at.repo.close(number, by="stranger")
    await at.repo.reopen(number, by="stranger")
    await at.quiet()
    return newest(at, number)


async def is_queued(at: Whole, arm: Arm) -> Shown:
    """After its review."""
    await at.repo.commit("main", BAR)
    await at.reviewed()
    sha = await at.repo.commit("gh-readonly-queue/main/pr-1", BROKEN, "Merge pull request #1")
    arm()
    await at.repo.merge_group(sha, "a" * 40)
    await at.quiet()
    return of_commit(at, sha)


async def is_queued_unreviewed(at: Whole, arm: Arm) -> Shown:
    """Nobody has heard of it."""
    tip = await at.repo.commit("main", BAR)
    with at.gh.holding():
        number = await at.opened(draft=True)
    sha = await at.repo.commit(f"gh-readonly-queue/main/pr-{number}", BROKEN, "Merge")
    arm()
    await at.repo.merge_group(sha, tip)
    await at.quiet()
    return of_commit(at, sha)


async def is_queued_under_another_name(at: Whole, arm: Arm) -> Shown:
    """The settings of the commit that the queue builds upon count, not its own."""
    tip = await at.repo.commit("main", BAR)
    sha = await at.repo.commit("batch-1", {**BROKEN, ".deeprepo.yml": "quota: 4\n"}, "Merge several")
    facts = payloads.merge_group(at.gh.world, at.repo.repository, sha, tip)
    facts["merge_group"]["head_ref"] = "refs/heads/gh-readonly-queue/main/batch-1"
    arm()
    who = at.gh.world.user("maintainer")
    await hooks.send(at.gh.world, at.repo.repository, "merge_group", "checks_requested", facts, who)
    await at.quiet()
    return of_commit(at, sha)


STORIES: Mapping[Story, int] = {  # each with the requests that it makes after it is armed, at least
    takes_a_secret_back: 28,
    takes_a_secret_back_while_closed: 28,
    takes_a_secret_back_before_anybody_looks: 28,
    pushes_beside_the_finding: 28,
    argues: 28,
    opens_again: 8,
    makes_a_draft_of_it: 8,
    is_asked_again: 26,
    changes_its_base: 30,
    opens_a_second_one: 30,
    chooses_an_old_base: 28,
    belongs_to_an_organization: 28,
    has_several_merge_bases: 28,
    meets_a_later_bar: 8,
    is_queued: 10,
    is_queued_unreviewed: 14,
    is_queued_under_another_name: 8,
}


# Every fifth request of each story, and another answer each time. All of them, each with every answer: some 2,000 runs.
WALK = [
    (story, place, name)
    for at, (story, count) in enumerate(STORIES.items())
    for place in range(at % 5, count, 5)
    for name in [[*ANSWERS][(place // 5 + at) % len(ANSWERS)]]
]


@pytest.mark.parametrize(("story", "place", "name"), few(WALK, 3, 40, 70))
def test_one_odd_answer_makes_no_check_better(tmp_path: Path, story: Story, place: int, name: str) -> None:
    """Whatever the request, and whatever comes in the place of its answer: the check fails as it does without."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            path, fault = ANSWERS[name]
            ending = await story(at, lambda: at.gh.fail("*", path, replace(fault, skip=place)))
            assert ending == FAILED

    asyncio.run(go())
