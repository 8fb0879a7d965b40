"""Our own git folder, which borrows another repository's objects.

Git starts programs named in a repository's configuration: filters, signature checkers, file system monitors,
hooks, transports of a partial clone, and more with each version. So no git command runs with such a
configuration. Commands run in a folder with our configuration, whose object store lists the repository's as
an alternate.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bot.checkout import git
from bot.checkout.locate import RepositoryPaths, paths_of
from bot.errors import RevisionError
from bot.machine import files
from bot.values import PullRequest

EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
SHA256_LENGTH = 64
# Revisions besides branches, tags and ids.
HEADS = ("ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD")
# Settings that determine `@{upstream}` and `@{push}`, with the values that git accepts; it fails on others.
TRACKING = re.compile(
    r"branch\..+\.(remote|pushremote)=[\w./-]+|branch\..+\.merge=refs/\S+|remote\.pushdefault=[\w./-]+"
    r"|remote\..+\.fetch=\+?refs/[\w./*-]+:refs/[\w./*-]+|push\.default=(nothing|current|upstream|tracking|simple|matching)",
    re.IGNORECASE,
)
# Settings that determine how a work tree file becomes content. None of them names a program.
READING_COMMANDS = frozenset(
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
# Files with patterns; only taken from the user's own settings.
PATTERNS = frozenset({"core.excludesfile", "core.attributesfile"})
Settings = Sequence[tuple[str, str]]  # in git's order: a later one wins


def objects(common: str, folder: Path, *, sha256: bool) -> str:
    """Create a bare git folder that reads another one's objects, and return its path."""
    alternates = _quote(os.fsencode(Path(common, "objects"))) + b"\n"
    files.fill(folder, {"objects/info/alternates": alternates, "HEAD": b"ref: refs/heads/none\n"})
    files.folder(folder / "refs", below=folder)
    configure(folder, (), sha256=sha256)
    shallow = Path(common, "shallow")
    if shallow.is_file():
        files.copy(shallow, folder / "shallow")
    return str(folder)


def of_pull(pull: PullRequest, folder: Path) -> str:
    """Create such a folder for the repository of a change."""
    return objects(paths_of(pull.git_dir).common, folder, sha256=len(pull.base) == SHA256_LENGTH)


async def revisions(place: RepositoryPaths, folder: Path) -> str:
    """Create a bare git folder where revisions have the same meaning as in the repository; return its path."""
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
        elif source.is_symlink():  # an old form: a link to a branch without commits
            text = f"ref: {os.readlink(source)}\n"  # noqa: PTH115 - as text
            files.write(folder / name, text, below=folder, durable=False)
    return git_dir


async def local(place: RepositoryPaths) -> Settings:
    """Return the repository's settings.

    They are read as text without effect, and includes are not followed.
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
    """Return the settings of the machine and the user."""
    result = await git.run("config", "--list", "-z", cwd=folder, env={"GIT_DIR": folder}, personal=True)
    return _rows(result.out)


def reading(personal: Settings, local: Settings) -> Settings:
    """Return the settings that determine how a work tree is read."""
    return [
        *((name, value) for name, value in personal if name.lower() in READING_COMMANDS | PATTERNS),
        *((name, value) for name, value in local if name.lower() in READING_COMMANDS and VALUE.fullmatch(value)),
    ]


def shallow(place: RepositoryPaths) -> bool:
    """Return whether part of the repository's history is missing."""
    return Path(place.common, "shallow").exists()


def ends(place: RepositoryPaths) -> frozenset[str]:
    """Return the commits where the repository's history is cut off; empty if it is complete."""
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
    """Return the environment for our own folder, without attributes, which could hide code of a change."""
    sha256 = b"objectFormat" in Path(folder, "config").read_bytes()
    return {"GIT_DIR": folder, "GIT_ATTR_SOURCE": EMPTY_TREES["sha256" if sha256 else "sha1"], **(extra or {})}


def _rows(output: bytes) -> Settings:
    rows = (entry.decode("utf-8", "surrogateescape").partition("\n") for entry in output.split(b"\0") if entry)
    return [(name, value if line else "true") for name, line, value in rows]


def _section(name: str, value: str) -> str:
    """Return a setting in the form of a configuration file."""
    section, _, rest = name.partition(".")
    sub, dot, key = rest.rpartition(".")
    head = f'{section} "{_escape(sub)}"' if dot else section
    return f'[{head}]\n\t{key} = "{_escape(value)}"\n'


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _quote(path: bytes) -> bytes:
    """Return a path as a line of `alternates`, quoted like a C string if necessary."""
    if not path.startswith((b'"', b"#")) and b"\n" not in path:
        return path
    return b'"' + path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'
