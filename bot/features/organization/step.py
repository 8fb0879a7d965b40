"""Read an organization's default settings in a GitHub Actions step."""

from contextlib import AbstractAsyncContextManager

from bot import config
from bot.action.console import Console
from bot.config import Settings, Step
from bot.errors import HostRefused
from bot.features.organization.files import OrganizationFiles, repository_name
from bot.features.organization.values import OrganizationFile
from bot.github import Host, apps
from bot.github.client import GitHubClient

NO_SUCH_FILE = "`organization-token` cannot find the file. It needs read access to contents"


async def shared_files(
    host: Host, repository: str, step: Step, settings: Settings, console: Console, *, is_private: bool
) -> tuple[OrganizationFile, ...]:
    """Return the owner's file. If the tokens cannot read it, the log says so."""
    token, name = step.inputs.organization_token, repository_name(settings)

    def open_private(_: str) -> AbstractAsyncContextManager[GitHubClient]:
        return apps.open_with_token(token or step.inputs.github_token, step.runner.github_api_url, host.client.pace)

    file = None
    try:
        file = await OrganizationFiles(name).read(
            host, repository, open_private if token else None, is_private=is_private
        )
    except HostRefused as refusal:
        if token is None or not refusal.is_gone:
            raise
    place = f"{repository.partition('/')[0]}/{name}"
    if file is None and token is not None and repository.lower() != place.lower():
        return (OrganizationFile(place, problem=NO_SUCH_FILE),)
    if file is None and token is None:
        console.say(
            f"This token cannot find {config.FILE} in {place}. If that repository is private, set `organization-token` to a token that can read it."
        )
    return () if file is None else (file,)
