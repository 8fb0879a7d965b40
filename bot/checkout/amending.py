"""Create a tree that is a change's head with other contents for some files. The repository is not changed."""

import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from bot.checkout import git, own_git_dir
from bot.checkout.own_git_dir import paths_of
from bot.errors import UsageError
from bot.machine import files
from bot.values import PullRequest
from deeprepo.impact.text.paths import raw_name

REGULAR = (b"100644", b"100755")


async def modes(pull: PullRequest, paths: Iterable[str]) -> dict[str, str]:
    """Return the modes of these files at the head, such as "100644". Non-regular files are omitted."""
    with tempfile.TemporaryDirectory(prefix="deeprepo-git-") as folder:
        git_dir = own_git_dir.of_pull(pull, Path(folder, "own.git"))
        env = own_git_dir.environment(git_dir)
        modes_by_path = {path: await _mode(pull.head, path, git_dir, env) for path in paths}
    return {path: mode.decode() for path, mode in modes_by_path.items() if mode in REGULAR}


async def _mode(tree: str, path: str, git_dir: str, env: Mapping[str, str]) -> bytes:
    name = os.fsdecode(raw_name(path))
    row_text = await git.output("--literal-pathspecs", "ls-tree", "-z", tree, "--", name, cwd=git_dir, env=env)
    return row_text.partition(b" ")[0]


async def amend(pull: PullRequest, contents: Mapping[str, bytes], scratch: str) -> PullRequest:
    """Return the pull request with a head that has these contents.

    The objects are written below `scratch`. Raises UsageError if a path is not a regular file at the head.
    """
    files.folder(Path(scratch))
    folder = Path(tempfile.mkdtemp(prefix="amended-", suffix=".git", dir=scratch))
    git_dir = own_git_dir.of_pull(pull, folder)
    objects = pull.object_dir or str(Path(git_dir, "objects"))
    env = own_git_dir.environment(
        git_dir, {"GIT_INDEX_FILE": str(Path(git_dir, "index")), "GIT_OBJECT_DIRECTORY": objects}
    )
    if pull.object_dir:  # GIT_OBJECT_DIRECTORY is not our folder then, so its alternates don't apply
        env["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = str(Path(paths_of(pull.git_dir).common, "objects"))
    await git.output("read-tree", pull.head, cwd=git_dir, env=env)
    rows = []
    for path, content in sorted(contents.items()):
        mode = await _mode(pull.head, path, git_dir, env)
        if mode not in REGULAR:
            raise UsageError(f"{path} is not in the reviewed commit, so it was not changed")
        blob = await git.output("hash-object", "-w", "--no-filters", "--stdin", cwd=git_dir, env=env, stdin=content)
        rows.append(b"%s %s 0\t%s\0" % (mode, blob.strip(), raw_name(path)))
    await git.output("update-index", "-z", "--index-info", cwd=git_dir, env=env, stdin=b"".join(rows))
    tree = (await git.output("write-tree", "--missing-ok", cwd=git_dir, env=env)).decode().strip()
    return replace(pull, head=tree, object_dir=objects)
