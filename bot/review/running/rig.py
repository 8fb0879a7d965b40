"""One change's tests, ready to run on either side of it: the recipe, the sandbox, what was prepared."""

import io
import tarfile
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bot.errors import DeepRepoError
from bot.masking.masks import Masks
from bot.review.running import prepare as preparing
from bot.review.running.choose import choose
from bot.review.running.execute import PREFIX, execute
from bot.review.running.presets import MANIFESTS, Recipe, detect, locks, recipe
from bot.review.running.values import Outcome, Run, RunLimits, RunPermission, Sandbox, SandboxRefused
from bot.values import Side, TreeEntry

if TYPE_CHECKING:
    from bot.config import RunSection

MEGABYTE = 1 << 20
OUTPUT = 8 * MEGABYTE
MOST_TEXT, HEAD_BYTES = 2 * MEGABYTE, 8_000  # of a file that is looked through for secrets
MOST_TREE = 256 * MEGABYTE  # of one side, as it is held in memory


@dataclass(frozen=True, slots=True)
class Sides:
    """Both trees of a change, as far as tests need them."""

    repository: str  # what tells it from every other one on this machine
    entries: Callable[[Side], Awaitable[Mapping[str, TreeEntry]]]
    archive: Callable[[Side, int], Awaitable[bytes]]
    read: Callable[[str, Side], Awaitable[bytes | None]]


@dataclass(slots=True)
class Rig:
    """Runs one test file at a time. Everything that can prevent that is a SandboxRefused with a sentence."""

    sides: Sides
    section: "RunSection"
    permission: RunPermission
    how: Recipe
    _sandbox: Sandbox | None = None
    _prepared_folder: Path | None = None
    _ready: bool = False
    _trees: dict[Side, bytes] = field(default_factory=dict)

    @property
    def limits(self) -> RunLimits:
        """The limits of one run."""
        section = self.section
        disk = section.disk * MEGABYTE
        return RunLimits(section.seconds, section.memory * MEGABYTE, section.processes, OUTPUT, disk)

    def sandbox(self) -> Sandbox:
        """Return the sandbox. Raises SandboxRefused."""
        if self._sandbox is None:
            programs = self.permission.programs
            folders = programs.get("PATH", "").split(":")
            self._sandbox = choose(
                self.permission.sandbox, self.section.image, self.permission.tools, folders, programs
            )
        return self._sandbox

    async def key(self) -> str:
        """Return what the dependencies of this change are kept under."""
        base = await self.sides.entries("base")
        exact = [(path, base[path].oid) for path in locks(base)]
        network = self.section.network
        return preparing.key(self.sides.repository, self.sandbox(), self.how.prepare, exact, network=network)

    async def changed_locks(self) -> list[str]:
        """Return the files that decide about dependencies and are not the same on both sides."""
        head, base = await self.sides.entries("head"), await self.sides.entries("base")
        names = dict.fromkeys([*locks(base), *locks(head)])
        return [path for path in names if _content(head, path) != _content(base, path)]

    async def prepare(self) -> Outcome | None:
        """Have the dependencies at hand; the outcome of the owner's command if it had to run now. Raises SandboxRefused."""
        if self._ready:
            return None
        outcome = None
        if self.how.prepare:
            if self.section.network and not self.permission.network:
                raise SandboxRefused(
                    "nothing was run: `run.prepare` asks for the network, and DEEPREPO_RUN_NETWORK does not allow it"
                )
            if changed := await self.changed_locks():
                raise SandboxRefused(f"nothing was run: the dependencies change ({', '.join(changed[:3])})")
            cache, key = preparing.Cache(self.permission.cache), await self.key()
            self._prepared_folder = cache.find(key)
            if self._prepared_folder is None:
                asked = Run(
                    await self.tree("base"),
                    self.how.prepare,
                    limits=self.limits,
                    network=self.section.network,
                )
                self._prepared_folder, outcome = await cache.prepare(
                    key, self.sandbox(), asked, set(await self.sides.entries("base"))
                )
                if self._prepared_folder is None:
                    raise SandboxRefused(
                        f"nothing was run: `{self.how.prepare}` {how_it_ended(outcome)}: {tail(outcome.output)}"
                    )
        self._ready = True
        return outcome

    async def run(self, side: Side, command: str, files: Mapping[str, str], seconds: float | None = None) -> Outcome:
        """Run a command over one side with these files over it. Raises SandboxRefused."""
        await self.prepare()
        limits = self.limits
        if seconds is not None and seconds < limits.seconds:
            limits = RunLimits(max(seconds, 1.0), limits.memory, limits.processes, limits.output, limits.disk)
        return await execute(self.sandbox(), Run(await self.tree(side), command, files, limits, self._prepared_folder))

    async def tree(self, side: Side) -> bytes:
        """Return one side as an archive. Raises SandboxRefused."""
        if side not in self._trees:
            try:
                self._trees[side] = without_secrets(await self.sides.archive(side, min(self.limits.disk, MOST_TREE)))
            except DeepRepoError as error:
                raise SandboxRefused(f"nothing was run: {error}") from error
        return self._trees[side]


