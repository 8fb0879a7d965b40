"""What a commit takes away, who had to follow it, and the proof that a user who does not is broken.

Two ways: no code of the tree contains the name any more; or its user is bound to one place (an import that resolves, a package, a
receiver of one plain type) that no longer offers it. A name that is guarded, defined again or written dynamically makes no case.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deeprepo_evals.mine import binding, commits
from deeprepo_evals.mine.commits import Commit, Patch
from deeprepo_evals.mine.grammar import SUFFIXES, family, node_names, suffix
from deeprepo_evals.mine.reading import Definition, Place, definitions, places

MOST_NAMES, MOST_HOLDERS = 8, 25
SHORTEST = 3
TOLERANT = frozenset({".js", ".jsx", ".mjs", ".cjs", ".lua"})  # a call with other arguments runs
DEFINING = re.compile(
    r"^\s*(?:@\w+\s+)?(?:export|public|private|protected|internal|static|async|def|class|func|fn|function|const|let|var|val|fun|struct|enum|"
    r"interface|trait|type|abstract|final|pub|module|default|override|object|data|sealed|open|inline|extern|unsafe|typedef|union|virtual|"
    r"readonly|suspend|record|get|set|protocol|typealias|fileprivate|mutating|indirect|lazy|case|implicit|given|inline|opaque|#\s*define)\b|^\s*[\w$.]+\s*[:=]|^\s*\w[^()=;]{0,150}\(|^\s*[A-Z]"
)
DYNAMIC = re.compile(
    rb"__getattr__|method_missing|define_method|\bProxy\(|__call\b|__callStatic|instance_eval|class_eval"
)
RECEIVED = frozenset({"receiver", "inherited", "qualified"})
WORD = re.compile(r"[A-Za-z_$][\w$]*")


@dataclass(frozen=True, slots=True)
class Proven:
    """One user of a changed definition that would be broken if it were left as it was."""

    name: str
    change: str  # function, method, class, constant, type, field, macro, signature, module
    how: str  # how the user is bound to the definition
    home: str  # the file that defined it
    line: int  # of the definition, in the base
    user: str
    lines: tuple[int, ...]  # of the user, in the base


@dataclass(slots=True)
class Scene:
    """A commit with the contents of its files on both sides."""

    clone: Path
    commit: Commit
    before: Mapping[str, bytes]  # path in the parent -> content
    after: Mapping[str, bytes]

    def home_after(self, file: Patch) -> bytes:
        """What is left of a file at its place, or where it went."""
        return self.after.get(file.path, b"") if file.status != "D" else b""


async def proven(clone: Path, commit: Commit) -> list[Proven]:
    """Every user of this commit that is a case if it is left out."""
    files = [file for file in commit.files if node_names(file.path) is not None or node_names(file.old) is not None]
    if len(files) <= 1 or not any(file.status == "M" for file in files):
        return []
    pairs = list(_pairs(files))
    moves = [
        (file, user)
        for file in files
        if file.status in "RD"
        for user in files
        if user.status == "M" and family(user.path) == family(file.old)
    ]
    if not pairs and not moves:
        return []
    scene = await _scene(clone, commit, files)
    found: list[Proven] = []
    for file, user in moves:
        found += await _module(scene, file, user)
    asked = 0
    for file, users in pairs:
        for name, mine in users.items():
            if asked < MOST_NAMES and (kept := _changed_definition(scene, file, name)) is not None:
                asked += 1
                found += await _users(scene, file, kept, mine)
    return found


async def _scene(clone: Path, commit: Commit, files: Sequence[Patch]) -> Scene:
    old = [f"{commit.parent}:{file.old}" for file in files if file.status != "A"]
    new = [f"{commit.sha}:{file.path}" for file in files if file.status != "D"]
    got = await commits.blobs(clone, [*old, *new])
    before = {name.partition(":")[2]: data for name, data in got.items() if name.startswith(commit.parent)}
    after = {name.partition(":")[2]: data for name, data in got.items() if name.startswith(commit.sha)}
    return Scene(clone, commit, before, after)


def _words(lines: Sequence[str]) -> set[str]:
    return {word for line in lines for word in WORD.findall(line[:400]) if len(word) >= SHORTEST}


def _pairs(files: Sequence[Patch]) -> Iterator[tuple[Patch, dict[str, list[Patch]]]]:
    """File that defines -> name -> files of which the commit changes a line with that name."""
    spoken_of = {id(file): _words(file.removed_lines) for file in files}
    for file in files:
        if file.status == "A":
            continue
        defined = _words([line for line in file.removed_lines if DEFINING.search(line[:400])])
        users: dict[str, list[Patch]] = {}
        for other in files:
            if other is not file and other.status == "M" and family(other.path) == family(file.old):
                for name in sorted(defined & spoken_of[id(other)]):
                    users.setdefault(name, []).append(other)
        if users:
            yield file, users


@dataclass(frozen=True, slots=True)
class _Definition:
    """A definition that is gone, or that asks for other arguments now."""

    before: Definition
    after: Definition | None


def _changed_definition(scene: Scene, file: Patch, name: str) -> _Definition | None:
    source = scene.before.get(file.old, b"")
    if DYNAMIC.search(source):
        return None
    old = [item for item in _definitions(file.old, source) if item.name == name]
    new = [item for item in _definitions(file.path, scene.home_after(file)) if item.name == name]
    if len({item.owner for item in old}) != 1:
        return None
    if not new:
        return _Definition(old[0], None)
    one = len(old) == len(new) == 1 and old[0].owner == new[0].owner and old[0].least >= 0 and new[0].least >= 0
    resigned = one and (old[0].least, old[0].most) != (new[0].least, new[0].most) and suffix(file.path) not in TOLERANT
    return _Definition(old[0], new[0]) if resigned else None


def _definitions(path: str, source: bytes) -> tuple[Definition, ...]:
    return definitions(path, source) if source and suffix(path) in SUFFIXES else ()


async def _users(scene: Scene, file: Patch, definition: _Definition, users: Sequence[Patch]) -> list[Proven]:
    name, found = definition.before.name, []
    ways = [(user, rows) for user in users if (rows := _uses(scene, file, definition, user))]
    if not ways:
        return []
    held = await commits.holders(scene.clone, scene.commit.sha, name, family(file.old))
    for user, rows in ways:
        others = [path for path in held if path != user.path]
        hows = {how for _, how in rows}
        absent = definition.after is None and await _absent(scene, others, name)
        if definition.after is not None:
            good = hows <= {*binding.RESOLVED, "receiver"} or (
                "" not in hows and await _alone(scene, file, others, name)
            )
            good = good or (hows == {""} and binding.telling(name) and await _alone(scene, file, others, name))
        elif absent:
            good = "" not in hows or _plain(file, definition.before, name, scene)
        else:
            good = "" not in hows and await _not_offered(scene, file, others, definition.before, hows)
        if good:
            how = "/".join(sorted(hows - {""})) or ("global" if suffix(file.old) in binding.GLOBAL else "only definer")
            change = "signature" if definition.after is not None else definition.before.kind
            lines = tuple(sorted({place.line for place, _ in rows}))
            found.append(Proven(name, change, how, file.old, definition.before.line, user.path, lines))
    return found


def _uses(scene: Scene, file: Patch, definition: _Definition, user: Patch) -> list[tuple[Place, str]]:
    """The places that break, each with how it is bound; empty if the file is no clear case."""
    name, source, now = definition.before.name, scene.before.get(user.path, b""), scene.after.get(user.path, b"")
    rows = places(user.path, source, name)
    if not rows or any(place.is_guarded or place.form == "definition" for place in rows):
        return []
    if any(item.name == name for item in _definitions(user.path, source)):
        return []
    text = source.decode("utf-8", "replace")
    used = [
        (place, binding.bound(text, user.path, file.old, definition.before, place))
        for place in rows
        if place.form != "key"
    ]
    if definition.before.owner:
        used = [
            (place, how)
            for place, how in used
            if place.form == "member" or suffix(user.path) in (".rb", ".rs", *binding.GLOBAL)
        ]
    if definition.after is None:
        return [] if re.search(rb"(?<![\w$])" + re.escape(name.encode()) + rb"(?![\w$])", now) else used
    calls = [(place, how) for place, how in used if place.call]
    least, most = definition.after.least, definition.after.most
    if not calls or any(
        place.argument_count < 0 or not definition.before.least <= place.argument_count <= definition.before.most
        for place, _ in calls
    ):
        return []
    again = [place for place in places(user.path, now, name) if place.call]
    if any(place.argument_count < 0 or not least <= place.argument_count <= most for place in again):
        return []
    lenient = suffix(user.path) == ".php"
    return [
        (place, how)
        for place, how in calls
        if place.argument_count < least or (place.argument_count > most and not lenient)
    ]


async def _absent(scene: Scene, others: Sequence[str], name: str) -> bool:
    """Whether no code of these files holds the name: in comments and strings it means nothing."""
    if not others:
        return True
    if len(others) > MOST_HOLDERS:
        return False
    got = await commits.blobs(scene.clone, [f"{scene.commit.sha}:{path}" for path in others])
    for path in others:
        source = got.get(f"{scene.commit.sha}:{path}", b"")
        if suffix(path) not in SUFFIXES or not source or places(path, source, name):
            return False
        if re.search(rb"[\"'`:]" + re.escape(name.encode()) + rb"\b", source):
            return False
    return True


async def _alone(scene: Scene, file: Patch, others: Sequence[str], name: str) -> bool:
    """Whether no other file of the tree defines the name."""
    if len(others) > MOST_HOLDERS:
        return False
    got = await commits.blobs(scene.clone, [f"{scene.commit.sha}:{path}" for path in others])
    for path in others:
        source = got.get(f"{scene.commit.sha}:{path}", b"")
        if suffix(path) not in SUFFIXES or not source:
            return False
        if path != file.path and any(item.name == name for item in definitions(path, source)):
            return False
    return True


async def _not_offered(scene: Scene, file: Patch, others: Sequence[str], what: Definition, hows: set[str]) -> bool:
    """Whether the one place that the user is bound to holds the name no more."""
    word = re.compile(rb"(?<![\w$])" + re.escape(what.name.encode()) + rb"(?![\w$])")
    left = scene.home_after(file)
    if file.status == "R" or word.search(left) or re.search(rb"import \*|export \*|pub use [^;]*\*", left):
        return False
    if hows <= RECEIVED:
        return bool(left) and await _alone(scene, file, others, what.name)
    if suffix(file.old) == ".go" or "package" in hows:
        mates = [path for path in others if posixpath.dirname(path) == posixpath.dirname(file.old)]
        return await _alone(scene, file, mates, what.name)
    if suffix(file.old) in (".py", ".rs", ".lua", *binding.SCRIPTS):
        return hows <= {"import", "qualified"} and (not what.owner or await _alone(scene, file, others, what.name))
    return await _alone(scene, file, others, what.name)


def _plain(file: Patch, what: Definition, name: str, scene: Scene) -> bool:
    """Whether a name that nothing binds can mean nothing but what is gone: only one file of the change defined it."""
    homes = [
        path for path, source in scene.before.items() if any(item.name == name for item in _definitions(path, source))
    ]
    apart = suffix(file.old) in binding.GLOBAL
    headers = apart and all(suffix(path) in binding.GLOBAL for path in homes)
    return (headers or homes == [file.old]) and (
        binding.telling(name) or (apart and not what.owner and len(name) > SHORTEST)
    )


async def _module(scene: Scene, file: Patch, user: Patch) -> list[Proven]:
    source, now = scene.before.get(user.path, b""), scene.after.get(user.path, b"")
    if posixpath.basename(file.old).partition(".")[0].encode() not in source:
        return []
    tree = await commits.paths(scene.clone, scene.commit.sha)
    text, later = source.decode("utf-8", "replace"), now.decode("utf-8", "replace")
    match = binding.lost_module(text, user.path, file.old, tree)
    if match is None or match[0].strip() in later or binding.lost_module(later, user.path, file.old, tree) is not None:
        return []
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    line = text.count("\n", 0, start) + 1
    around = text[max(0, start - 200) : start]
    if re.search(r"try\s*:\s*$|try\s*\{\s*$|^\s*//[^\n]*$", around) or "ImportError" in text:
        return []
    return [Proven(spoken_name(file.old), "module", "path", file.old, 1, user.path, (line,))]


def spoken_name(path: str) -> str:
    """The word that names a file: its stem, or its folder's name."""
    word = posixpath.basename(path).partition(".")[0]
    return posixpath.basename(posixpath.dirname(path)) if word in ("__init__", "index", "init", "mod") else word
