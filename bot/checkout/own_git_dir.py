"""Find a repository without running git, and create git folders of our own that borrow its objects.

Git starts programs that a repository's configuration names: filters, signature checkers, file system
monitors, hooks, transports of a partial clone, and more with each version. That is why no git command runs
with such a configuration. Commands run in a folder with our own configuration, which uses the repository's
object store as an alternate.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.checkout import git
from bot.config.settings import hook_repository
from bot.errors import RevisionError
from bot.machine import files
from bot.values import PullRequest

EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
SHA256_LENGTH = 64
# Revisions in addition to branches, tags and object IDs.
HEADS = ("ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD")
# Settings that determine `@{upstream}` and `@{push}`, with valid values. Git fails if a value is invalid.
TRACKING = re.compile(
    r"branch\..+\.(remote|pushremote)=[\w./-]+|branch\..+\.merge=refs/\S+|remote\.pushdefault=[\w./-]+"
    r"|remote\..+\.fetch=\+?refs/[\w./*-]+:refs/[\w./*-]+|push\.default=(nothing|current|upstream|tracking|simple|matching)",
    re.IGNORECASE,
)
# Settings that determine how a file in the work tree becomes content. None of them can name a program.
CONTENT_SETTINGS = frozenset(
    f"core.{name}"
    for name in (
        "autocrlf",
        "eol",
        "filemode",
        "symlinks",
        "ignorecase",
        "precomposeunicode",
        "checkstat",
        "trustctime",
    )
)
VALUE = re.compile(r"true|false|yes|no|on|off|input|lf|crlf|native|default|minimal|[01]|", re.IGNORECASE)
# Settings that name files with patterns. They only count in the user's own configuration.
PATTERN_FILES = frozenset({"core.excludesfile", "core.attributesfile"})
Settings = Sequence[tuple[str, str]]  # names and values in git's order, in which later settings win


MAX_LINK_BYTES = 64_000  # of a `.git` file, which contains one path


@dataclass(frozen=True, slots=True)
class RepositoryPaths:
    """The absolute paths of a repository."""

    git_dir: str  # contains HEAD and the index
    common: str  # contains objects, refs and configuration; differs from `git_dir` in a linked work tree
    top: str | None  # the top folder of the work tree, or None in a bare repository


def locate(repo: str) -> RepositoryPaths:
    """Return the paths of the repository that contains a folder, or that the folder is. Raises RevisionError."""
    if not os.path.isdir(repo):  # noqa: PTH112 - one check of the local disk
        raise RevisionError(f"{repo} is not a folder. Pass the path of a git checkout with --repo")
    start = Path(repo).resolve()
    if _is_git_dir(start):
        return paths_of(start)
    paths = next((place for folder in (start, *start.parents) if (place := _at(folder))), None) or _from_hook(start)
    if paths is None:
        raise RevisionError(f"{start} is not in a git repository. Run deeprepo in a checkout, or pass one with --repo")
    return paths


def git_dir(repo: str) -> str:
    """Return a repository's git folder, or the path itself if it is not a repository."""
    try:
        return locate(repo).git_dir
    except RevisionError:
        return repo


def paths_of(git_dir: str | Path) -> RepositoryPaths:
    """Return the paths for a git folder, without a work tree."""
    return _paths(Path(git_dir), None)


def _paths(git_dir: Path, top: str | None) -> RepositoryPaths:
    return RepositoryPaths(str(git_dir), str(_common(git_dir)), top)


def _at(folder: Path) -> RepositoryPaths | None:
    """Return the paths of the repository whose work tree has this top folder, or None."""
    entry = folder / ".git"
    if entry.is_file():
        link = _line(entry)
        entry = folder / link.removeprefix("gitdir:").strip() if link.startswith("gitdir:") else entry
    return _paths(entry.resolve(), str(folder)) if _is_git_dir(entry) else None


def _from_hook(folder: Path) -> RepositoryPaths | None:
    """Return the repository that git passes to a hook, if its work tree contains the folder, or None."""
    named = hook_repository()
    if named is None or named[1] not in (folder, *folder.parents) or not _is_git_dir(named[0]):
        return None
    return _paths(named[0], str(named[1]))


def _is_git_dir(folder: Path) -> bool:
    """Return whether git accepts a folder as a repository. It must have HEAD, objects and refs."""
    common = _common(folder)
    return (folder / "HEAD").is_file() and (common / "objects").is_dir() and (common / "refs").is_dir()


def _common(git_dir: Path) -> Path:
    """Return the folder with objects and refs. A linked work tree has a file with its path."""
    link = git_dir / "commondir"
    return (git_dir / _line(link)).resolve() if link.is_file() else git_dir


