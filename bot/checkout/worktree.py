"""Add the work tree to a copy of the index, without running programs that the repository names.

`git add` runs clean filters, which are programs from the configuration, and git in submodules with their
configuration. So the changed paths are determined and added individually, in a folder with our own
configuration.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bot.checkout import git, own_git_dir
from bot.checkout.own_git_dir import RepositoryPaths, Settings
from bot.config.settings import hook_index
from bot.machine import files
from deeprepo.impact.concurrency import together
from deeprepo.impact.text.paths import name_of

SUBMODULE = b"160000"


@dataclass(frozen=True, slots=True)
class Index:
    """A copy of the repository's index, to which the work tree can be added."""

    place: RepositoryPaths
    own: str

    async def run(self, *arguments: str, stdin: bytes = b"") -> git.GitResult:
        """Run a git command on the copy and the work tree."""
        top = self.place.top or self.own
        env = {"GIT_DIR": self.own, "GIT_WORK_TREE": top, "GIT_INDEX_FILE": str(Path(self.own, "index"))}
        return await git.run(*arguments, cwd=top, env=env, stdin=stdin)

    async def add_work_tree(self) -> tuple[str, ...]:
        """Add changed and new files. Return the paths left out, to which a clean filter applies."""
        settings = await together(own_git_dir.personal(self.own), own_git_dir.local(self.place))
        self._configure(*settings)
        index_rows, differs, fresh = await together(
            self._output("ls-files", "--stage", "-z"),
            self._output("diff-files", "--name-status", "--ignore-submodules=all", "-z"),
            self._output("ls-files", "--others", "--exclude-standard", "-z"),
        )
        entries = {path: meta.split() for entry in _split(index_rows) for meta, _, path in [entry.partition(b"\t")]}
        states = _split(differs)
        status = dict(zip(states[1::2], states[::2], strict=True))
        deleted_paths = [path for path, state in status.items() if state == b"D"]
        # A path with a trailing slash is a nested repository, which is not part of this one.
        new = [path for path in _split(fresh) if not path.endswith(b"/")]
        work = dict.fromkeys([*(path for path, state in status.items() if state != b"D"), *new])
        filters = await self._filters(work, settings)
        modules = [path for path, (mode, *_) in entries.items() if mode == SUBMODULE]
        zero = b"0" * (len(next(iter(entries.values()))[1]) if entries else 0)
        await self._output(
            "update-index", "-z", "--index-info", stdin=_join(b"0 %s\t%s" % (zero, p) for p in deleted_paths)
        )
        paths = _join([*(path for path in work if path not in filters), *modules])
        await self._output("update-index", "--add", "--remove", "--replace", "-z", "--stdin", stdin=paths)
        return tuple(map(name_of, filters))

    def _configure(self, personal: Settings, local: Settings) -> None:
        """Configure how files of the work tree become content, such as line endings."""
        sha256 = {name.lower(): value.lower() for name, value in local}.get("extensions.objectformat") == "sha256"
        own_git_dir.configure(Path(self.own), own_git_dir.content_settings(personal, local), sha256=sha256)

    async def _filters(self, paths: Iterable[bytes], settings: Iterable[Settings]) -> frozenset[bytes]:
        """Return the files to which a configured filter applies. Their index entries stay unchanged."""
        drivers = own_git_dir.filters(settings)
        if not drivers:
            return frozenset()
        attributes = _split(await self._output("check-attr", "-z", "--stdin", "filter", stdin=_join(paths)))
        rows = zip(attributes[::3], attributes[2::3], strict=True)
        filters = ((path, name.decode("utf-8", "surrogateescape")) for path, name in rows)
        top = Path(self.place.top or self.own)
        files_of_filters = ((path, top / os.fsdecode(path)) for path, name in filters if name in drivers)
        return frozenset(path for path, place in files_of_filters if place.is_file() and not place.is_symlink())

    async def _output(self, *arguments: str, stdin: bytes = b"") -> bytes:
        result = await self.run(*arguments, stdin=stdin)
        if result.status:
            raise git.failure(arguments[0], result)
        return result.out


def index(place: RepositoryPaths, own: str) -> Index:
    """Copy the index into our own git folder, so that the repository's index doesn't change."""
    _copy(place, Path(own))
    return Index(place, own)


def _copy(place: RepositoryPaths, own: Path) -> None:
    """Copy the files in which git stores the state of a work tree, except its configuration."""
    # In a hook, git may use another index file.
    index_file = Path(place.top or place.git_dir, hook_index() or Path(place.git_dir, "index"))
    if index_file.exists():  # a branch without commits has no index; git creates one
        # Copy the times too, because git treats entries older than the index as unchanged.
        files.copy(index_file, own / "index")
    for shared_index in Path(place.git_dir).glob("sharedindex.*"):
        files.copy(shared_index, own / shared_index.name)
    files.folder(own / "info", below=own)
    for name in ("exclude", "attributes", "sparse-checkout"):
        source = Path(place.common if name != "sparse-checkout" else place.git_dir, "info", name)
        if source.is_file():
            files.copy(source, own / "info" / name)


def _split(out: bytes) -> list[bytes]:
    return out.removesuffix(b"\0").split(b"\0") if out else []


def _join(rows: Iterable[bytes]) -> bytes:
    return b"".join(row + b"\0" for row in rows)
