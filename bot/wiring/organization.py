"""Read an organization's default settings on this machine, from the clone in DEEPREPO_ORGANIZATION."""

from pathlib import Path

from bot import checkout, config
from bot.checkout import Checkout
from bot.errors import DeepRepoError
from bot.values import PullRequest
from bot.values.shared_file import SharedFile


async def cloned_defaults(pull: PullRequest, location: str, scratch: str) -> tuple[SharedFile, ...]:
    """Return the file at the clone's HEAD. If it cannot be read, `problem` is set.

    Returns nothing if the clone belongs to another owner or is the repository under review.
    """
    folder = str(Path(location).expanduser())  # noqa: ASYNC240 - does not access the disk
    name = Path(folder).name or folder
    try:
        clone = await checkout.clone(folder, scratch)
        names = clone.name, await checkout.origin_name(pull.git_dir)
        owners = {name.partition("/")[0].lower() for name in names if "/" in name}
        if clone.pull.git_dir == pull.git_dir or len(owners) > 1:
            return ()
        async with Checkout(clone.pull) as tree:
            data = await tree.settings_at_tip(config.FILE)
    except DeepRepoError as error:
        return (SharedFile(name, problem=f"DEEPREPO_ORGANIZATION: {error}"),)
    if data is None:
        why = f"DEEPREPO_ORGANIZATION: the HEAD of {folder} has no such file"
        return (SharedFile(clone.name, problem=why),)
    return (SharedFile(clone.name, data),)
