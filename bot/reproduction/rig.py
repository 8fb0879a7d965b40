"""Prepare test runs: the trees of both sides without their secrets, the sandbox, and the dependencies.

The install command runs once, at the base commit. An archive of the files that it leaves is stored under a
hash of everything that determines its content. The archive is never unpacked on this machine. Each run gets
it through the pipe, before the tree. It contains no files of the tree, so it fits every commit with the same
lock files.
"""

import hashlib
import json
import os
import tarfile
import tempfile
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from bot.checkout.views import archive_without_secrets
from bot.errors import DeepRepoError
from bot.machine import files
from bot.ports import RunnableTree
from bot.reproduction.container import SandboxRefused, choose
from bot.reproduction.execute import PREFIX, execute
from bot.reproduction.runners import Layout, manifests
from bot.values import PullRequest, Side, TreeEntry
from bot.values.reproduction import LIMITS, RunLimits, RunPermission, Sandbox, SandboxOutcome, SandboxRun

if TYPE_CHECKING:
    from bot.config.defaults import RunSection

MOST_TREE = 256 << 20  # bytes of one side's archive, in memory
MAX_ARCHIVE_BYTES = 8 << 30  # of all archives in the cache; the least recently used are deleted first
PREPARE_SECONDS = 900.0  # minimum time limit of a preparation
REMEDY = (
    "Tests run in a copy without .git, and can only use programs in the image. Set `run.prepare` to what works there, `network: true` if it "
    "needs that"
)
SUFFIX = ".tar"


@dataclass(slots=True)
class Rig:
    """Runs commands on the sides of a change. Raises SandboxRefused with the reason if it can't."""

    tree: RunnableTree  # both sides of the change
    repository: str  # its URL or git folder, as part of the archive's name
    section: "RunSection"
    permission: RunPermission
    layout: Layout  # the base's layout, so that a change cannot determine how its tests run
    _sandbox: Sandbox | None = None
    _prepared: Path | None = None
    _ready: bool = False
    _trees: dict[Side, bytes] = field(default_factory=dict)

    @property
    def limits(self) -> RunLimits:
        """The limits of one run."""
        return RunLimits(self.section.seconds)

    @property
    def install(self) -> str:
        """The install command: the owner's, or one derived from lock files if the network is allowed."""
        if self.section.prepare is not None:
            return self.section.prepare
        return self.layout.install() if self.section.network else ""

    def sandbox(self) -> Sandbox:
        """Return the sandbox. Raises SandboxRefused."""
        self._sandbox = self._sandbox or choose(self.permission, self.section.image)
        return self._sandbox

    async def archive_path(self) -> Path:
        """Return the path of the archive with this change's dependencies. It may not exist yet.

        The name depends on the repository too, because another repository with the same lock files may belong
        to another owner.
        """
        base, box = await self.tree.entries("base"), self.sandbox()
        locks = [(path, base[path].oid) for path in self.layout.install_inputs()]
        facts = [self.repository, box.image, self.install, locks, self.section.network]
        name = hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:40]
        return self.permission.cache / f"{name}{SUFFIX}"

    async def prepare(self) -> SandboxOutcome | None:
        """Install the dependencies, unless the archive exists. Return the outcome, or None if nothing ran.

        Raises SandboxRefused, also if the change alters the dependencies.
        """
        if self._ready or not self.install:
            return None
        head, base = await self.tree.entries("head"), await self.tree.entries("base")
        locks = dict.fromkeys([*self.layout.install_inputs(), *Layout(tuple(head)).install_inputs()])
        if changed := [path for path in locks if _content(head, path) != _content(base, path)]:
            raise SandboxRefused(f"no tests were run: the dependencies change ({', '.join(changed[:3])})")
        path, outcome = await self.archive_path(), None
        try:
            os.utime(path)
        except OSError:
            if self.section.network and not self.permission.network:
                raise SandboxRefused(
                    "no tests were run: `run.network` needs DEEPREPO_RUN_NETWORK. Run "
                    "`DEEPREPO_RUN_NETWORK=1 deeprepo run --prepare` here, or set the variable for the server"
                ) from None
            outcome = await self._install(path, base)
        self._prepared, self._ready = path, True
        return outcome

    async def _install(self, path: Path, tracked: Collection[str]) -> SandboxOutcome:
        """Run the install command at the base commit and store what it leaves. Raises SandboxRefused."""
        tree = await self.side("base")
        self._trees.clear()  # later trees must be newer than what is prepared now
        limits = replace(self.limits, seconds=max(self.limits.seconds, PREPARE_SECONDS))
        files.folder(path.parent, private=True)
        evict(path.parent)
        # The temporary file has no name, so nothing remains if this process is killed.
        with tempfile.TemporaryFile(dir=path.parent) as left:
            asked = SandboxRun(tree, self.install, limits=limits, network=self.section.network)
            outcome = await execute(self.sandbox(), asked, left)
            if outcome.ending != "exit" or outcome.status:
                what = f"`{self.install}` {describe_ending(outcome, limits.seconds)}: {tail(outcome.output)}"
                raise SandboxRefused(f"no tests were run: {what}. {REMEDY}", outcome.output)
            left.seek(0)
            with files.replacing(path) as made, tarfile.TarFile(fileobj=left) as old:
                _repack(old, made, {f"{PREFIX}{name}" for name in tracked})
        evict(path.parent, keep=path)
        return outcome

    async def run(
        self, side: Side, command: str, over: Mapping[str, str], folder: str = "", seconds: float | None = None
    ) -> SandboxOutcome:
        """Run a command on one side. `over` maps paths to contents of files that replace or extend the tree.

        Programs installed in `folder` come first in PATH. `seconds` can lower the time limit. Raises
        SandboxRefused.
        """
        await self.prepare()
        limits = self.limits
        if seconds is not None and seconds < limits.seconds:
            limits = replace(limits, seconds=max(seconds, 1.0))
        request = SandboxRun(await self.side(side), command, over, limits, self._prepared, folder=folder)
        return await execute(self.sandbox(), request)

    async def side(self, side: Side) -> bytes:
        """Return one side as an archive without its secrets. Raises SandboxRefused."""
        if side not in self._trees:
            try:
                whole = await self.tree.archive(side, min(self.limits.disk, MOST_TREE))
            except DeepRepoError as error:
                raise SandboxRefused(f"no tests were run: {error}") from error
            self._trees[side] = archive_without_secrets(whole, PREFIX)
        return self._trees[side]


