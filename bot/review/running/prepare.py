"""What tests need beside the tree, prepared once: the owner's command at the base commit, and an archive of what it has left.

The archive is kept under the hash of everything that decides what is in it. It is never unpacked on this machine: each run gets it
through the pipe, before its tree. Files of the tree are not in it, so it fits every commit with the same lock files.
"""

import hashlib
import json
import os
import tarfile
import tempfile
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bot.machine import files
from bot.review.running.execute import PREFIX, execute
from bot.review.running.values import Outcome, Run, Sandbox

MOST_BYTES = 8 << 30  # of all archives of a cache; the ones that were used longest ago go first
STALE_SECONDS = 3_600  # after which an archive that nobody has finished is removed
SUFFIX = ".tar"
FORM = 2  # of an archive
MARK = "home/.deeprepo-prepared"  # its first file, as young as anything in it


@dataclass(frozen=True, slots=True)
class Cache:
    """Archives of what was prepared, in a folder that only this user can read."""

    folder: Path
    most: int = MOST_BYTES

    def path(self, key: str) -> Path:
        """Return where the archive of this key is, whether or not it exists."""
        return self.folder / f"{key}{SUFFIX}"

    def find(self, key: str) -> Path | None:
        """Return the archive of this key, marked as used now; None if the cache lacks it."""
        path = self.path(key)
        try:
            os.utime(path)
        except OSError:
            return None
        return path

    async def prepare(
        self, key: str, sandbox: Sandbox, run: Run, tracked_paths: Collection[str]
    ) -> tuple[Path | None, Outcome]:
        """Run the command and keep what it has left. No archive if it did not end with 0. Raises SandboxRefused."""
        files.folder(self.folder, private=True)
        self._evict()
        with tempfile.TemporaryFile(
            dir=self.folder
        ) as left:  # it has no name, so nothing stays if this process is killed
            outcome = await execute(sandbox, run, left)
            if outcome.ending != "exit" or outcome.status:
                return None, outcome
            left.seek(0)
            with files.replacing(self.path(key)) as made, tarfile.TarFile(fileobj=left) as old:
                _repack(
                    old, made, {f"{PREFIX}{path}" for path in tracked_paths} | {f"home/{name}" for name in run.home}
                )
        self._evict(keep=self.path(key))
        return self.path(key), outcome

    def _evict(self, keep: Path | None = None) -> None:
        """Remove what was used longest ago until the rest fits, and what was never finished."""
        now = time.time()
        for path in self.folder.glob(f"{files.UNFINISHED}*"):
            with suppress(OSError):
                if now - path.stat().st_mtime > STALE_SECONDS:
                    path.unlink()
        rows = []
        for path in self.folder.glob(f"*{SUFFIX}"):
            with suppress(OSError):
                rows.append((path.stat().st_mtime, path.stat().st_size, path))
        room = self.most
        for _, size, path in sorted(rows, reverse=True):
            room -= size
            if room < 0 and path != keep:
                with suppress(OSError):
                    path.unlink()


def key(repository: str, sandbox: Sandbox, command: str, locks: Sequence[tuple[str, str]], *, network: bool) -> str:
    """Return what an archive is kept under. `locks`: path and content id of each lock file.

    The repository is part of it: another one with the same lock files may be somebody else's.
    """
    facts = [
        FORM,
        repository,
        sandbox.kind,
        sandbox.image,
        list(sandbox.tools),
        command,
        [list(row) for row in locks],
        network,
    ]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:40]


def newest(path: Path) -> int:
    """Return a time after which nothing in an archive was altered: the tree over it is younger, so no build takes it for done."""
    with tarfile.TarFile(path) as whole:
        first = whole.next()
    return int(first.mtime) if first is not None and first.name == MARK else int(time.time())


def _repack(old: tarfile.TarFile, output: IO[bytes], other: Collection[str]) -> None:
    """Copy files, folders and links, but none of the others, and without the end mark: the tree follows in the same stream."""
    with tarfile.TarFile(fileobj=output, mode="w", format=tarfile.GNU_FORMAT) as new:
        mark = tarfile.TarInfo(MARK)
        mark.mtime = int(time.time()) + 1
        new.addfile(mark)
        for about in old:
            if about.name in other or ".git" in about.name.split("/"):  # no run has a repository
                continue
            if about.isreg():
                new.addfile(about, old.extractfile(about))
            elif about.isdir() or about.issym() or about.islnk():
                new.addfile(about)
        end = new.offset
    output.truncate(end)
