import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
from fakes import Repository
from waits import patience

from bot.checkout import Checkout
from bot.checkout.tree import MAX_FILE_BYTES
from bot.values import PullRequest, Query
from bot.values.shared_file import SettingsText, UnusableFile

T = TypeVar("T")


def within(pull: PullRequest, ask: Callable[[Checkout], Awaitable[T]]) -> T:
    """Open a checkout, await this function's result for it, and close it."""

    async def run() -> T:
        async with Checkout(pull) as tree:
            return await ask(tree)

    return asyncio.run(run())


def test_work_tree_is_never_read_when_reviewing_commits(repository: Repository) -> None:
    """Files in the work tree do not matter when commits are reviewed."""
    pull = repository.change({"a.py": "old\n"}, {"a.py": "new\n"})
    repository.write({"a.py": "hostile\n"})
    assert within(pull, lambda t: t.read("a.py")) == b"new\n"


def test_canceled_read_ends_promptly(repository: Repository) -> None:
    """Canceling ends even a read of large files, and the next read returns the right file."""
    large = {f"f{number}.txt": f"{number}\n".encode() + os.urandom(MAX_FILE_BYTES // 2) for number in range(8)}
    pull = repository.change({}, {**large, "small.txt": "small"})

    async def called_off(tree: Checkout) -> None:
        for turns in range(40):
            reading = asyncio.create_task(tree.read_many(list(large)))
            for _ in range(turns):
                await asyncio.sleep(0)
            reading.cancel()
            async with asyncio.timeout(patience()):
                await asyncio.wait([reading])
                assert await tree.read("small.txt") == b"small"

    within(pull, called_off)


def test_links_submodules_and_huge_files_are_not_read(repository: Repository) -> None:
    """Links, submodules and huge files are listed but not read."""
    head = repository.commit({"huge.py": b"x" * (MAX_FILE_BYTES + 1)})
    (repository.folder / "link").symlink_to("/etc/passwd")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{head},module")
    repository.git("add", "link")
    repository.git("commit", "-qm", "links")
    pull = repository.pull(head, repository.git("rev-parse", "HEAD"))
    assert within(pull, lambda t: t.read_many(["link", "module", "huge.py"])) == {}
    kinds = {path: entry.kind for path, entry in within(pull, lambda t: t.entries()).items()}
    assert kinds == {"huge.py": "file", "link": "symlink", "module": "submodule"}


def test_grep_finds_paths_and_lines_in_the_tree(repository: Repository) -> None:
    """Fixed words and Perl patterns work, with a pathspec; a file named like an option is a file."""
    pull = repository.change({}, {"a.py": "one\ntwo\n", "b.js": "two()\n", "-e": "two\n", "bin": b"two\0"})
    assert within(pull, lambda t: t.grep(Query(["two"]))) == {"a.py", "b.js", "-e"}
    assert within(pull, lambda t: t.grep(Query(["two"], ["*.py"]))) == {"a.py"}
    assert within(pull, lambda t: t.grep(Query([r"tw\w\("], syntax="perl"))) == {"b.js"}
    assert within(pull, lambda t: t.grep(Query(["tw"], word=True))) == frozenset()
    assert within(pull, lambda t: t.grep_lines(Query(["two"], ["*.py"]))) == (("a.py", 2, "two"),)
    assert len(within(pull, lambda t: t.grep_lines(Query(["two"], limit=2)))) == 2


def test_replace_refs_have_no_effect(repository: Repository) -> None:
    """`git replace` in the reviewed repository has no effect here."""
    pull = repository.change({"a.py": "old\n"}, {"a.py": "new\n"})
    repository.git(
        "replace",
        repository.git("rev-parse", "HEAD:a.py"),
        repository.git("hash-object", "-w", "--stdin", stdin=b"swapped\n"),
    )
    assert within(pull, lambda t: t.read("a.py")) == b"new\n"


def test_configuration_is_read_from_the_tip_of_the_base_branch(repository: Repository) -> None:
    """The head cannot bring its own settings; the base branch's newest ones count."""
    base = repository.commit({".deeprepo.yml": "quota: 1\n"})
    head = repository.commit({".deeprepo.yml": "quota: 9\n"})
    assert within(repository.pull(base, head), lambda t: t.settings_at_tip(".deeprepo.yml")) == b"quota: 1\n"


@pytest.mark.parametrize("is_listed", [True, False])
def test_unreadable_settings_are_not_reported_as_missing(repository: Repository, *, is_listed: bool) -> None:
    """A reason is given for a large file, link, submodule or folder; None means that the file is missing."""
    (repository.folder / "linked.yml").symlink_to("own.yml")
    repository.write({"large.yml": "#" * (2 << 20) + "\n\n", "folder.yml/own.yml": "quota: 1\n"})
    repository.commit({"own.yml": "quota: 1\n"})
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module.yml")
    repository.git("commit", "-qm", "module")
    commit = repository.git("rev-parse", "HEAD")

    async def look(tree: Checkout) -> dict[str, SettingsText]:
        if is_listed:
            await tree.entries("base")
        names = ("own.yml", "large.yml", "linked.yml", "module.yml", "folder.yml", "absent.yml")
        return {name: await tree.settings_at_tip(name) for name in names}

    assert within(repository.pull(commit, commit), look) == {
        "own.yml": b"quota: 1\n",
        "large.yml": UnusableFile("it is too large"),
        "linked.yml": UnusableFile("it is a symbolic link, not a file"),
        "module.yml": UnusableFile("it is a submodule, not a file"),
        "folder.yml": UnusableFile("it is a folder, not a file"),
        "absent.yml": None,
    }


def test_search_stopped_by_a_difficult_line_is_recorded(repository: Repository) -> None:
    """The search is not an error, but the checkout records that matches may be missing."""
    pull = repository.change({}, {"a.txt": "aab\n", "b.txt": "a" * 3_000 + "b\n"})

    async def ask(tree: Checkout) -> tuple[str, ...]:
        await tree.grep_lines(Query([r"(a|aa)+$"], syntax="perl"))
        return tuple(tree.stopped_searches)

    assert "too hard" in within(pull, ask)[0]


def test_search_for_many_long_patterns_finds_each(repository: Repository) -> None:
    """PCRE rejects one pattern for all of them, although its text is short enough."""
    pull = repository.change({}, {"a.ts": "import 'last249/index'\n", "b.ts": "import 'last1/index.js'\n"})
    patterns = [rf"(last{n}|src|\#[\w/]*)/index(\.[a-z.]+)?(\?[a-z]+)?[\"'`]" for n in range(250)]

    async def ask(tree: Checkout) -> tuple[object, ...]:
        rows = await tree.grep_lines(Query(patterns, syntax="perl"))
        return [row[0] for row in rows], tree.stopped_searches

    assert within(pull, ask) == (["a.ts", "b.ts"], [])


def test_search_without_a_files_content_is_recorded(repository: Repository) -> None:
    """A clone may lack the content of files, which git then leaves out of a search with status 0."""
    pull = repository.change({}, {"a.txt": "total\n", "b.txt": "total, too\n"})
    oid = repository.git("rev-parse", "HEAD:b.txt")
    (repository.folder / ".git" / "objects" / oid[:2] / oid[2:]).unlink()

    async def ask(tree: Checkout) -> tuple[object, ...]:
        return await tree.grep_lines(Query(["total"])), *tree.stopped_searches

    said = "a search could not read b.txt, because this clone lacks the content"
    assert within(pull, ask) == ((("a.txt", 1, "total"),), said)


def test_huge_changed_line_is_left_out_of_the_patch(repository: Repository) -> None:
    """A file above the size limit is listed as changed, but its lines are not in the patch."""
    pull = repository.change({"a.txt": "a" * (MAX_FILE_BYTES + 9)}, {"a.txt": "b" * (MAX_FILE_BYTES + 9)})
    change = within(pull, lambda tree: tree.change())
    assert len(change.patch) < 1_000
    assert b"a.txt" in change.status
