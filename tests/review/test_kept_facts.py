"""Cached facts about files never change a review, even if the cache is damaged or not safe to use."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository
from families import few
from test_forgotten_callers import CASES

from bot.machine.fact_files import FactFiles
from deeprepo.impact.reading import memo

ROOT = Path(__file__).parents[2]


def commit(repository: Repository, languages: Iterable[str]) -> None:
    """Commit a change that forgets a caller in each of these languages, each in its own folder."""
    before, after = {}, {}
    for number, language in enumerate(languages):
        files, changed, *_ = CASES[language]
        before |= {f"case{number}/{path}": text for path, text in files.items()}
        after[f"case{number}/{changed}"] = files[changed].replace("otal_price", "otal_net_price")
    repository.commit(before, "before")
    repository.git("checkout", "-qb", "feature")
    repository.commit(after, "after")


def report_of(repository: Repository, cache: Path | str) -> Any:  # noqa: ANN401 - JSON
    """Return the JSON report of a review in a new process, without its duration."""
    command = [sys.executable, "-m", "bot", "review", "--effort", "none", "--format", "json", "-q"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "DEEPREPO_CACHE": str(cache)}
    done = subprocess.run(command, cwd=repository.folder, env=env, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found.pop("seconds", None) is not None
    return found


def damage(folder: Path) -> None:
    """Truncate some cache files, flip a bit in others, and swap the contents of the rest."""
    rows = sorted(folder.glob("[!.]*"))
    contents = [file.read_bytes() for file in rows]
    for at, file in enumerate(rows):
        data = contents[at]
        wrong = (data[: len(data) // 2], data[:-3] + bytes([data[-3] ^ 1]) + data[-2:], contents[at - 1])
        file.write_bytes(wrong[at % 3])


@pytest.mark.parametrize("languages", few([["python", "typescript"], [*CASES]], 0), ids=["two", "all"])
def test_cached_facts_do_not_change_the_review(repository: Repository, languages: list[str], tmp_path: Path) -> None:
    """Facts are cached in the first review, reused in the second, and replaced in the third after damage."""
    commit(repository, languages)
    folder = tmp_path / "facts"
    without, first = report_of(repository, "off"), report_of(repository, folder)
    names = {file.name: file.read_bytes() for file in folder.iterdir()}
    second = report_of(repository, folder)
    assert names
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == names
    damage(folder)
    third = report_of(repository, folder)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == names
    assert first == second == third == without
    rows = (*without["findings"], *without["overlooked"])
    assert len({row["path"].partition("/")[0] for row in rows}) == len(languages)


def test_cached_facts_expire_when_the_code_that_computes_them_changes(tmp_path: Path) -> None:
    """The key covers each module that is loaded to read a file, so an update never reads facts of an earlier version."""
    program = (
        "import importlib, sys\n"
        "from deeprepo.impact import language, table\n"
        "for name in ('reading.spots', 'resolving.offers'):\n"
        "    importlib.import_module(f'deeprepo.impact.{name}')\n"
        "for name in table.folders():\n"
        "    language.load(name)\n"
        "print(*(one.__file__ for name, one in sys.modules.items() if name.startswith('deeprepo.impact')))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {Path(file).parent for file in done.stdout.split()}
    assert len(loaded) > len(memo.OWN)
    assert loaded <= {folder.resolve() for folder in memo.own_folders()}
    file = tmp_path / "defs.scm"
    file.write_text("(a)")
    first, when = memo.engine_of([tmp_path]), file.stat().st_ctime_ns
    assert memo.engine_of([tmp_path]) == first
    while file.stat().st_ctime_ns == when:  # the clock of a file system has coarse steps
        file.write_text("(b)")
    assert memo.engine_of([tmp_path]) != first


@pytest.mark.parametrize("mode", [0o770, 0o705])
def test_cache_folder_accessible_to_others_is_not_used(repository: Repository, mode: int, tmp_path: Path) -> None:
    """A cache folder that other users can access is neither read nor written, and the review still works."""
    commit(repository, ["python"])
    folder = tmp_path / "facts"
    folder.mkdir()
    folder.chmod(mode)
    assert report_of(repository, folder)["findings"]
    assert not [*folder.iterdir()]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_cache_folder_owned_by_another_user_is_not_used(tmp_path: Path) -> None:
    """A cache folder owned by another user is refused, whatever its mode."""
    folder = tmp_path / "facts"
    folder.mkdir(mode=0o700)
    os.chown(folder, 54321, -1)
    with pytest.raises(PermissionError):
        FactFiles(folder)


def test_symbolic_link_as_a_cache_folder_is_not_used(tmp_path: Path) -> None:
    """A symbolic link as the cache folder is refused."""
    (tmp_path / "own").mkdir(mode=0o700)
    (tmp_path / "facts").symlink_to(tmp_path / "own")
    with pytest.raises(OSError, match="facts"):
        FactFiles(tmp_path / "facts")
