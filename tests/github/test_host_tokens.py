from pathlib import Path

import pytest
from hosted import Scene, scene
from pydantic import SecretStr

from bot import github
from bot.errors import ConfigError, HostRefused
from bot.github import Identity
from deeprepo_sandbox.github import keys


async def test_expired_token_is_replaced_and_the_request_repeated(at: Scene) -> None:
    """A 401 means that nothing was stored, so the request is repeated with a new token."""
    await at.host.facts()
    for token in at.gh.world.tokens.values():
        token.expires = at.gh.world.now()
    await at.host.comment("late")
    at.gh.revoke_tokens()
    await at.host.client.ask("minimize", id=(await at.host.comments())[0].node_id, why="OUTDATED")

    assert [(one.body, one.hide_reason) for one in at.stands.comments] == [("late", "outdated")]
    assert len([r for r in at.gh.requests if r.path.endswith("/access_tokens")]) == 3


async def test_tokens_are_limited_in_scope_and_revoked_after_use(tmp_path: Path) -> None:
    """One can post in one repository, one for git can only read; both are revoked after use."""
    async with scene(tmp_path) as at:
        await at.host.facts()
        async with github.open_readonly(at.identity, at.pull.installation, (at.pull.repository,), at.pace) as (
            _,
            token,
        ):
            git = at.gh.world.tokens[token.get_secret_value()]
        posting = next(iter(at.gh.world.tokens.values()))

        assert (git.permissions, git.repositories) == ({"contents": "read", "metadata": "read"}, {at.repo.id})
        assert posting.permissions["pull_requests"] == "write"
        assert posting.permissions["contents"] == "read"
        assert posting.repositories == {at.repo.id}
        assert token.get_secret_value() not in at.gh.world.tokens
        world = at.gh.world
    assert world.tokens == {}


async def test_token_has_only_granted_permissions(at: Scene) -> None:
    """The token has only granted permissions, and none that was not requested."""
    at.gh.grant(checks="read", contents="write")

    assert (await at.host.facts()).title == "A change"
    (token,) = at.gh.world.tokens.values()
    may = token.permissions
    assert (may["checks"], may["contents"], may["pull_requests"]) == ("read", "read", "write")


async def test_unusable_key_is_reported_without_showing_it(at: Scene) -> None:
    """A damaged key is a setting to correct, another App's key is refused, and no error shows a key."""
    for key, kind, says in (
        ("-----BEGIN NOTHING-----", ConfigError, "complete PEM file"),
        (keys.pair()[0], HostRefused, "the key or token was rejected"),
    ):
        wrong = Identity(at.gh.app_id, SecretStr(key), at.gh.api)
        with pytest.raises(kind, match=says) as error:
            async with github.open_pull(wrong, at.pull, at.pace):
                pass

        assert "BEGIN" not in f"{error.value}{error.value.__cause__}{wrong!r}"
