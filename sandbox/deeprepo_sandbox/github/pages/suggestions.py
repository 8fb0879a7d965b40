"""A suggestion in a comment on lines, committed by a click as at GitHub."""

import re

from deeprepo_sandbox.github.bodies.comments import place
from deeprepo_sandbox.github.bodies.commits import blob
from deeprepo_sandbox.github.repo import Repo
from deeprepo_sandbox.github.things import Pull, ReviewComment

BLOCK = re.compile(r"^(`{3,})suggestion[^\n]*\n(.*?)^\1", re.DOTALL | re.MULTILINE)


async def ready(pull: Pull, top: ReviewComment) -> bool:
    """Whether there is something to commit: a suggestion for lines that are still in the diff."""
    return top.side == "RIGHT" and bool(BLOCK.search(top.body)) and (await place(pull, top))[0] is not None


async def commit(repo: Repo, pull: Pull, comment: int, who: str) -> None:
    """Push the file with the suggested lines in place of those that the comment is about."""
    top = next((one for one in pull.review_comments if one.id == comment), None)
    found = BLOCK.search(top.body) if top is not None else None
    line, start = await place(pull, top) if top is not None else (None, None)
    data = await blob(pull.source.git, pull.head_sha, top.path) if top is not None else None
    if top is None or found is None or line is None or data is None:
        return
    lines = data.decode(errors="replace").replace("\r\n", "\n").split("\n")
    lines[(start or line) - 1 : line] = found[2].split("\n")[:-1]
    await repo.push(pull.head, {top.path: "\n".join(lines)}, f"Apply a suggestion to {top.path}", author=who)
