"""Consumers named in a workflow: what the review reveals about them, and to whom."""

from typing import Any

import pytest
from opening import event, summary
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


async def user(at: Stage, more: str = "", *, private: bool = True, owner: str = "acme") -> sandbox.Repo:
    """Create a repository that uses the library."""
    files = USER | ({".deeprepo.yml": more} if more else {})
    return await at.gh.repository(owner, "quagga", files=files, private=private)


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
    ("shown", "own", "level"),
    [
        ("lines", "", "name"),
        ("existence", "lines", "existence"),
        ("lines", "nothing", "nothing"),
        ("lines", "nothin", "nothing"),  # a misspelled value counts as nothing
        ("lines", "lines\ntone: [", "nothing"),
    ],
)
@on_stage(LIBRARY)
async def test_stricter_of_workflow_and_consumer_settings_applies(at: Stage, shown: str, own: str, level: str) -> None:
    """The stricter of `consumers-shown` and `as_consumer` counts; after a mistake nothing is shown."""
    number, body = await pulled(at)
    repo = await user(at, f"as_consumer: {own}\n" if own else "")
    token = at.gh.token(READS, (repo.id,))
    await reviewed(at, body, consumers="acme/quagga\n", consumers_token=token, consumers_shown=shown)
    text, posted = everything(at, number), summary(at.gh, number)
    assert ("acme/quagga" in text) == (level == "name")
    assert not any(word in text for word in PRIVATE)
    assert ("still uses the old version" in text) == (level in ("name", "existence"))
    assert ("repositories that use this one" in posted or "known to use this one. This change" in posted) == (
        level != "nothing"
    )
    assert token not in text


@on_stage(LIBRARY)
async def test_public_consumer_is_read_without_a_token(at: Stage) -> None:
    """Lines of a public repository are shown, even if it has another owner."""
    number, body = await pulled(at)
    await user(at, private=False, owner="others")
    review = await reviewed(at, body, consumers="others/quagga\nacme/shop")
    assert [one.consumer for one in (row.finding for row in review.reported)] == ["others/quagga"]
    assert "others/quagga:zanzibar/checkout.py" in summary(at.gh, number)
    assert [one.name for one in review.consumers] == ["others/quagga"]


@on_stage(LIBRARY)
async def test_public_repository_never_names_a_private_consumer(at: Stage) -> None:
    """Private consumers stay unnamed whatever is allowed, and a stranger's change looks up none."""
    at.repo.repository.private = False
    repo = await user(at, "as_consumer: lines\n")
    given = {"consumers": "acme/quagga", "consumers_token": at.gh.token(READS, (repo.id,)), "consumers_shown": "lines"}
    number, body = await pulled(at)
    await reviewed(at, body, **given)
    text = everything(at, number)
    assert "a repository that you may not be able to see" in text
    assert not [word for word in ("quagga", *PRIVATE) if word in text]
    with at.gh.holding() as held:
        await at.repo.commit("strange", BROKEN)
        other = await at.repo.open_pull("strange", title="Prices", fork=True)
    review = await reviewed(at, event(held), **given)
    assert (review.consumers, [row.finding.consumer for row in review.reported if row.finding.consumer]) == ((), [])
    assert "that you may not be able to see" not in summary(at.gh, other)
