"""The work tree is read exactly as git would add it."""

import asyncio
from pathlib import Path

import pytest
from fakes import Repository

from bot import diff
from bot.checkout import Checkout, pull
from bot.values import ChangedFile, PullRequest, TypedChange


def uncommitted(repository: Repository, scratch: Path) -> PullRequest:
    scratch.mkdir(exist_ok=True)
    return asyncio.run(pull(TypedChange(str(repository.folder), "uncommitted"), str(scratch)))


def files(found: PullRequest) -> dict[str, ChangedFile]:
    async def read() -> dict[str, ChangedFile]:
        async with Checkout(found) as tree:
            return {file.path: file for file in diff.read(await tree.change())}

    return asyncio.run(read())


def as_git_does(repository: Repository) -> str:
    """Return the tree that `git add --all` makes."""
    repository.git("add", "--all")
    return repository.git("write-tree")


def test_tree_equals_the_one_that_git_writes(repository: Repository, tmp_path: Path) -> None:
    """Changed, new, deleted, ignored, linked and executable files, files replacing folders, odd names."""
    odd = 'tab\t"quote" \n line'
    repository.commit({
        "a.py": "1\n", "gone.py": "1\n", "dir/x.py": "1\n", "file": "1\n", "mode.sh": "1\n", "lib/y.py": "1\n", odd: "1\n",
        ".gitignore": "*.log\n", "text.txt": "1\n",
    })  # fmt: skip
    repository.write({"a.py": "2\n", "gone.py": None, "dir/x.py": None, "file": None, "lib/y.py": None, odd: "2\n"})
    repository.write({"new/ü.py": "1\n", "x.log": "1\n", "-e": "1\n", "text.txt": "staged\n"})
    repository.git("add", "text.txt")
    repository.git("add", "--intent-to-add", "new/ü.py")
    repository.write({"text.txt": "later\n"})
    (repository.folder / "dir").rmdir()
    (repository.folder / "dir").write_text("a file now\n")
    (repository.folder / "file").mkdir()
    (repository.folder / "file" / "inner.py").write_text("1\n")
    (repository.folder / "lib").rmdir()
    (repository.folder / "lib").symlink_to("new")
    (repository.folder / "mode.sh").chmod(0o755)
    assert uncommitted(repository, tmp_path / "s").head == as_git_does(repository)


@pytest.mark.parametrize("autocrlf", ["true", "input", "false"])
def test_line_endings_are_converted_as_configured(repository: Repository, tmp_path: Path, autocrlf: str) -> None:
    """A checkout with CRLF does not count as a change of every line."""
    repository.commit({"a.txt": "1\n2\n", ".gitattributes": "*.bat text eol=crlf\n"})
    repository.git("config", "core.autocrlf", autocrlf)
    repository.write({"a.txt": "1\r\n2\r\n3\r\n", "b.bat": "x\r\n"})
    assert uncommitted(repository, tmp_path / "s").head == as_git_does(repository)


def test_content_converted_by_a_filter_is_not_read(repository: Repository, tmp_path: Path) -> None:
    """Filtered files may be decrypted in the work tree, so they are not read, and the review says so."""
    repository.commit({".gitattributes": "secret.py filter=crypt\n", "secret.py": "encrypted\n"})
    repository.git("config", "filter.crypt.clean", "encrypt")
    repository.write({"secret.py": "KEY = 'in the clear'\n"})
    found = uncommitted(repository, tmp_path / "s")
    file = files(found)["secret.py"]
    assert file.is_unreviewed
    assert "filter" in (file.skip or "")

    async def read() -> bytes | None:
        async with Checkout(found) as tree:
            return await tree.read("secret.py")

    assert b"in the clear" not in (asyncio.run(read()) or b"")


def test_sha256_repository_is_supported(tmp_path: Path) -> None:
    """Repositories with SHA-256 work like those with SHA-1."""
    folder = tmp_path / "long"
    repository = Repository(folder)
    (folder / ".git").rename(tmp_path / "old")
    repository.git("init", "--quiet", "--object-format=sha256", "--initial-branch=main")
    repository.commit({"a.py": "1\n"})
    repository.write({"a.py": "2\n", "b.py": "1\n"})
    found = uncommitted(repository, tmp_path / "s")
    assert found.head == as_git_does(repository)
    assert set(files(found)) == {"a.py", "b.py"}
