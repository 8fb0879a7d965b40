"""A change in a local repository: what the user typed, resolved to object ids."""

import os
import shutil
from pathlib import Path

from bot.checkout import git
from bot.config import hook
from bot.errors import GitError, RevisionError
from bot.values import PullRequest, ReviewRequest

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
MOST_TITLES = 50  # of a range, newest first
DEFAULT_BRANCHES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")


async def pull(request: ReviewRequest, scratch: str) -> PullRequest:
    """Resolve the request. Objects of staged or uncommitted work are written below `scratch`, never into the repository.

    Raises RevisionError with a sentence that says what to do.
    """
    where = await _locate(request.repo)
    if request.scope == "range":
        return await _range(request, where)
    return await _worktree(request, where, scratch)


async def _locate(repo: str) -> tuple[str, str | None]:
    """The git folder and the top of the work tree (None in a bare repository), both absolute."""
    if not os.path.isdir(repo):  # noqa: PTH112, ASYNC240 - one look at the local disk
        raise RevisionError(f"{repo} is not a folder: give the path of a git checkout with --repo")
    asked = await git.run("rev-parse", "--absolute-git-dir", "--is-bare-repository", cwd=repo)
    if asked.status:
        if "dubious ownership" in asked.err:
            raise RevisionError(
                f"git refuses {repo}: it belongs to another user (git config --global --add safe.directory)"
            )
        raise RevisionError(f"{repo} is not a git repository: run deeprepo inside a checkout, or name one with --repo")
    git_dir, bare = os.fsdecode(asked.out).split("\n")[:2]
    if bare == "true":
        return git_dir, None
    top = await git.run("rev-parse", "--show-toplevel", cwd=repo)
    return git_dir, os.fsdecode(top.out).rstrip("\n") if top.status == 0 else None


async def _commit(git_dir: str, revision: str) -> str | None:
    """The id of a commit, None where there is none of that name. `--end-of-options`: a name may begin with a dash."""
    done = await git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", cwd=git_dir)
    return done.out.decode().strip() if done.status == 0 else None


async def _known(git_dir: str, revision: str) -> str:
    found = await _commit(git_dir, revision)
    if found:
        return found
    if revision == "HEAD":
        raise RevisionError("this branch has no commit yet: commit something, or use --staged or --uncommitted")
    if await _shallow(git_dir):
        raise RevisionError(
            f"unknown revision {revision!r}: this clone is shallow, `git fetch --unshallow` brings the rest of its history"
        )
    raise RevisionError(f"unknown revision {revision!r}: `git branch -a` and `git log` list what there is")


async def _shallow(git_dir: str) -> bool:
    return (await git.run("rev-parse", "--is-shallow-repository", cwd=git_dir)).out.strip() == b"true"


async def _range(request: ReviewRequest, where: tuple[str, str | None]) -> PullRequest:
    git_dir, _ = where
    head_name = request.head or "HEAD"
    head = await _known(git_dir, head_name)
    base_name, tip = (request.base, "") if request.base else await _default_branch(git_dir, head)
    tip = tip or await _known(git_dir, base_name)
    base = await _merge_base(git_dir, tip, head, base_name, head_name)
    title, body = await _told(git_dir, base, head, head_name)
    return PullRequest(
        title=title,
        body=body,
        base=base,
        head=head,
        base_name=base_name,
        head_name=head_name if head_name != "HEAD" else head[:10],
        git_dir=git_dir,
        base_tip=tip,
    )


async def _told(git_dir: str, base: str, head: str, head_name: str) -> tuple[str, str]:
    """What the change is called and says of itself: its only commit's message, else its branch and the titles of its commits."""
    counted = int(await git.output("rev-list", "--count", f"{base}..{head}", cwd=git_dir))
    if counted < 2:  # noqa: PLR2004 - a single commit speaks for itself
        text = (await git.output("log", "-1", "--format=%B", head, cwd=git_dir)).decode("utf-8", "replace")
        title, _, body = text.partition("\n")
        return title.strip(), body.strip()
    listed = await git.output("log", f"-{MOST_TITLES}", "--format=%s", f"{base}..{head}", cwd=git_dir)
    branch = await git.run("rev-parse", "--abbrev-ref", "--end-of-options", head_name, cwd=git_dir)
    name = branch.out.decode("utf-8", "replace").strip().split("\n")[-1] if branch.status == 0 else ""
    title = f"{counted:,} commits"
    return (f"{name} ({title})" if name not in ("", "HEAD", "--end-of-options") else title), listed.decode(
        "utf-8", "replace"
    ).strip()


async def _default_branch(git_dir: str, head: str) -> tuple[str, str]:
    for name in DEFAULT_BRANCHES:
        found = await _commit(git_dir, f"refs/remotes/{name}" if "/" in name else f"refs/heads/{name}")
        if found:
            return name, found
    return "HEAD", head


async def _merge_base(git_dir: str, base: str, head: str, base_name: str, head_name: str) -> str:
    done = await git.run("merge-base", base, head, cwd=git_dir)
    if done.status == 0:
        return done.out.decode().split("\n")[0].strip()
    if await _shallow(git_dir):
        raise RevisionError(
            f"this clone is shallow and holds no common ancestor of {base_name} and {head_name}: "
            "run `git fetch --unshallow` (or `git fetch --deepen=500`) and try again"
        )
    raise RevisionError(f"{base_name} and {head_name} have no common history: name the base with BASE..HEAD")


async def _worktree(request: ReviewRequest, where: tuple[str, str | None], scratch: str) -> PullRequest:
    """Staged or uncommitted work as a tree. The index is copied and new objects go to `scratch`."""
    git_dir, top = where
    if top is None:
        raise RevisionError("a bare repository has no staged or uncommitted work: name commits with BASE..HEAD")
    base = await _commit(git_dir, request.base or "HEAD")
    objects, index = _copies(git_dir, top, scratch)
    store = os.fsdecode(await git.output("rev-parse", "--git-path", "objects", cwd=git_dir)).strip()
    env = {
        "GIT_DIR": git_dir,
        "GIT_WORK_TREE": top,
        "GIT_INDEX_FILE": index,
        "GIT_OBJECT_DIRECTORY": objects,
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(Path(git_dir) / store),
    }
    if request.scope == "uncommitted":
        await git.output("add", "-A", "--", ".", cwd=top, env=env)
    written = await git.run("write-tree", cwd=top, env=env)
    if written.status:
        raise GitError(f"the index cannot be read as a tree, a merge may be in progress: {written.err[:200]}")
    what = "staged changes" if request.scope == "staged" else "uncommitted changes"
    return PullRequest(
        title=what.capitalize(),
        body="",
        base=base or EMPTY_TREE,
        head=written.out.decode().strip(),
        base_name=(request.base or "HEAD") if base else "an empty tree",
        head_name=what,
        git_dir=git_dir,
        object_dir=objects,
        base_tip=base or EMPTY_TREE,
    )


def _copies(git_dir: str, top: str, scratch: str) -> tuple[str, str]:
    """A folder for new objects and a copy of the index, so that nothing in the repository changes."""
    objects, index = Path(scratch, "objects"), Path(scratch, "index")
    own = Path(top, hook.index() or Path(git_dir, "index"))  # where we are started as a hook, git names it
    objects.mkdir(exist_ok=True)
    if own.exists():  # there is none on an unborn branch: git starts a new one
        shutil.copyfile(own, index)
    return str(objects), str(index)
