"""Read an organization's default settings in a workflow step."""

from contextlib import AbstractAsyncContextManager

from bot import config
from bot.action.console import Console
from bot.config import Settings
from bot.config.action import Step
from bot.errors import HostRefused
from bot.github import Host, apps
from bot.github.client import GitHubClient
from bot.values.shared_file import SharedFile
from bot.workflow.organization import OrganizationFiles, repository_name

NO_SUCH_FILE = "`organization-token` cannot find the file. It needs read access to contents"


async def shared_with_step(
    host: Host, repository: str, step: Step, settings: Settings, console: "Console", *, is_private: bool
) -> tuple[SharedFile, ...]:
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
        return (SharedFile(place, problem=NO_SUCH_FILE),)
    if file is None and token is None:
        console.say(
            f"This token cannot find {config.FILE} in {place}. If that repository is private, set `organization-token` to a token that can read it."
        )
    return () if file is None else (file,)
