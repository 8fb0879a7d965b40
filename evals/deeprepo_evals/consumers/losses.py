"""What a library's commits take away, told by their patches: names, members, and homes of names."""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from bot.checkout import git
from deeprepo.impact.text.paths import is_aside, vendored_folder
from deeprepo_evals.clones import blobs
from deeprepo_evals.consumers.syntax import BINDING, Syntax, is_distinctive

Kind = Literal["name", "moved", "member"]
SHORTEST = 4  # letters of a name
MOST_COMMITS = 4_000
MOST_BYTES = 160 << 20  # of a history's patches
HOLES = 60  # objects that a clone may lack
TOO_MANY = 40  # definitions of one commit: a new layout, not a change
CHANGED = re.compile(r"^(?:\+(?!\+\+ )|-(?!-- ))", re.MULTILINE)
SPACE = re.compile(r"^(?:namespace ([\w\\.]+)|package ([\w.]+))")


@dataclass(frozen=True, slots=True)
class Loss:
    """What a commit of a library takes away."""

    commit: str
    time: int
    name: str
    path: str
    kind: Kind = "name"
    home: str = ""  # the module of a name, as imports write it


@dataclass(slots=True)
class _Patch:
    """What a patch says of definitions: name -> path."""

    old_names: dict[str, str] = field(default_factory=dict)
    new_names: set[str] = field(default_factory=set)
    old_members: dict[str, str] = field(default_factory=dict)
    new_members: set[str] = field(default_factory=set)
    spaces: dict[str, str] = field(default_factory=dict)  # path -> namespace that the removed file had


def _aside(path: str) -> bool:
    return bool(is_aside(path) or vendored_folder(path))


async def _patches(clone: Path, syntax: Syntax) -> list[str]:
    """The commits that change sources, the newest first: "ID TIME", a line's end, and the patch.

    A clone may lack an object: then the commit that needs it is left out.
    """
    found: list[bytes] = []
    size = skip = 0
    for _ in range(HOLES):
        done = await git.search(
            "log", "-p", "-U0", "--no-renames", "--min-parents=1", "--no-merges", "--no-color", "--no-ext-diff", f"--max-count={MOST_COMMITS}", f"--skip={skip}",
            "--format=%x00%H %ct", "HEAD", "--", *(f"*{ending}" for ending in syntax.endings),
            cwd=str(clone), env=None, seconds=240.0, rows=None, most=MOST_BYTES - size,
        )  # fmt: skip
        rows = done.out.split(b"\0")[1:]
        found += rows
        size, skip = size + len(done.out), skip + len(rows) + (not rows)
        if done.status == 0 or size >= MOST_BYTES or len(found) >= MOST_COMMITS:
            break
    return [raw.decode("utf-8", "replace") for raw in found]


@dataclass(frozen=True, slots=True)
class History:
    """A library's losses as its patches show them, the newest first (`is_lost` looks at the tree), and its ordinary commits with their times."""

    losses: Sequence[Loss] = ()
    ordinary: Sequence[tuple[str, int]] = ()


async def read(clone: Path, syntax: Syntax) -> History:
    """What the patches of a library show."""
    found: list[Loss] = []
    ordinary: list[tuple[str, int]] = []
    for raw in await _patches(clone, syntax):
        head, _, rest = raw.partition("\n")
        commit, _, time = head.partition(" ")
        if not time.isdigit():
            continue
        if 2 <= len(CHANGED.findall(rest)) <= 300:  # noqa: PLR2004 - as in `mine.commits`
            ordinary.append((commit, int(time)))
        found += _of_patch(_read(rest, syntax), commit, int(time))
    return History(sorted(found, key=lambda loss: -loss.time), ordinary)


def _read(text: str, syntax: Syntax) -> _Patch:
    patch, path, aside = _Patch(), "", False
    for line in text.split("\n"):
        if line.startswith("--- "):
            path = line[6:]
        elif line.startswith("+++ "):
            path = line[6:] if path == "ev/null" else path
            aside = _aside(path)
        elif line[:1] in "+-" and line[1:2] not in "+-" and not aside:
            _take(patch, path, line[1:], syntax, is_new=line[0] == "+")
    return patch


