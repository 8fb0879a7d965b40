"""Resolve a change in a local repository, as the user typed it, to object IDs, or explain why that is impossible."""

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bot.checkout import git, own_git_dir, worktree
from bot.checkout.own_git_dir import RepositoryPaths, locate
from bot.checkout.tree import Checkout
from bot.config.settings import hook_push
from bot.errors import GitError, NoCommitError, RevisionError, UsageError
from bot.machine import files
from bot.values import PullRequest, TypedChange
from bot.values.consumer import Clone

MAX_CONFLICTS = 5  # files with conflicts in an error message
MAX_TITLES = 50  # newest commits of a range whose titles are used
ORIGIN = re.compile(r"^(?:https?://|ssh://|git@)[^\s]*?[:/]([\w.-]+)/([\w.-]+?)(?:\.git)?/?$")
SURE_NAMES = ("main", "master")
USUAL_NAMES = (*SURE_NAMES, "trunk", "develop", "development", "devel", "dev", "default", "mainline")


@dataclass(frozen=True, slots=True)
class _OwnRepository:
    """A repository, and our own git folder in which its revisions are resolved."""

    place: RepositoryPaths
    own: str

    async def run(self, *arguments: str) -> git.GitResult:
        return await git.run(*arguments, cwd=self.own, env=own_git_dir.environment(self.own))


async def pull(request: TypedChange, scratch: str) -> PullRequest:
    """Resolve the requested change. Everything is written below `scratch`, never into the repository.

    Raises RevisionError with a message that says what to do.
    """
    repository = await _open(request.repo, scratch)
    if request.scope == "range":
        return await _range(request, repository)
    return await _worktree(request, repository)


async def is_checked_out(repo: str, revision: str, scratch: str) -> bool:
    """Return whether HEAD has the content of a commit. Raises RevisionError for an unknown commit."""
    repository = await _open(repo, scratch)
    commits = [await _resolve(repository, name) for name in ("HEAD", revision)]
    trees = {(await repository.run("rev-parse", "--verify", f"{commit}^{{tree}}")).out for commit in commits}
    return len(trees) == 1


async def clone(place: str, scratch: str) -> Clone:
    """Return a clone at HEAD, or at the revision after an "@" in `place`. Raises RevisionError."""
    path, revision = _split_revision(place)
    repository = await _open(path, scratch)
    found = repository.place
    commit = await _resolve(repository, revision or "HEAD")
    name = await _origin(found) or _folder(found)
    pull = PullRequest("", "", commit, commit, revision or "HEAD", revision or "HEAD", found.git_dir)
    day = await repository.run("log", "-1", "--format=%cs", commit)
    return Clone(name, pull, day=day.out.decode().strip())


async def origin_name(repo: str) -> str:
    """Return the "owner/name" in the URL of the remote `origin`, or ""."""
    return await _origin(locate(repo))


def _split_revision(place: str) -> tuple[str, str]:
    """Split FOLDER@REVISION. The revision is "" if there is none."""
    path, at, revision = place.rpartition("@")
    return (place, "") if not at or Path(place).is_dir() else (path, revision)


async def _origin(place: RepositoryPaths) -> str:
    """Return the "owner/name" in the URL of the remote `origin`, or ""."""
    settings = dict(await own_git_dir.local(place))
    match = ORIGIN.search(settings.get("remote.origin.url", ""))
    return f"{match[1]}/{match[2]}" if match else ""


def _folder(place: RepositoryPaths) -> str:
    """Return a name for a repository without an origin, from its folder."""
    folder = Path(place.top or place.common)
    named = next((part for part in (folder, *folder.parents) if part.name not in (".git", "repo", "")), folder)
    return re.sub(r"[^\w.+-]", "_", named.name.removesuffix(".git")) or "clone"


async def _open(repo: str, scratch: str) -> _OwnRepository:
    """Return the repository, with a new folder, because several requests can share a scratch folder at the same time."""
    place = locate(repo)
    files.folder(Path(scratch))
    folder = Path(tempfile.mkdtemp(prefix="revisions-", suffix=".git", dir=scratch))
    return _OwnRepository(place, await own_git_dir.revisions(place, folder))


