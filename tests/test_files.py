"""All files are written by one module, which must be safe in folders that an attacker has filled."""

import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.errors import UsageError
from bot.machine import files

BOT = Path(__file__).parents[1] / "bot"
# Calls that write a file. Temporary folders with random names are not included.
WRITES = re.compile(
    r"\.(?:write_text|write_bytes|mkdir|makedirs|symlink_to|hardlink_to|symlink|copyfile|copy2|copytree|copyfileobj|mknod|mkfifo)\("
    r"|\bos\.(?:open|link|chmod|chown|truncate|rename|replace)\(|\b(?:mkstemp|NamedTemporaryFile)\(|\bopen\([^()]*['\"][rbt]*[wax+][bt+]*['\"]"
)


def checkout(folder: Path) -> Path:
    """Create a folder that counts as a checkout."""
    (folder / ".git").mkdir(parents=True)
    return folder


def written(path: Path) -> None:
    files.write(path, "new")


def appended(path: Path) -> None:
    with files.append(path) as file:
        file.write("new")


def asked(path: Path) -> None:
    files.ready(path)


WAYS = pytest.mark.parametrize("way", [written, appended, asked])


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A checkout next to a file that nothing in the checkout may reach."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home/rc").write_text("mine")
    return checkout(tmp_path / "tree")


@WAYS
@pytest.mark.parametrize("lead", ["../home/rc", "../home/new", "nowhere/at/all", "loop"])
def test_writing_through_a_link_is_refused(top: Path, way: Callable[[Path], None], lead: str) -> None:
    """Writing through a symbolic link is refused: to a file, a missing file or folder, or itself."""
    (top / "loop").symlink_to(lead)
    with pytest.raises(
        UsageError, match=r"loop cannot be written: loop is a symbolic link, which is not followed here. Remove it"
    ):
        way(top / "loop")
    assert (top.parent / "home/rc").read_text() == "mine"
    assert sorted(path.name for path in (top.parent / "home").iterdir()) == ["rc"]


@WAYS
@pytest.mark.parametrize("part", ["a", "a/b", "a/b/c"])
def test_linked_folder_in_the_path_is_refused(top: Path, way: Callable[[Path], None], part: str) -> None:
    """A symbolic link anywhere in the path is refused, even if it leads back into the checkout."""
    link = top / part
    link.parent.mkdir(parents=True, exist_ok=True)
    (top.parent / "home/b/c").mkdir(parents=True)
    link.symlink_to(top.parent / "home" if part == "a" else top)
    with pytest.raises(UsageError, match=f"{link.name} is a symbolic link"):
        way(top / "a/b/c/out.json")
    with pytest.raises(UsageError, match="cannot be written"):
        files.write(top / "a/b/c/out.json", "new", folders=True)
    assert not list((top.parent / "home").rglob("out.json"))


@WAYS
@pytest.mark.parametrize("name", [".git/config", ".git/hooks/pre-commit", ".GIT/config", "sub/.git"])
def test_git_files_are_never_written(top: Path, way: Callable[[Path], None], name: str) -> None:
    """Files in `.git` are never written, in any letter case, nor the `.git` file of a linked work tree."""
    (top / "sub").mkdir()
    (top / "sub/.git").write_text("gitdir: elsewhere\n")
    with pytest.raises(UsageError, match="belongs to git"):
        way(top / name)


def test_path_cannot_leave_the_trusted_folder(top: Path) -> None:
    """Paths with `..` can't leave the trusted folder."""
    for name in ("../home/rc", "a/../../home/rc", ".."):
        with pytest.raises(UsageError, match="it is outside"):
            files.write(top / name, "new", below=top)


ROOT = BOT.parent
# fact_files.py opens files relative to a folder that it keeps open, and follows no link. repl/lock.py is
# sandboxed and only tries to write. The journal of `rlm` follows no link in its own name; `bot` opens it itself.
OF_THEIR_OWN = {
    *(BOT / "machine" / name for name in ("files.py", "fact_files.py")),
    *(ROOT / "deeprepo/rlm" / name for name in ("repl/lock.py", "journal/writer.py")),
}


def test_no_other_module_writes_files() -> None:
    """No other module writes files, because it could follow an attacker's symbolic link."""
    seen = {
        f"{path.relative_to(ROOT)}:{number} {line.strip()}"
        for path in (
            *BOT.rglob("*.py"),
            *(ROOT / "deeprepo/rlm").rglob("*.py"),
            *(ROOT / "deeprepo/texts").rglob("*.py"),
        )
        if path not in OF_THEIR_OWN
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if WRITES.search(line.replace("files.copytree", ""))
    }
    assert seen == set()
    assert all(WRITES.search(path.read_text()) for path in OF_THEIR_OWN)  # the pattern does match how files are written


def test_every_journal_is_opened_safely() -> None:
    """Every journal that the product creates is opened by `files.append`."""
    made = [call for path in BOT.rglob("*.py") for call in re.findall(r"\bJournal\((.+)\)", path.read_text())]
    assert len(made) >= 3
    assert [call for call in made if "open_file=open_file" not in call] == []
    (opened,) = [path for path in BOT.rglob("*.py") if re.search(r"^def open_file\(", path.read_text(), re.MULTILINE)]
    assert "files.append(" in opened.read_text().partition("def open_file(")[2].partition("\n\n\n")[0]


def test_private_files_are_readable_only_by_their_owner(tmp_path: Path) -> None:
    """Private files are readable by their owner only, regardless of umask and earlier permissions."""
    (tmp_path / "old").write_text("")
    before = os.umask(0)
    try:
        files.write(tmp_path / "old", "secret", private=True)
        files.append(tmp_path / "a/b/journal", private=True, folders=True).close()
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("old", "a", "a/b", "a/b/journal")]
    assert modes == [0o600, 0o700, 0o700, 0o600]