def _take(patch: _Patch, path: str, code: str, syntax: Syntax, *, is_new: bool) -> None:
    """One changed line."""
    name = next(filter(None, match.groups()), "") if (match := syntax.defines.match(code)) else ""
    if name:
        patch.new_names.add(name) if is_new else patch.old_names.setdefault(name, path)
    member = next(filter(None, match.groups()), "") if (match := syntax.members.match(code)) else ""
    if member:
        patch.new_members.add(member) if is_new else patch.old_members.setdefault(member, path)
    if is_new:
        return
    if space := SPACE.match(code):
        patch.spaces[path] = space[1] or space[2]


def _of_patch(patch: _Patch, commit: str, time: int) -> list[Loss]:
    names = {name: at for name, at in patch.old_names.items() if len(name) >= SHORTEST}
    if len([name for name in names if name not in patch.new_names]) > TOO_MANY:
        return []
    rows = []
    for name, at in names.items():
        stem, ending = posixpath.splitext(at)
        space = patch.spaces.get(at, "")
        home = ""
        if ending == ".py":
            home = re.sub(r"^(?:src|lib)/", "", stem).replace("/", ".").removesuffix(".__init__")
        elif ending == ".php" and space:
            home = f"{space}\\{name}"
        elif ending in (".java", ".kt") and space:
            home = f"{space}.{name}"
        elif ending == ".go":
            home = posixpath.dirname(at)
        if name not in patch.new_names or home:
            rows.append(Loss(commit, time, name, at, "name" if name not in patch.new_names else "moved", home))
    lost = {
        name: at
        for name, at in patch.old_members.items()
        if name not in patch.new_members | patch.new_names and name not in names
    }
    if len(lost) <= TOO_MANY:
        rows += [Loss(commit, time, name, at, "member") for name, at in lost.items() if is_distinctive(name)]
    return rows


async def is_lost(clone: Path, loss: Loss, syntax: Syntax) -> bool:
    """Whether the library after the commit really has no such name, at all or where it was."""
    if loss.kind == "moved":
        return await _has_left(clone, loss, syntax)
    return not await binds(clone, loss.commit, loss.name, syntax)


async def _has_left(clone: Path, loss: Loss, syntax: Syntax) -> bool:
    """Whether the module, package or namespace that defined a name has it no longer, and hands on nothing unnamed."""
    if loss.path.endswith((".php", ".java", ".kt")):
        rows = await _lines(clone, loss.commit, loss.name, syntax)
        space = re.escape(loss.home[: -len(loss.name) - 1])
        paths = {path for path, line in rows if syntax.defines.match(line)}
        texts = await blobs(clone, [f"{loss.commit}:{path}" for path in paths])
        here = re.compile(rf"^(?:namespace|package) {space}\s*;?\s*$", re.MULTILINE)
        return not any(here.search(text.decode("utf-8", "replace")) for text in texts.values())
    stem = loss.home.replace(".", "/")
    where = (
        [f":(glob){loss.home}/*.go"]
        if loss.path.endswith(".go")
        else [f":(glob)**/{stem}.py", f":(glob)**/{stem}/__init__.py"]
    )
    done = await git.run(
        "grep", "-q", "-E", "-e", rf"\b{loss.name}\b|import \*|__getattr__", loss.commit, "--", *where, cwd=str(clone)
    )
    return done.status != 0


async def binds(clone: Path, commit: str, name: str, syntax: Syntax) -> bool:
    """Whether any source of a tree gives the word to others or to itself, tests and examples aside."""
    binding = re.compile(BINDING.replace("NAME", re.escape(name)))
    return any(binding.search(line) for _, line in await _lines(clone, commit, name, syntax))


async def _lines(clone: Path, commit: str, name: str, syntax: Syntax) -> list[tuple[str, str]]:
    done = await git.run(
        "grep", "-z", "-w", "-F", "-e", name, commit, "--", *(f"*{ending}" for ending in syntax.endings), cwd=str(clone)
    )
    rows = (row.partition("\0") for row in done.out.decode("utf-8", "replace").split("\n") if row)
    return [(path, line) for path, line in ((at.partition(":")[2], line) for at, _, line in rows) if not _aside(path)]
