"""The defaults of an organization on the machine of a developer: a clone of its repository for them, which a variable names."""

from pathlib import Path

from bot import checkout, config
from bot.checkout.tree import Checkout
from bot.errors import DeepRepoError
from bot.values import OrganizationFile, PullRequest

VARIABLE = "DEEPREPO_ORGANIZATION"
MOST = 64_001  # characters: one more than are read, so that what is too long is refused


async def read_clone(pull: PullRequest, *, folder: str, scratch: str) -> OrganizationFile | None:
    """The defaults as the HEAD of the clone has them; None if the clone is another owner's, or the very repository under review.

    What cannot be read costs a sentence.
    """
    folder = str(Path(folder).expanduser())  # noqa: ASYNC240 - no look at the disk
    name = Path(folder).name or folder
    try:
        clone = await checkout.clone(folder, scratch)
        if clone.pull.git_dir == pull.git_dir:
            return None
        owners = {
            name.partition("/")[0].lower()
            for name in (clone.name, await checkout.origin_name(pull.git_dir))
            if "/" in name
        }
        if len(owners) > 1:
            return None
        async with Checkout(clone.pull) as tree:
            data = await tree.settings_at_tip(config.FILE)
    except DeepRepoError as error:
        return OrganizationFile(name, problem=f"{VARIABLE}: {error}")
    if data is None:
        return OrganizationFile(clone.name, problem=f"{VARIABLE}: the HEAD of {folder} has no such file")
    return OrganizationFile(clone.name, data.decode("utf-8", "replace")[:MOST])
