"""The tree in a sandbox: file times, caching and masked secrets."""

import asyncio
import io
import os
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest
from boxes import LIMITS, box, member, missing, tar

from bot.config.defaults import RunSection
from bot.ports import RunnableTree
from bot.reproduction.container import SandboxRefused
from bot.reproduction.execute import execute
from bot.reproduction.rig import Rig, rig
from bot.values import PullRequest, Side, TreeEntry
from bot.values.reproduction import RunPermission, SandboxRun

boxed = pytest.mark.skipif(bool(missing()), reason=missing() or "-")
TOKEN = "ghp_" + "x7Kq2Vn9Lr4Tz8Wb3Hd6Mf1Pc5Js0Yg2Ra4E"
BODY = "MIIEowIBAAKCAQEA1x7Kq2Vn9Lr4Tz8Wb3Hd6Mf1Pc5Js0Yg2Ra4Eu8Qw3Zx\n7Kq2Vn9Lr4Tz8Wb3Hd6Mf1Pc5Js0Yg2Ra4Eu8Qw3Zx1x7Kq2Vn9Lr4Tz8Wb3H\n"
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}-----END RSA PRIVATE KEY-----\n"


def contents(tree: bytes) -> dict[str, str]:
    """Return the files in an archive without an end marker."""
    with tarfile.TarFile(fileobj=io.BytesIO(tree + bytes(1024))) as known:
        return {
            one.name.removeprefix("work/"): (known.extractfile(one) or io.BytesIO()).read().decode() for one in known
        }


def packed(files: Mapping[str, str]) -> bytes:
    """Build an archive of these files like `git archive`."""
    rows = []
    for path, text in files.items():
        about = member(path)
        rows.append((about, text.encode()))
    return tar(*rows)


class Trees:
    """A base tree and a head tree in memory."""

    def __init__(self, base: Mapping[str, str], head: Mapping[str, str]) -> None:
        self._trees: dict[Side, Mapping[str, str]] = {"base": base, "head": head}

    async def entries(self, side: Side = "head") -> Mapping[str, TreeEntry]:
        """Return an entry for every path."""
        return {path: TreeEntry(path, str(hash(text)), "file", len(text)) for path, text in self._trees[side].items()}

    async def archive(self, side: Side, most: int) -> bytes:  # noqa: ARG002 - of the protocol
        """Return an archive with all files."""
        return packed(self._trees[side])

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        """Return the contents of those paths that exist."""
        return {path: self._trees[side][path].encode() for path in paths if path in self._trees[side]}


def made(base: Mapping[str, str], head: Mapping[str, str], cache: Path, **section: object) -> Rig:
    """Build a rig for a change between two in-memory trees."""
    permission = RunPermission(cache=cache, programs={"PATH": os.environ["PATH"]})
    pull = PullRequest("", "", "b" * 40, "c" * 40, "main", "feature", "here")
    return asyncio.run(rig(cast("RunnableTree", Trees(base, head)), pull, RunSection(**section), permission))


@boxed
def test_failed_preparation_is_not_cached(tmp_path: Path) -> None:
    """A failed preparation stores nothing in the cache, and the error has its output."""
    tests = made({"a": ""}, {"a": ""}, tmp_path / "cache", prepare="echo half > x; echo why; exit 4")
    with pytest.raises(SandboxRefused, match="exited with 4: why"):
        asyncio.run(tests.run("head", "true", {}))
    assert list((tmp_path / "cache").iterdir()) == []


@boxed
def test_cached_archive_belongs_to_one_repository_and_its_lock_files(tmp_path: Path) -> None:
    """Another repository with equal lock files gets its own archive, because its owner may differ."""
    tree = {"go.sum": "1"}
    one, two, other = made(tree, tree, tmp_path), made(tree, tree, tmp_path), made({"go.sum": "2"}, tree, tmp_path)
    two.repository = "there"
    networked = made(tree, tree, tmp_path, network=True)
    assert len({asyncio.run(rigged.archive_path()) for rigged in (one, two, other, networked)}) == 4


def test_changed_dependencies_are_not_available(tmp_path: Path) -> None:
    """Changed dependencies are not available in the sandbox."""
    tests = made({"go.sum": "1"}, {"go.sum": "2"}, tmp_path, prepare="true")
    with pytest.raises(SandboxRefused, match=r"the dependencies change \(go.sum\)"):
        asyncio.run(tests.run("head", "true", {}))


def test_secrets_in_the_tree_are_replaced(tmp_path: Path) -> None:
    """Each secret is replaced with a placeholder in all files, and other text is unchanged."""
    tree = {"tests/server.key": PEM, "app.py": "x = 1\n", "conf.py": f"TOKEN = '{TOKEN}'\n", "also.txt": TOKEN}
    shown = contents(asyncio.run(made(tree, tree, tmp_path).side("head")))
    assert TOKEN not in "".join(shown.values())
    assert BODY.split(maxsplit=1)[0] not in shown["tests/server.key"]
    assert "MASKED_SECRET" in shown["also.txt"]
    assert shown["app.py"] == "x = 1\n"


@boxed
@pytest.mark.parametrize("sharing", ["", "MAP_ANONYMOUS | "])
def test_shared_memory_counts_towards_the_limit(sharing: str) -> None:
    """Memory that processes share counts towards the limit too."""
    flags = (
        f"mmap.{sharing.replace(' | ', '')} | mmap.MAP_SHARED" if sharing else "mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS"
    )
    hold = f"import mmap, os, signal; m = mmap.mmap(-1, 600 << 20, flags={flags}); [m.__setitem__(at, 1) for at in range(0, 600 << 20, 4096)]; os.fork(); signal.pause()"
    outcome = asyncio.run(execute(box(), SandboxRun(b"", f'python3 -c "{hold}"', limits=LIMITS)))
    assert outcome.ending == "memory"