async def rig(tree: RunnableTree, pull: PullRequest, section: "RunSection", permission: RunPermission) -> Rig:
    """Return the rig for a change."""
    paths = await tree.entries("base")
    texts = await tree.read_many(manifests(paths), "base")
    layout = Layout(tuple(paths), {path: text.decode("utf-8", "replace") for path, text in texts.items()})
    return Rig(tree, pull.url or pull.git_dir, section, permission, layout)


def _content(entries: Mapping[str, TreeEntry], path: str) -> str:
    return entries[path].oid if path in entries else ""


def evict(folder: Path, most: int = MAX_ARCHIVE_BYTES, keep: Path | None = None) -> None:
    """Delete the least recently used files in the folder until the others have at most `most` bytes."""
    rows: list[tuple[float, int, Path]] = []
    for path in folder.iterdir():
        with suppress(OSError):
            rows.append((path.stat().st_mtime, path.stat().st_size, path))
    for _, size, path in sorted(rows, reverse=True):
        most -= size
        if most < 0 and path != keep:
            with suppress(OSError):
                path.unlink()


def _repack(old: tarfile.TarFile, output: IO[bytes], other: Collection[str]) -> None:
    """Copy an archive without the `other` names, and without an end marker, because the tree follows it."""
    with tarfile.TarFile(fileobj=output, mode="w", format=tarfile.GNU_FORMAT) as new:
        for about in old:
            if about.name in other or ".git" in about.name.split("/"):  # runs have no repository
                continue
            if about.isreg():
                new.addfile(about, old.extractfile(about))
            elif about.isdir() or about.issym() or about.islnk():
                new.addfile(about)
        end = new.offset
    output.truncate(end)


def describe_ending(outcome: SandboxOutcome, seconds: float = 0) -> str:
    """Return how a run ended, as words that follow its command in a sentence.

    `seconds` is the time limit, if it is not the one in the settings.
    """
    words = {
        "exit": f"exited with {outcome.status}",
        "seconds": f"took longer than {seconds:g} s" if seconds else "took longer than `run.seconds`",
        "memory": f"used more than {LIMITS.memory >> 30} GB of memory",
        "output": "printed too much",
        "setup": f"did not start: the code is larger than {LIMITS.disk >> 30} GB",
    }
    return words[outcome.ending]


def tail(output: str) -> str:
    """Return the last lines of an output, joined into one."""
    kept = [line.strip() for line in output.strip().split("\n") if line.strip()][-6:]
    return " | ".join(kept)[-600:] or "it printed nothing"