async def _commit(repository: _OwnRepository, revision: str) -> str | None:
    # The revision may start with a dash.
    result = await repository.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    return result.out.decode().strip() if result.status == 0 else None


async def _resolve(repository: _OwnRepository, revision: str) -> str:
    commit = await _commit(repository, revision)
    if commit:
        return commit
    if revision == "HEAD":
        raise NoCommitError("this branch has no commits yet. Commit something, or use --staged or --uncommitted")
    if own_git_dir.shallow(repository.place):
        raise RevisionError(
            f"unknown revision {revision!r}: this clone is shallow. Run `git fetch --unshallow` to get the full history"
        )
    if not (await repository.run("cat-file", "-e", f"HEAD:{revision.rstrip('/')}")).status:
        raise RevisionError(
            f"{revision!r} is a file or folder, not a revision. Pass a range of commits, for example `main..HEAD`"
        )
    if await _commit(repository, f"refs/remotes/origin/{revision}"):
        raise RevisionError(f"unknown revision {revision!r}: did you mean origin/{revision}?")
    raise RevisionError(
        f"unknown revision {revision!r}. To list branches and commits, run `git branch -a` and `git log`"
    )


async def _range(request: TypedChange, repository: _OwnRepository) -> PullRequest:
    head_name = request.head or "HEAD"
    head = await _resolve(repository, head_name)
    base_name, tip = (request.base, "") if request.base else await _default_branch(repository, head)
    tip = tip or await _resolve(repository, base_name)
    base, *others = await _merge_bases(repository, tip, head, base_name, head_name)
    title, body = await _title_and_text(repository, base, head, head_name)
    missing_history = await _missing_history(repository, base, head)
    return PullRequest(
        title=title,
        body=body,
        base=base,
        head=head,
        base_name=base_name,
        head_name=head_name if head_name != "HEAD" else head[:10],
        git_dir=repository.place.git_dir,
        base_tip=tip,
        missing_history=missing_history,
        several_bases=bool(others) or (None if missing_history else False),
    )


async def _missing_history(repository: _OwnRepository, base: str, head: str) -> str:
    """Return why the repository may lack commits of the change, or "" if it has all of them."""
    cut_offs = own_git_dir.shallow_commits(repository.place)
    if not cut_offs:
        return ""
    commits = await repository.run("rev-list", f"{base}..{head}")
    is_cut = bool(commits.status) or not cut_offs.isdisjoint(commits.out.decode().split())
    return "this clone is shallow. Run `git fetch --unshallow` to get the full history" if is_cut else ""


async def _default_branch(repository: _OwnRepository, head: str) -> tuple[str, str]:
    """Return the name and the commit of the default branch. Raises RevisionError if there is none.

    This is the branch that a remote's HEAD refers to. Some clones don't have it, as after `git init`, `git
    remote add` and a fetch. Then the usual names are tried, and then the only branch if there is just one. In
    this case, a branch other than main and master does not count if it is checked out or contains `head`.
    Otherwise, a clone's only branch would be compared with itself, and an empty review would look like a
    successful one.
    """
    refs_output = await repository.run("for-each-ref", "--format=%(refname) %(objectname) %(symref) %(HEAD)", "refs")
    rows = [line.split(" ", 3) for line in os.fsdecode(refs_output.out).splitlines()]
    refs = {name: (commit, symref) for name, commit, symref, _ in rows}
    current = {name for name, _, _, mark in rows if mark == "*"}  # a local branch
    heads = sorted(name for name in refs if name.startswith("refs/remotes/") and name.endswith("/HEAD"))
    remotes = sorted(
        {name.split("/")[2] for name in refs if name.startswith("refs/remotes/")},
        key=lambda remote: (remote != "origin", remote),
    )
    branches = [name for name in refs if name.startswith("refs/remotes/") and name not in heads] or [
        name for name in refs if name.startswith("refs/heads/")
    ]
    remote_heads = [f"refs/remotes/{remote}/HEAD" for remote in remotes]
    guesses = [
        *(f"refs/remotes/{remote}/{name}" for remote in remotes for name in USUAL_NAMES),
        *(f"refs/heads/{name}" for name in USUAL_NAMES),
        *(branches if len(branches) == 1 else ()),
    ]
    for name in (ref for ref in (*remote_heads, *guesses) if ref in refs):
        commit, symref = refs[name]
        is_sure = name in remote_heads or _short(name) in SURE_NAMES
        if is_sure or (name not in current and not await _contains(repository, commit, head)):
            return (symref or name).removeprefix("refs/remotes/").removeprefix("refs/heads/"), commit
    is_unpushed = not any(name.startswith("refs/remotes/") for name in refs)
    raise RevisionError(
        "no default branch was found to compare HEAD with. Name the base branch, for example "
        + (
            "`deeprepo review BRANCH..HEAD` or `deeprepo review HEAD~1..HEAD`. Before the first push, the hook has no base; skip it with `git push --no-verify`"
            if is_unpushed
            else "`deeprepo review origin/BRANCH..HEAD`, after `git fetch origin BRANCH:refs/remotes/origin/BRANCH` if this clone does not have it"
        )
    )


