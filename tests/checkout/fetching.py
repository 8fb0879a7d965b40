"""Fetch a scene's change."""

from pathlib import Path

from hosted import Scene
from pydantic import SecretStr

from bot import github
from bot.checkout import remote
from bot.values import PullRequest
from bot.workflow import pull_state

REFS = r"shop\.git/info/refs$"


async def fetched(at: Scene, folder: Path, token: SecretStr | None = None, **limits: float) -> PullRequest:
    """Fetch the change as the workflow does."""
    bases = await pull_state.compare_refs(at.host, "main", at.stands.head_sha)
    url, head = github.git_url(at.identity.api, at.pull), at.stands.head_sha
    folder.mkdir()  # noqa: ASYNC240 - one folder on the local disk
    limits = {"backoff": 0.0, "depth": bases.ahead + 1, **limits}
    if token is None:
        async with github.open_readonly(at.identity, at.pull.installation, (at.pull.repository,), at.pace) as (
            _,
            minted,
        ):
            store = await remote.fetch(url, (bases.merge_base, head, bases.tip), minted, str(folder), **limits)  # type: ignore[arg-type]
    else:
        store = await remote.fetch(url, (bases.merge_base, head, bases.tip), token, str(folder), **limits)  # type: ignore[arg-type]
    missing = remote.missing_history(bases.ahead)
    return PullRequest(
        "", "", bases.merge_base, head, "main", "feature", store, base_tip=bases.tip, missing_history=missing
    )
