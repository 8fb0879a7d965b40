"""A clone that is there already: whether it holds all that a review reads, so that nothing need be fetched."""

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bot.checkout import git, own_git_dir
from bot.checkout.locate import locate
from bot.errors import RevisionError

PARTIAL = re.compile(
    r"extensions\.partialclone|remote\..*\.promisor", re.DOTALL
)  # settings of a clone without all contents


async def existing_clone(folder: Path, commits: Sequence[str]) -> str | None:
    """The git folder of the clone in `folder`, None where there is none, or one that lacks commits, history or contents."""
    try:
        place = locate(str(folder))
    except RevisionError:
        return None
    if own_git_dir.shallow(place):
        return None
    settings = await own_git_dir.local(place)
    if any(PARTIAL.fullmatch(name.lower()) for name, _ in settings):
        return None
    with tempfile.TemporaryDirectory(prefix="deeprepo-git-") as folder_name:
        own = own_git_dir.objects(
            place.common, Path(folder_name, "own.git"), sha256=len(commits[0]) == own_git_dir.SHA256_LENGTH
        )
        names = "\n".join([*commits, ""]).encode()
        result = await git.run("cat-file", "--batch-check", cwd=own, env=own_git_dir.environment(own), stdin=names)
    rows = result.out.decode("utf-8", "replace").splitlines()
    whole = len(rows) == len(commits) and all(row.split()[1:2] == ["commit"] for row in rows)
    return place.git_dir if whole else None
