"""One change's tests, ready to run on either side of it: the recipe, the sandbox, what was prepared."""

import io
import itertools
import re
import tarfile
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bot.errors import DeepRepoError
from bot.masking.masks import Masks
from bot.review.running import prepare as preparing
from bot.review.running.choose import choose
from bot.review.running.execute import PREFIX, execute
from bot.review.running.installs import NO_DOWNLOADS, proposal
from bot.review.running.layout import PackageLayout, decisive, manifests
from bot.review.running.runners import Recipe, recipe
from bot.review.running.values import Online, Outcome, Run, RunLimits, RunPermission, Sandbox, SandboxRefused
from bot.text import globs
from bot.values import Side, TreeEntry

if TYPE_CHECKING:
    from bot.config import RunSection

MEGABYTE = 1 << 20
OUTPUT = 8 * MEGABYTE
MOST_TEXT, HEAD_BYTES = 2 * MEGABYTE, 8_000  # of a file that is looked through for secrets
PREPARE_SECONDS = 900.0  # that a preparation may take, at least
FULL = re.compile(r"No space left on device|ENOSPC", re.IGNORECASE)
LACKS = re.compile(
    r"(?:^|: )[\w./-]{1,80}: (?:command )?not found|ensurepip is not\s+available|No module named (?:venv|ensurepip)",
    re.MULTILINE,
)
MOST_TREE = 256 * MEGABYTE  # of one side, as it is held in memory


@dataclass(frozen=True, slots=True)
class Sides:
    """Both trees of a change, as far as tests need them."""

    repository: str  # what tells it from every other one on this machine
    entries: Callable[[Side], Awaitable[Mapping[str, TreeEntry]]]
    archive: Callable[[Side, int], Awaitable[bytes]]
    read_many: Callable[[Sequence[str], Side], Awaitable[Mapping[str, bytes]]]


