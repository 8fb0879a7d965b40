import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes import Repository

from bot.checkout import Checkout, pull
from bot.errors import RevisionError
from bot.values import PullRequest, TypedChange


def resolve(repository: Repository | Path, scratch: Path, **request: str) -> PullRequest:
    scratch.mkdir(exist_ok=True)
    folder = repository.folder if isinstance(repository, Repository) else repository
    return asyncio.run(pull(TypedChange(str(folder), **request), str(scratch)))  # type: ignore[arg-type]


def content(found: PullRequest, path: str) -> bytes | None:
    async def read() -> bytes | None:
        async with Checkout(found) as tree:
            return await tree.read(path)

    return asyncio.run(read())


def test_head_is_compared_with_the_merge_base_of_the_default_branch(repository: Repository, tmp_path: Path) -> None:
    """Commits on main after the branch point are not part of the change."""
    fork = repository.commit({"a.py": "1\n"})
    repository.git("checkout", "-qb", "feature")
    head = repository.commit({"a.py": "2\n"}, "Second\n\nwith a reason")
    repository.git("checkout", "-q", "main")
    repository.commit({"b.py": "unrelated\n"})
    repository.git("checkout", "-q", "feature")
    found = resolve(repository, tmp_path / "s")
    assert (found.base, found.head, found.base_name) == (fork, head, "main")
    assert (found.title, found.body) == ("Second", "with a reason")


def test_range_is_compared_with_the_common_ancestor(repository: Repository, tmp_path: Path) -> None:
    """BASE..HEAD means the changes on HEAD since the common ancestor."""
    fork = repository.commit({"a": "1"})
    repository.git("checkout", "-qb", "feature")
    head = repository.commit({"a": "2"})
    repository.git("checkout", "-q", "main")
    repository.commit({"b": "1"})
    found = resolve(repository, tmp_path / "s", base="main", head="feature")
    assert (found.base, found.head) == (fork, head)


def test_staged_review_covers_only_the_index(repository: Repository, tmp_path: Path) -> None:
    """A file edited after `git add` is reviewed as it was added."""
    repository.commit({"a.py": "old\n"})
    repository.write({"a.py": "staged\n"})
    repository.git("add", "a.py")
    repository.write({"a.py": "later\n", "new.py": "untracked\n"})
    found = resolve(repository, tmp_path / "s", scope="staged")
    assert content(found, "a.py") == b"staged\n"
    assert content(found, "new.py") is None


def test_uncommitted_work_includes_untracked_but_not_ignored_files(repository: Repository, tmp_path: Path) -> None:
    """New files are included, ignored files are not."""
    repository.commit({"a.py": "old\n", ".gitignore": "*.log\n"})
    repository.write({"a.py": "now\n", "new.py": "untracked\n", "x.log": "noise\n"})
    found = resolve(repository, tmp_path / "s", scope="uncommitted")
    assert [content(found, name) for name in ("a.py", "new.py", "x.log")] == [b"now\n", b"untracked\n", None]


def test_review_leaves_the_repository_unchanged(repository: Repository, tmp_path: Path) -> None:
    """Reviewing uncommitted work writes no object and does not change the index."""
    repository.commit({"a.py": "old\n"})
    repository.write({"new.py": "untracked\n"})

    def state() -> tuple[list[str], bytes, str]:
        git_dir = repository.folder / ".git"
        objects = sorted(str(path) for path in (git_dir / "objects").rglob("*"))
        return objects, (git_dir / "index").read_bytes(), repository.git("status", "--porcelain")

    before = state()
    resolve(repository, tmp_path / "s", scope="uncommitted")
    assert state() == before


def test_objects_in_an_alternate_store_are_found(
    repository: Repository, repositories: Callable[[str], Repository], tmp_path: Path
) -> None:
    """A clone with --shared has its objects in another repository."""
    repository.commit({"a.py": "1\n"})
    repository.git("clone", "-q", "--shared", ".", str(tmp_path / "shared"))
    (tmp_path / "shared" / "a.py").write_text("2\n")
    found = resolve(tmp_path / "shared", tmp_path / "s", scope="uncommitted")
    assert content(found, "a.py") == b"2\n"


def test_head_is_never_compared_with_itself(repository: Repository, tmp_path: Path) -> None:
    """If the default branch is unclear, the error says what to type."""
    repository.commit({"a.py": "1\n"})
    repository.git("branch", "-m", "ours")
    repository.git("branch", "theirs")
    repository.git("checkout", "-qb", "feature")
    repository.commit({"a.py": "2\n"})
    with pytest.raises(RevisionError, match=r"no default branch was found .*deeprepo review BRANCH\.\.HEAD"):
        resolve(repository, tmp_path / "s")
