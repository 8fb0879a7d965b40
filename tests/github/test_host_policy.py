import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hosted import Scene, scene

from bot.errors import HostDown, HostLimited, HostRefused
from bot.github import RequestPace
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.github import Fault

COMMENT = r"/issues/1/comments$"


def calm(**changes: float) -> RequestPace:
    """Return a pace without pauses between writes and attempts."""
    return RequestPace(**{"between": 0, "backoff": 0, **changes})  # type: ignore[arg-type] - seconds


@pytest.mark.parametrize("fault", [Fault(500), Fault(502), Fault(drop=True)], ids=lambda f: str(f.status))
async def test_failed_read_is_retried(at: Scene, fault: Fault) -> None:
    """One or two failures of GitHub are hidden by retries."""
    at.gh.fail("GET", r"/pulls/1$", replace(fault, times=2))

    assert (await at.host.facts()).title == "A change"


@pytest.mark.parametrize(
    "fault",
    [Fault(502), Fault(502, after=True), Fault(500, after=True), Fault(drop=True, after=True)],
    ids=lambda f: f"{f.status}-{f.after}",
)
async def test_failed_write_is_never_blindly_repeated(at: Scene, fault: Fault) -> None:
    """Because the comment may have been stored, only one request is sent."""
    at.gh.fail("POST", COMMENT, fault)
    with pytest.raises(HostDown):
        await at.host.comment("hello")

    assert len(at.stands.comments) == fault.after


async def test_lost_write_is_repeated_only_if_it_was_not_stored(at: Scene) -> None:
    """`write_once` checks whether a write was stored after a lost response, and repeats it only if not."""

    async def find(body: str) -> object:
        return next((one for one in await at.host.comments() if one.body == body), None)

    for body, fault in (("stored", Fault(502, after=True)), ("lost", Fault(502))):
        at.gh.fail("POST", COMMENT, fault)
        found = await at.host.write_once(partial(find, body), partial(at.host.comment, body))
        assert found is not None
    at.gh.fail("POST", COMMENT, Fault(502, times=-1))
    with pytest.raises(HostDown):
        await at.host.write_once(partial(find, "never"), partial(at.host.comment, "never"))

    assert [one.body for one in at.stands.comments] == ["stored", "lost"]


@pytest.mark.parametrize("status", [403, 429])
async def test_secondary_limit_with_a_time_is_waited_out(at: Scene, status: int) -> None:
    """Nothing was stored, so the request is repeated after the time that GitHub names."""
    at.gh.fail("POST", COMMENT, sandbox.secondary(0, status=status))
    await at.host.comment("hello")

    assert [one.body for one in at.stands.comments] == ["hello"]


async def test_secondary_limit_without_a_time_waits_a_minute_and_doubles(tmp_path: Path) -> None:
    """A job that cannot wait that long is told how long to sleep; the next limit in a row is doubled."""
    async with scene(tmp_path, pace=calm(patience=0.5)) as at:
        at.gh.fail("POST", COMMENT, sandbox.secondary())
        with pytest.raises(HostLimited, match="secondary rate limit") as limit:
            await at.host.comment("hello")

        assert limit.value.retry_after == 60
        assert at.pace.note_limit(at.pull.installation, None) == 120


async def test_primary_limit_blocks_the_installation_until_its_reset(at: Scene) -> None:
    """The wait lasts until the reset, and all jobs of this installation wait without sending requests."""
    at.gh.fail("GET", r"/pulls/1$", sandbox.primary(time.time() + 1800))
    with pytest.raises(HostLimited) as limit:
        await at.host.facts()
    before = len(at.gh.requests)
    with pytest.raises(HostLimited) as other:
        await at.host.comment("hello")

    assert 1700 < limit.value.retry_after < 1802
    assert 1700 < other.value.retry_after < 1802
    assert len(at.gh.requests) == before


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (Fault(403), "an owner has to accept its permissions"),
        (Fault(403, message="Forbidden"), "with 403: “Forbidden”"),
        (Fault(422), "with 422: “Validation Failed”"),
        (Fault(410), "it was deleted"),
    ],
)
async def test_refusals_are_final_and_give_the_reason(at: Scene, fault: Fault, says: str) -> None:
    """There is one request, and the error has the reason and the status."""
    at.gh.fail("POST", COMMENT, fault)
    with pytest.raises(HostRefused, match=says) as refused:
        await at.host.comment("hello")

    assert refused.value.status == fault.status
    assert len([seen for seen in at.gh.requests if seen.path.endswith("/issues/1/comments")]) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_write_follows_only_a_redirect_to_the_repository_id(at: Scene, status: int) -> None:
    """A redirect to the repository's ID on this API is followed; another path, host or status is refused."""
    by_id = f"{at.gh.api}/repositories/{at.repo.id}/issues/1/comments"
    for where in (by_id.replace("/repositories/", "/repos/"), by_id.replace("127.0.0.1", "127.0.0.2"), by_id):
        at.gh.fail("POST", r"/repos/.*/comments$", Fault(status, headers={"location": where}))
        if where == by_id and status != 302:
            await at.host.comment("hello")
            continue
        with pytest.raises(HostRefused, match="the address has moved"):
            await at.host.comment("hello")
    assert [one.body for one in at.stands.comments] == ["hello"] * (status != 302)