def _line(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return os.fsdecode(file.read(MAX_LINK_BYTES)).rstrip("\n")
    except OSError:
        return ""


def objects(common: str, folder: Path, *, sha256: bool) -> str:
    """Create a bare git folder that uses the objects in `common`, and return its path."""
    alternates = quoted(os.fsencode(Path(common, "objects"))) + b"\n"
    files.fill(folder, {"objects/info/alternates": alternates, "HEAD": b"ref: refs/heads/none\n"})
    files.folder(folder / "refs", below=folder)
    configure(folder, (), sha256=sha256)
    shallow = Path(common, "shallow")
    if shallow.is_file():
        files.copy(shallow, folder / "shallow")
    return str(folder)


def of_pull(pull: PullRequest, folder: Path) -> str:
    """Create a bare git folder that uses the objects of a change's repository, and return its path."""
    return objects(paths_of(pull.git_dir).common, folder, sha256=len(pull.base) == SHA256_LENGTH)


async def revisions(place: RepositoryPaths, folder: Path) -> str:
    """Create a bare git folder in which revisions mean the same as in the repository, and return its path."""
    settings = await local(place)
    last = {name.lower(): value.lower() for name, value in settings}
    git_dir = objects(place.common, folder, sha256=last.get("extensions.objectformat") == "sha256")
    reftable = last.get("extensions.refstorage") == "reftable"
    if reftable and place.git_dir != place.common:
        raise RevisionError("a linked work tree that uses reftable cannot be read. Pass the main checkout with --repo")
    configure(
        folder,
        [(name, value) for name, value in settings if TRACKING.fullmatch(f"{name}={value}")],
        sha256=last.get("extensions.objectformat") == "sha256",
        reftable=reftable,
    )
    (folder / "refs").rmdir()
    common = Path(place.common)
    refs = {name: common / name for name in ("refs", "packed-refs", "reftable", "logs/refs")}
    for name, source in {**refs, "logs/HEAD": Path(place.git_dir, "logs/HEAD")}.items():
        if source.exists():
            files.folder((folder / name).parent, below=folder)
            files.link(folder / name, source)
    for name in ("HEAD", *HEADS):
        source = Path(place.git_dir, name)
        if source.is_file():
            files.copy(source, folder / name)
    return git_dir


async def local(place: RepositoryPaths) -> Settings:
    """Return the settings in the repository's configuration.

    They have no effect, and includes are not followed.
    """
    settings: list[tuple[str, str]] = []
    for path in (Path(place.common, "config"), Path(place.git_dir, "config.worktree")):
        if path.is_file():
            result = await git.run("config", "--file", str(path), "--no-includes", "--list", "-z", cwd="/")
            if result.status:
                raise RevisionError(f"git cannot read {path}: {result.err[:200]}")
            settings += _rows(result.out)
    return settings


async def personal(folder: str) -> Settings:
    """Return the settings in the system's and the user's configuration."""
    result = await git.run("config", "--list", "-z", cwd=folder, env={"GIT_DIR": folder}, personal=True)
    return _rows(result.out)


def content_settings(personal: Settings, local: Settings) -> Settings:
    """Return the settings that determine how files in the work tree become content."""
    return [
        *((name, value) for name, value in personal if name.lower() in CONTENT_SETTINGS | PATTERN_FILES),
        *((name, value) for name, value in local if name.lower() in CONTENT_SETTINGS and VALUE.fullmatch(value)),
    ]


def shallow(place: RepositoryPaths) -> bool:
    """Return whether part of the repository's history is missing."""
    return Path(place.common, "shallow").exists()


def shallow_commits(place: RepositoryPaths) -> frozenset[str]:
    """Return the commits at which a shallow clone's history is cut off; none in a complete clone."""
    path = Path(place.common, "shallow")
    return frozenset(path.read_text("ascii", "replace").split()) if path.is_file() else frozenset()


def filters(settings: Iterable[Settings]) -> frozenset[str]:
    """Return the names of filters for which a program is configured."""
    matches = (
        re.fullmatch(r"filter\.(.+)\.(?:clean|process)", name, re.DOTALL) for some in settings for name, _ in some
    )
    return frozenset(match[1] for match in matches if match)


def configure(folder: Path, settings: Settings, *, sha256: bool = False, reftable: bool = False) -> None:
    """Write the configuration of our own git folder."""
    extensions = {"objectFormat": "sha256"} if sha256 else {}
    extensions |= {"refStorage": "reftable"} if reftable else {}
    rows: list[tuple[str, str]] = [
        ("core.repositoryformatversion", "1" if extensions else "0"),
        ("core.bare", "true"),
        *((f"extensions.{name}", value) for name, value in extensions.items()),
        *settings,
    ]
    text = "".join(_section(name, value) for name, value in rows)
    files.write(folder / "config", text.encode("utf-8", "surrogateescape"), below=folder, durable=False)


def environment(folder: str, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for git in our own folder, without attributes, which could hide code."""
    sha256 = b"objectFormat" in Path(folder, "config").read_bytes()
    return {"GIT_DIR": folder, "GIT_ATTR_SOURCE": EMPTY_TREES["sha256" if sha256 else "sha1"], **(extra or {})}


def _rows(output: bytes) -> Settings:
    rows = (entry.decode("utf-8", "surrogateescape").partition("\n") for entry in output.split(b"\0") if entry)
    return [(name, value if line else "true") for name, line, value in rows]


def _section(name: str, value: str) -> str:
    section, _, rest = name.partition(".")
    sub, dot, key = rest.rpartition(".")
    head = f'{section} "{_escape(sub)}"' if dot else section
    return f'[{head}]\n\t{key} = "{_escape(value)}"\n'


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def quoted(path: bytes) -> bytes:
    """Return a path for a file or command of git, quoted like a C string if necessary."""
    if not path.startswith((b'"', b"#")) and b"\n" not in path:
        return path
    return b'"' + path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'