def _short(ref: str) -> str:
    return ref.split("/", 3)[3] if ref.startswith("refs/remotes/") else ref.removeprefix("refs/heads/")


async def _contains(repository: _OwnRepository, commit: str, head: str) -> bool:
    return (await repository.run("merge-base", "--is-ancestor", head, commit)).status == 0


async def _title_and_text(repository: _OwnRepository, base: str, head: str, head_name: str) -> tuple[str, str]:
    """Return the change's title and body: its only commit's message, or its branch and commit titles."""
    commit_count = int((await repository.run("rev-list", "--count", f"{base}..{head}")).out or b"0")
    if commit_count < 2:  # noqa: PLR2004 - a single commit
        return await _message(repository, head)
    titles = await repository.run("log", f"-{MAX_TITLES}", "--format=%s", f"{base}..{head}")
    branch = await repository.run("rev-parse", "--abbrev-ref", "--end-of-options", head_name)
    name = branch.out.decode("utf-8", "replace").strip().split("\n")[-1] if branch.status == 0 else ""
    title = f"{commit_count:,} commits"
    label = f"{name} ({title})" if name not in ("", "HEAD", "--end-of-options") else title
    return label, titles.out.decode("utf-8", "replace").strip()


async def _message(repository: _OwnRepository, commit: str) -> tuple[str, str]:
    result = await repository.run("log", "-1", "--format=%s%x00%b", commit)
    title, _, body = result.out.decode("utf-8", "replace").partition("\0")
    return title.strip(), body.strip()


async def _merge_bases(repository: _OwnRepository, base: str, head: str, base_name: str, head_name: str) -> list[str]:
    """Return all merge bases, starting with the one that git uses. Raises RevisionError if there is none."""
    result = await repository.run("merge-base", "--all", base, head)
    if result.status == 0:
        return result.out.decode().split()
    if own_git_dir.shallow(repository.place):
        raise RevisionError(
            f"this clone is shallow and lacks the common ancestor of {base_name} and {head_name}. "
            "Run `git fetch --unshallow` (or `git fetch --deepen=500`) and try again"
        )
    raise RevisionError(f"{base_name} and {head_name} have no common history. Choose another base with BASE..HEAD")


