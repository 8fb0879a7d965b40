"""A clone that is there already: whether it holds all that a review reads, so that nothing need be fetched."""

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bot.checkout import git, isolated
from bot.checkout.locate import locate
from bot.errors import RevisionError

PARTIAL = re.compile(
    r"extensions\.partialclone|remote\..*\.promisor", re.DOTALL
)  # settings of a clone without all contents


async def held(folder: Path, commits: Sequence[str]) -> str | None:
    """The git folder of the clone in `folder`, None where there is none, or one that lacks commits, history or contents."""
    try:
        place = locate(str(folder))
    except RevisionError:
        return None
    if isolated.shallow(place):
        return None
    settings = await isolated.local(place)
    if any(PARTIAL.fullmatch(name.lower()) for name, _ in settings):
        return None
    with tempfile.TemporaryDirectory(prefix="deeprepo-git-") as made:
        own = isolated.objects(place.common, Path(made, "own.git"), sha256=len(commits[0]) == isolated.SHA256_LENGTH)
        asked = "\n".join([*commits, ""]).encode()
        listed = await git.run("cat-file", "--batch-check", cwd=own, env=isolated.environment(own), stdin=asked)
    rows = listed.out.decode("utf-8", "replace").splitlines()
    whole = len(rows) == len(commits) and all(row.split()[1:2] == ["commit"] for row in rows)
    return place.git_dir if whole else None
