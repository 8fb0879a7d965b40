"""`/deeprepo fix` on a pull request makes one commit on the branch, or answers with a patch."""

import pytest
from whole import Whole

from deeprepo_sandbox.github import Fault, git


async def tip(at: Whole, branch: str = "feature") -> str:
    """Return a branch's newest commit."""
    found = await git.tip(at.repo.repository.git, branch)
    assert found is not None
    return found


async def test_broken_caller_is_fixed_in_one_commit(at: Whole) -> None:
    """The commit's parent is the reviewed head, it drops the argument, and the next review finds nothing."""
    number = await at.reviewed()
    before = await tip(at)
    reply = await at.said(number, "/deeprepo fix 1")
    after = await tip(at)
    assert after[:10] in reply
    assert "nothing new" in reply
    folder = at.repo.repository.git
    assert await git.commits(folder, before, after) == [after]
    text = await git.text(folder, "show", f"{after}:shop/cart.py")
    assert text.endswith("return total(items)")
    message = await git.text(folder, "show", "--no-patch", "--format=%B", after)
    assert message.startswith("Fix finding 1 from the review")
    assert at.gh.pull(number).checks[-1].conclusion == "success"


@pytest.mark.slow
async def test_fork_gets_a_patch_instead_of_a_commit(at: Whole) -> None:
    """The branch belongs to a stranger, so the maintainer gets a patch."""
    number = await at.reviewed(fork=True)
    reply = await at.said(number, "/deeprepo fix 1")
    assert "fork" in reply
    assert "+    return total(items)" in reply
    assert not any(one.operation.startswith("git/") for one in at.gh.requests)


@pytest.mark.slow
async def test_branch_that_moved_after_the_review_gets_no_commit(at: Whole) -> None:
    """The last review was of an older head: nothing is committed, and the answer names `/deeprepo review`."""
    number = await at.reviewed()
    await at.repo.comment(number, "/deeprepo pause", author="maintainer")
    await at.quiet()
    pushed = await at.pushed({"NEWS.md": "one\n"})
    reply = await at.said(number, "/deeprepo fix 1")
    assert "/deeprepo review" in reply
    assert await tip(at) == pushed


@pytest.mark.slow
async def test_lost_response_to_the_update_causes_no_second_commit(at: Whole) -> None:
    """GitHub drops the connection after moving the branch: the existing commit is recognized and reported."""
    number = await at.reviewed()
    before = await tip(at)
    at.gh.fail("PATCH", "/git/refs/", Fault(drop=True, after=True))
    reply = await at.said(number, "/deeprepo fix 1")
    assert (await tip(at))[:10] in reply
    assert len(await git.commits(at.repo.repository.git, before, await tip(at))) == 1


async def test_patch_never_shows_a_secret(at: Whole) -> None:
    """The patch would include a line with a token, so the answer says why there is no patch."""
    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA2"
    lines = f'from shop.price import total\n\nTOKEN = "{secret}"\n\ndef pay(items):\n    return total(items, 0.2)\n'

    await at.repo.commit("main", {"shop/cart.py": lines})
    number = await at.reviewed(fork=True)
    reply = await at.said(number, "/deeprepo fix 1")
    assert secret not in reply
    assert "contains a secret" in reply
