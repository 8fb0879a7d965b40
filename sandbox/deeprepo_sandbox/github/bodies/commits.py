"""Commits, files of a diff, and a comparison, as git tells them."""

from pathlib import Path

from deeprepo_sandbox.github import git
from deeprepo_sandbox.github.bodies.people import user
from deeprepo_sandbox.github.diffs import File
from deeprepo_sandbox.github.things import Json, Repository
from deeprepo_sandbox.github.world import World

BIGGEST, LARGEST = 20_000, 500_000  # lines and characters of a patch, above which GitHub leaves it out
FORM = "%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B"


async def commit(world: World, repository: Repository, sha: str) -> Json:
    """One commit."""
    told = (
        (await git.cached_output(repository.git, "show", "--no-patch", f"--format={FORM}", sha))
        .decode(errors="replace")
        .rstrip("\n")
    )
    full, tree, parents, name, email, when, by, by_email, done, message = told.split("\0")
    api, web = f"{world.api}/repos/{repository.full_name}", f"{world.origin}/{repository.full_name}"
    known = user(world, world.users[name]) if name in world.users else None
    return {
        "url": f"{api}/commits/{full}",
        "sha": full,
        "node_id": f"C_kwDO{full}",
        "html_url": f"{web}/commit/{full}",
        "comments_url": f"{api}/commits/{full}/comments",
        "commit": {
            "url": f"{api}/git/commits/{full}",
            "author": {"name": name, "email": email, "date": when},
            "committer": {"name": by, "email": by_email, "date": done},
            "message": message.rstrip("\n"),
            "tree": {"url": f"{api}/git/trees/{tree}", "sha": tree},
            "comment_count": 0,
            "verification": {
                "verified": False,
                "reason": "unsigned",
                "signature": None,
                "payload": None,
                "verified_at": None,
            },
        },
        "author": known,
        "committer": known,
        "parents": [
            {"sha": parent, "url": f"{api}/commits/{parent}", "html_url": f"{web}/commit/{parent}"}
            for parent in parents.split()
        ],
    }


def file(world: World, repository: Repository, head: str, changed_file: File) -> Json:
    """One file of a diff; `patch` is left out where there is no text, or too much of it."""
    added, removed = changed_file.count("+"), changed_file.count("-")
    web, api = f"{world.origin}/{repository.full_name}", f"{world.api}/repos/{repository.full_name}"
    row: Json = {
        "sha": changed_file.sha,
        "filename": changed_file.path,
        "status": changed_file.status,
        "additions": added,
        "deletions": removed,
        "changes": added + removed,
        "blob_url": f"{web}/blob/{head}/{changed_file.path}",
        "raw_url": f"{web}/raw/{head}/{changed_file.path}",
        "contents_url": f"{api}/contents/{changed_file.path}?ref={head}",
    }
    if changed_file.patch and added + removed <= BIGGEST and len(changed_file.patch) <= LARGEST:
        row["patch"] = changed_file.patch
    if changed_file.status in {"renamed", "copied"}:
        row["previous_filename"] = changed_file.old_path
    return row


async def target(folder: Path, commit_id: str, path: str) -> str | None:
    """What a link in a commit names; None if the path is none."""
    row = await git.text(folder, "ls-tree", commit_id, "--", path)
    return await git.text(folder, "cat-file", "blob", row.split()[2]) if row.startswith("120000 ") else None


async def blob(folder: Path, commit_id: str, path: str) -> bytes | None:
    """The content of a file in a commit; None if it does not exist."""
    row = await git.text(folder, "ls-tree", commit_id, "--", path)
    if " blob " not in row:
        return None
    return await git.run(folder, "cat-file", "blob", row.split()[2])
