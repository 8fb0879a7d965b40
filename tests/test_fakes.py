"""The repositories of the tests: what is written without git is what git would have written."""

from pathlib import Path

import pytest
from fakes import Repository

FILES: dict[str, str | bytes | None] = {
    "a.py": "one\n",
    "a/b.py": b"\x00\xff",
    "a.b/c": "",
    "a-b": "x",
    "src/deep/er/é.txt": "é\n",
    "n" * 200 + "/z": "long",
}


def test_commits_are_those_of_git(tmp_path: Path) -> None:
    """Ids, index and work tree agree with those of a repository in which git itself made the commits."""
    plain, real = Repository(tmp_path / "plain"), Repository(tmp_path / "real")
    real.env["GIT_REFLOG_ACTION"] = "a reason not to take the short way"
    for files, message in ((FILES, "first\n\n\n\nand more  \n"), ({"a.py": None, "a/b.py": "text"}, "second")):
        assert plain.commit(dict(files), message) == real.commit(dict(files), message)
    for repo in (plain, real):
        repo.write({"a-b": "y", "new": "n"})
        assert repo.git("status", "--porcelain") == "M a-b\n?? new"
        assert repo.git("diff-files", "--name-only") == "a-b"
    assert plain.git("ls-files", "--stage") == real.git("ls-files", "--stage")
    assert plain.git("fsck", "--strict") == ""


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes"])
def test_git_reads_what_only_git_understands(tmp_path: Path, name: str) -> None:
    """A file that changes what is committed is left to git."""
    repo = Repository(tmp_path / "repository")
    repo.commit({name: "*.log\n" if name == ".gitignore" else "* text eol=lf\n", "a.log": "a\r\n"})
    assert repo.git("ls-files") == (name if name == ".gitignore" else f"{name}\na.log")
    assert repo.git("status", "--porcelain") == ""
