"""Consumers named in a workflow: what the review reveals about them, and to whom."""

from typing import Any

import pytest
from opening import event
from prices import BROKEN, LIBRARY, USER
from stepping import Stage, on_stage

from bot.values import Review
from deeprepo_sandbox import github as sandbox

PRIVATE = ("zanzibar", "77123", "checkout.py")  # names that a reader without access must not see
READS = {"contents": "read", "metadata": "read"}


async def pulled(at: Stage) -> tuple[int, dict[str, Any]]:
    """Open a pull request that breaks the library's users; return its number and the event."""
    await at.repo.commit("feature", BROKEN)
    with at.gh.holding() as held:
        number = await at.repo.open_pull("feature", title="Prices")
    return number, event(held)


async def user(at: Stage, more: str = "") -> sandbox.Repo:
    """Create a repository that uses the library."""
    files = USER | ({".deeprepo.yml": more} if more else {})
    return await at.gh.repository("acme", "quagga", files=files, private=True)


async def reviewed(at: Stage, body: dict[str, Any], **inputs: str) -> Review:
    """Run a review without a model, and return it."""
    result = await at.told("pull_request", body, strategy="offline", **inputs)
    assert result.review is not None
    return result.review


def everything(at: Stage, number: int) -> str:
    """Return all visible text: comments, check runs, the job summary and the log."""
    pull = at.gh.pull(number)
    checks = [repr(one) for one in at.gh.repo(number).repository.checks.values()]
    summaries = [path.read_text() for path in [at.folder / "summary"] if path.exists()]
    return "\n".join([repr(pull), *checks, *summaries, *at.rows])


@pytest.mark.parametrize(
    ("own", "is_shown"),
    [
        ("shown_to: [Acme/Shop]\n", True),
        ("shown_to: [acme/other]\n", False),
        ("", False),
        ("shown_to: [acme/shop]\ntone: [", False),  # nothing applies in a file that is not valid YAML
    ],
)
@on_stage(LIBRARY)
async def test_consumer_decides_whether_it_is_shown(at: Stage, own: str, *, is_shown: bool) -> None:
    """A private consumer's lines are shown only if its own settings allow the reviewed repository."""
    at.repo.repository.private = True
    number, body = await pulled(at)
    repo = await user(at, own)
    token = at.gh.token(READS, (repo.id,))
    await reviewed(at, body, consumers="acme/quagga\n", consumers_token=token)
    text = everything(at, number)
    assert ("acme/quagga:zanzibar/checkout.py" in text) == is_shown
    assert any(word in text for word in PRIVATE) == is_shown
    assert ("Listed repositories that this review may not show" in text) != is_shown
    assert token not in text


@on_stage(LIBRARY)
async def test_public_repository_never_shows_a_private_consumer(at: Stage) -> None:
    """Private consumers stay hidden whatever they allow, and a stranger's change fetches none."""
    at.repo.repository.private = False
    repo = await user(at, "shown_to: [acme/shop]\n")
    given = {"consumers": "acme/quagga", "consumers_token": at.gh.token(READS, (repo.id,))}
    number, body = await pulled(at)
    await reviewed(at, body, **given)
    assert not [word for word in PRIVATE if word in everything(at, number)]
    with at.gh.holding() as held:
        await at.repo.commit("strange", BROKEN)
        await at.repo.open_pull("strange", title="Prices", fork=True)
    review = await reviewed(at, event(held), **given)
    assert (review.consumers, [row.finding.consumer for row in review.reported if row.finding.consumer]) == ((), [])