async def _worktree(request: TypedChange, repository: _OwnRepository) -> PullRequest:
    """Return staged or uncommitted work as a change. The repository's index and objects are not modified."""
    place = repository.place
    if place.top is None:
        raise RevisionError("a bare repository has no staged or uncommitted work. Use a range BASE..HEAD")
    base = await _commit(repository, request.base or "HEAD")
    index = worktree.index(place, repository.own)
    withheld = await index.add_work_tree() if request.scope == "uncommitted" else ()
    unmerged = await index.run("ls-files", "--unmerged", "-z")  # `diff` would start filter programs
    if paths := sorted(
        {row.partition(b"\t")[2].decode("utf-8", "replace") for row in unmerged.out.split(b"\0") if row}
    ):
        more = f" and {len(paths) - MAX_CONFLICTS:,} more" if len(paths) > MAX_CONFLICTS else ""
        named = ", ".join(paths[:MAX_CONFLICTS])
        raise GitError(f"{named}{more}: resolve the merge conflicts, then run `git add`")
    tree = await index.run("write-tree", "--missing-ok")
    if tree.status:
        raise GitError("git cannot read the index. Run `git status`, and fix what it reports")
    what = "staged changes" if request.scope == "staged" else "uncommitted changes"
    head = tree.out.decode().strip()
    empty = own_git_dir.EMPTY_TREES["sha256" if len(head) == own_git_dir.SHA256_LENGTH else "sha1"]
    return PullRequest(
        title=what.capitalize(),
        body="",
        base=base or empty,
        head=head,
        base_name=(request.base or "HEAD") if base else "an empty tree",
        head_name=what,
        git_dir=place.git_dir,
        object_dir=str(Path(repository.own, "objects")),
        base_tip=base or empty,
        withheld=withheld,
    )


def typed_change(change: str | None, repo: str, *, staged: bool, uncommitted: bool) -> TypedChange:
    """Return the requested change. In a pre-push hook, this is what is being pushed by default.

    Raises UsageError if the arguments contradict each other.
    """
    if sum((staged, uncommitted, change is not None)) > 1:
        raise UsageError("use only one of BASE..HEAD, --staged and --uncommitted")
    if staged or uncommitted:
        return TypedChange(repo, "staged" if staged else "uncommitted")
    if change is None and (push := hook_push()) is not None:
        return TypedChange(repo, "range", push.base, push.head)
    base, dots, head = (change or "").replace("...", "..").partition("..")
    if change is not None and not dots and base.startswith("-"):
        raise UsageError(f"{change!r} is not a revision")
    return TypedChange(repo, "range", base or None, head or None)


def explain_empty(request: TypedChange, *, behind: bool) -> str:
    """Return a message that explains why a change is empty, and what to type instead.

    `behind`: the base has commits that the head lacks.
    """
    head, base = request.head or "HEAD", request.base
    if request.scope == "staged":
        return "Nothing to review: nothing is staged (use `git add`, or --uncommitted)."
    if request.scope != "range":
        return "Nothing to review: there are no uncommitted changes."
    if base and behind:
        return (
            f"Nothing to review: {head} has no commits that {base} does not have. To review the other direction, "
            f"run `deeprepo review {head}..{base}`."
        )
    if base and base == request.head:
        found = f"{head} is compared with itself"
    elif base:
        found = f"no file differs between {base} and {head}"
    else:
        found = f"{head} has no changes compared with the default branch (for uncommitted changes, add --uncommitted)"
    name = request.head or base or "HEAD"
    return (
        f"Nothing to review: {found}. To review only the last commit of {name}, run `deeprepo review {name}~1..{name}`."
    )


Origins = Iterable[tuple[str, str]]  # an option or variable, and its file, or a folder with journals
REMEDY = "so the author of the change could influence the review. Use a file outside the repository"


async def refuse_reviewed(tree: Checkout, origins: Origins) -> None:
    """Raise UsageError if the reviewed base or head contains one of the files, directly or through links."""
    inside = {(option, path) for option, name in origins for file in _files(Path(name)) for path in _below(file)}
    if not inside:
        return
    tracked_paths = {path.casefold() for side in ("base", "head") for path in await tree.entries(side)}
    for option, path in sorted(inside):
        if path.casefold() in tracked_paths:
            raise UsageError(f"{option}: {path} is part of the reviewed commit, {REMEDY}")


def _files(path: Path) -> Iterator[Path]:
    """Yield a file's absolute paths, with links resolved in different ways, and a folder's journals."""
    for each in (path, *path.glob("*.jsonl")):
        yield Path(os.path.abspath(each))  # noqa: PTH100 - a link keeps its name
        yield each.parent.resolve() / each.name
        yield each.resolve()


def _below(path: Path) -> Iterator[str]:
    """Yield the path relative to each work tree that contains it."""
    for folder in path.parents:
        if os.path.lexists(folder / ".git"):
            yield path.relative_to(folder).as_posix()