async def rig(sides: Sides, section: "RunSection", permission: RunPermission) -> Rig | None:
    """Return the rig of a change; None if nobody knows how its tests are run. The recipe is of the base: a head brings none."""
    paths = await sides.entries("base")
    texts: dict[str, str] = {}
    for name in MANIFESTS:
        if name in paths:
            texts[name] = (await sides.read(name, "base") or b"").decode("utf-8", "replace")
    how = recipe(section, detect(paths, lambda name: texts.get(name, "")))
    return Rig(sides, section, permission, how) if how is not None else None


def _content(entries: Mapping[str, TreeEntry], path: str) -> str:
    return entries[path].oid if path in entries else ""


def without_secrets(tree: bytes) -> bytes:
    """Return an archive with a placeholder in the place of each secret that its texts hold, and without its end mark.

    What a test prints goes to a model and to a page, and it can print in any form: so it finds none.
    """
    masks, whole = Masks(), io.BytesIO()
    for about, data in _members(tree):  # a secret of the last file may be written in the first one too
        if _is_text(data):
            masks.learn(data.decode("utf-8", "surrogateescape"), about.name.removeprefix(PREFIX))
    with tarfile.TarFile(fileobj=whole, mode="w", format=tarfile.GNU_FORMAT) as new:
        for about, data in _members(tree):
            shown = data
            if _is_text(data):
                shown = masks.hide_known(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
            about.size, about.pax_headers = len(shown), {}
            new.addfile(about, io.BytesIO(shown))
        end = new.offset
    return whole.getvalue()[:end]


def _members(tree: bytes) -> Iterator[tuple[tarfile.TarInfo, bytes]]:
    """Everything in an archive, with the content of what is a file."""
    with tarfile.TarFile(fileobj=io.BytesIO(tree)) as known:
        for about in known:
            file = known.extractfile(about) if about.isreg() else None
            yield about, file.read() if file is not None else b""


def _is_text(data: bytes) -> bool:
    return 0 < len(data) <= MOST_TEXT and b"\0" not in data[:HEAD_BYTES]


def how_it_ended(outcome: Outcome) -> str:
    """How a run ended, in words that follow its command."""
    words = {
        "exit": f"ended with {outcome.status}",
        "seconds": "took longer than `run.seconds`",
        "memory": "used more memory than `run.memory`",
        "output": "printed too much",
        "setup": "did not begin: its tree could not be unpacked within `run.disk`",
    }
    return words[outcome.ending]


def tail(output: str, rows: int = 6, most: int = 600) -> str:
    """Return the last lines of an output as one line."""
    kept = [row.strip() for row in output.strip().split("\n") if row.strip()][-rows:]
    return " | ".join(kept)[-most:] or "it printed nothing"
