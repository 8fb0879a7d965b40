"""Read an organization's settings file from GitHub: access rights, caching and failures."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from hosted import Scene, scene

from bot import github
from bot.errors import HostDown
from bot.github.client import GitHubClient
from bot.github.policy import FRESH_SECONDS, Recent
from bot.values.shared_file import SharedFile
from bot.workflow.organization import OrganizationFiles
from deeprepo_sandbox import github as sandbox

FILE = {".deeprepo.yml": "quota: 1\n"}


class Reader:
    """Read the file as a server does, with `now` as the clock."""

    def __init__(self, at: Scene, name: str = ".deeprepo") -> None:
        self.at, self.now = at, 0.0
        self.files = OrganizationFiles(name, Recent(lambda: self.now))

    async def read(self, repository: str = "acme/shop", *, is_private: bool = True) -> SharedFile | None:
        return await self.files.read(self.at.host, repository, self._inside, is_private=is_private)

    def _inside(self, name: str) -> AbstractAsyncContextManager[GitHubClient]:
        return github.open_installation(
            self.at.identity, self.at.gh.installation, github.READ_CONTENTS, self.at.pace, name
        )


@pytest.fixture
def at(tmp_path: Path) -> AbstractAsyncContextManager[Scene]:
    """A fresh sandbox GitHub, open during the test."""
    return scene(tmp_path)


@pytest.mark.parametrize("private", [True, False])
async def test_file_is_cached_for_a_minute(at: Scene, private: bool) -> None:
    """A private file is read with a read-only token for its repository. Changes are seen after a minute."""
    repo = await at.gh.repository("acme", ".deeprepo", files=FILE, private=private)
    reader = Reader(at)
    assert await reader.read() == SharedFile("acme/.deeprepo", b"quota: 1\n")
    await repo.push("main", {".deeprepo.yml": "quota: 2\n"})
    asked = len(at.gh.requests)
    reader.now = FRESH_SECONDS - 1
    assert (await reader.read() or SharedFile("")).text == b"quota: 1\n"
    assert len(at.gh.requests) == asked
    reader.now = FRESH_SECONDS
    assert (await reader.read() or SharedFile("")).text == b"quota: 2\n"
    minted = [seen.body for seen in at.gh.requests if seen.path.endswith("access_tokens")]
    named = [body for body in minted if "repositories" in (body or {})]
    assert bool(named) == private
    for body in named:
        assert body == {"repositories": [".deeprepo"], "permissions": {"contents": "read"}}


async def test_private_file_is_not_shown_in_a_public_repository(at: Scene) -> None:
    """A private file must not be shown where the public can see the review."""
    await at.gh.repository("acme", ".deeprepo", files=FILE, private=True)
    reader = Reader(at)
    seen = [await reader.read(is_private=is_private) for is_private in (True, False)]
    assert [one.is_shown for one in seen if one] == [True, False]


async def test_unreadable_organization_file_fails_the_review(at: Scene) -> None:
    """If the file can't be read, a threshold might be missed, so the review fails."""
    await at.gh.repository("acme", ".deeprepo", files=FILE, private=False)
    at.gh.fail("GET", r"/repos/acme/\.deeprepo", sandbox.Fault(status=502, times=-1))
    with pytest.raises(HostDown):
        await Reader(at).read()