@dataclass(slots=True)
class Rig:
    """Runs one test file at a time. Everything that can prevent that is a SandboxRefused with a sentence."""

    sides: Sides
    section: "RunSection"
    permission: RunPermission
    layout: PackageLayout  # of the base: a head brings no recipe
    masked_files: dict[Side, tuple[str, ...]] = field(
        default_factory=dict
    )  # files with a placeholder, of the trees that were used
    _sandbox: Sandbox | None = None
    _prepared_folder: Path | None = None
    _ready: bool = False
    _trees: dict[Side, tuple[bytes, int]] = field(default_factory=dict)

    @property
    def limits(self) -> RunLimits:
        """The limits of one run."""
        section = self.section
        disk = section.disk * MEGABYTE
        return RunLimits(section.seconds, section.memory * MEGABYTE, section.processes, OUTPUT, disk)

    @property
    def proposal(self) -> str:
        """What would install the packages that tests need, if the owner wants that."""
        return proposal(self.layout)

    @property
    def install(self) -> str:
        """What prepares: the owner's own command, or the one that is proposed, if the owner's section has the network for it."""
        if self.section.prepare is not None:
            return self.section.prepare
        return self.proposal if self.section.network else ""

    def recipe(self, near: str) -> Recipe | None:
        """Return how a test about a file is run; None if nobody knows."""
        return recipe(self.section, self.layout, near)

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
        exact = [(path, base[path].oid) for path in decisive(base)]
        network = self.section.network
        return preparing.key(self.sides.repository, self.sandbox(), self.install, exact, network=network)

    async def changed_locks(self) -> list[str]:
        """Return the files that decide about dependencies and are not the same on both sides."""
        head, base = await self.sides.entries("head"), await self.sides.entries("base")
        names = dict.fromkeys([*decisive(base), *decisive(head)])
        return [path for path in names if _content(head, path) != _content(base, path)]

    async def prepare(self) -> Outcome | None:
        """Have the dependencies at hand; the outcome of the command if it had to run now. Raises SandboxRefused."""
        if self._ready:
            return None
        outcome = None
        if self.install:
            if changed := await self.changed_locks():
                raise SandboxRefused(f"nothing was run: the dependencies change ({', '.join(changed[:3])})")
            cache, key = preparing.Cache(self.permission.cache), await self.key()
            self._prepared_folder = cache.find(key)
            if self._prepared_folder is None:
                if self.section.network and not self.permission.network:
                    raise SandboxRefused(
                        "nothing was run: `run.network` asks for the network, and DEEPREPO_RUN_NETWORK does not allow it: "
                        "call `DEEPREPO_RUN_NETWORK=1 deeprepo run --prepare` here, or set it for the server"
                    )
                self._prepared_folder, outcome = await self._install(cache, key)
        self._ready = True
        return outcome

    async def _install(self, cache: preparing.Cache, key: str) -> tuple[Path, Outcome]:
        """Run the command at the base commit and keep what it leaves. Raises SandboxRefused."""
        tree, time = await self.tree("base")
        self._trees.pop("base", None)  # over what is prepared now it has to be younger
        caps, online = self.limits, self.permission.online if self.section.network else Online()
        seconds = max(caps.seconds, PREPARE_SECONDS)
        request = Run(
            tree,
            self.install,
            limits=RunLimits(seconds, caps.memory, caps.processes, caps.output, caps.disk),
            network=self.section.network,
            time=time,
            variables=online.variables if self.section.prepare is not None else {**NO_DOWNLOADS, **online.variables},
            home=online.files,
        )
        path, outcome = await cache.prepare(key, self.sandbox(), request, set(await self.sides.entries("base")))
        if path is None:
            outcome_words = f"`{self.install}` {how_it_ended(outcome, seconds)}"
            sentence = f"nothing was run: {outcome_words}: {tail(outcome.output)}. {self._remedy(outcome)}"
            raise SandboxRefused(sentence, outcome.output)
        return path, outcome

    def _remedy(self, outcome: Outcome) -> str:
        """What to do about a preparation that failed."""
        if outcome.ending in ("memory", "setup") or FULL.search(outcome.output):
            name = "memory" if outcome.ending == "memory" else "disk"
            return f"Raise `run.{name}`, which is {getattr(self.section, name):,} MB"
        if outcome.ending == "exit" and LACKS.search(outcome.output):
            where = (
                "the image in `run.image`"
                if self.sandbox().image
                else "/usr and the folders that DEEPREPO_RUN_TOOLS names"
            )
            return f"The sandbox has the programs of {where} alone: install what is missing there"
        if not self.section.network:
            return "It has no network: set `network: true` in the section `run`, and DEEPREPO_RUN_NETWORK=1, if it needs that"
        left = (
            f"; these settings hold a login and are not handed to it: {', '.join(self.permission.online.left_out)}"
            if self.permission.online.left_out
            else ""
        )
        return f"Try it in a fresh clone without .git; if it has to be another command there, set it as `run.prepare`{left}"

    async def run(
        self, side: Side, command: str, files: Mapping[str, str], folder: str = "", seconds: float | None = None
    ) -> Outcome:
        """Run a command over one side with these files over it. Raises SandboxRefused."""
        await self.prepare()
        limits = self.limits
        if seconds is not None and seconds < limits.seconds:
            limits = RunLimits(max(seconds, 1.0), limits.memory, limits.processes, limits.output, limits.disk)
        tree, time = await self.tree(side)
        request = Run(tree, command, files, limits, self._prepared_folder, folder=folder, time=time)
        return await execute(self.sandbox(), request)

    async def tree(self, side: Side) -> tuple[bytes, int]:
        """Return one side as an archive, and the time of its files: that of the commit, or after everything prepared. Raises SandboxRefused."""
        if side not in self._trees:
            try:
                whole = await self.sides.archive(side, min(self.limits.disk, MOST_TREE))
            except DeepRepoError as error:
                raise SandboxRefused(f"nothing was run: {error}") from error
            least = preparing.newest(self._prepared_folder) + 1 if self._prepared_folder is not None else 0
            time = max([least, *(int(about.mtime) for about, _ in itertools.islice(_members(whole), 1))])
            tree, self.masked_files[side] = without_secrets(whole, time, await self._fixtures(side))
            self._trees[side] = tree, time
        return self._trees[side]

    async def _fixtures(self, side: Side) -> frozenset[str]:
        """The files that the owner has named as fixtures, as far as they are the base's: a change makes no secret readable."""
        if not self.section.fixtures:
            return frozenset()
        base, here = await self.sides.entries("base"), await self.sides.entries(side)
        paths = (path for path in here if globs.matches(self.section.fixtures, path))
        return frozenset(path for path in paths if _content(base, path) == here[path].oid)


