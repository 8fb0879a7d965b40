"""A clone that is there already: whether it holds all that a review reads, so that nothing need be fetched."""

import os
from collections.abc import Sequence
from pathlib import Path

from bot.checkout import git


async def held(folder: Path, commits: Sequence[str]) -> str | None:
    """The git folder of the clone in `folder`, None where there is none, or one that lacks commits, history or contents."""
    if not os.path.isdir(folder):  # noqa: PTH112, ASYNC240 - one look at the local disk
        return None
    asked = await git.run("rev-parse", "--absolute-git-dir", "--is-shallow-repository", cwd=str(folder))
    git_dir, _, shallow = os.fsdecode(asked.out).strip().rpartition("\n")
    if asked.status or shallow != "false":
        return None
    partial = await git.run("config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$", cwd=git_dir)
    if partial.status == 0:
        return None
    listed = await git.run("cat-file", "--batch-check", cwd=git_dir, stdin="\n".join([*commits, ""]).encode())
    rows = listed.out.decode("utf-8", "replace").splitlines()
    return git_dir if len(rows) == len(commits) and all(row.split()[1:2] == ["commit"] for row in rows) else None