async def rig(sides: Sides, section: "RunSection", permission: RunPermission) -> Rig:
    """Return the rig of a change. How tests are run is decided by the base."""
    paths = await sides.entries("base")
    texts = await sides.read_many(manifests(paths), "base")
    layout = PackageLayout(tuple(paths), {path: text.decode("utf-8", "replace") for path, text in texts.items()})
    return Rig(sides, section, permission, layout)


def _content(entries: Mapping[str, TreeEntry], path: str) -> str:
    return entries[path].oid if path in entries else ""


def without_secrets(tree: bytes, time: int = 0, fixtures: Collection[str] = ()) -> tuple[bytes, tuple[str, ...]]:
    """Return an archive with a placeholder in the place of each secret that its texts hold, and without its end mark; the altered files.

    What a test prints goes to a model and to a page, and it can print in any form: so it finds none. `fixtures`: files whose own secrets
    their owner calls none; what is a secret of another file stays one in them.
    """
    masks, whole, masked_files = Masks(), io.BytesIO(), []
    for about, data in _members(tree):  # a secret of the last file may be written in the first one too
        path = about.name.removeprefix(PREFIX)
        if path not in fixtures and _is_text(data):
            masks.learn(data.decode("utf-8", "surrogateescape"), path)
    with tarfile.TarFile(fileobj=whole, mode="w", format=tarfile.GNU_FORMAT) as new:
        for about, data in _members(tree):
            text = data
            if _is_text(data):
                text = masks.hide_known(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
            if text != data:
                masked_files.append(about.name.removeprefix(PREFIX))
            about.size, about.mtime, about.pax_headers = len(text), time, {}
            new.addfile(about, io.BytesIO(text))
        end = new.offset
    return whole.getvalue()[:end], tuple(masked_files)


def _members(tree: bytes) -> Iterator[tuple[tarfile.TarInfo, bytes]]:
    """Everything in an archive, with the content of what is a file."""
    with tarfile.TarFile(fileobj=io.BytesIO(tree)) as known:
        for about in known:
            file = known.extractfile(about) if about.isreg() else None
            yield about, file.read() if file is not None else b""


def _is_text(data: bytes) -> bool:
    return 0 < len(data) <= MOST_TEXT and b"\0" not in data[:HEAD_BYTES]


def how_it_ended(outcome: Outcome, seconds: float = 0) -> str:
    """How a run ended, in words that follow its command. `seconds`: its limit, if that is not the owner's."""
    words = {
        "exit": f"ended with {outcome.status}",
        "seconds": f"took longer than {seconds:g} s" if seconds else "took longer than `run.seconds`",
        "memory": "used more memory than `run.memory`",
        "output": "printed too much",
        "setup": "did not begin: its tree could not be unpacked within `run.disk`",
    }
    return words[outcome.ending]


def tail(output: str, rows: int = 6, most: int = 600) -> str:
    """Return the last lines of an output as one line."""
    kept = [row.strip() for row in output.strip().split("\n") if row.strip()][-rows:]
    return " | ".join(kept)[-most:] or "it printed nothing"
