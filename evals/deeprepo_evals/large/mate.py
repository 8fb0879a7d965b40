"""A piece written into a pull request: the edits of both trees, and where they break, as a case in the form of twins."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from bot.checkout import git
from bot.errors import UsageError
from bot.text.paths import is_generated, is_test, vendored_folder
from deeprepo_evals.large.hosts import ENDINGS, Host
from deeprepo_evals.large.pieces import Part, Piece, lines_with_mark, without_marks
from deeprepo_evals.reviews.cases import LARGE

WORD = re.compile(r"@(\w+)@")
LEAST_LINES = 30  # of a file at whose end something is added: not one that only re-exports
PACKAGE = {
    "go": re.compile(r"^package (\w+)", re.MULTILINE),
    "java": re.compile(r"^package ([\w.]+);", re.MULTILINE),
    "csharp": re.compile(r"^namespace ([\w.]+)", re.MULTILINE),
    "php": re.compile(r"^namespace ([\w\\]+);", re.MULTILINE),
}
CaseFields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the parts of a piece go."""

    clone: Path
    host: Host
    piece: Piece
    producer: str  # the path of the file that the pull request changes
    words: Mapping[str, str]
    ends: Sequence[str]  # unchanged files at whose end something is added

    def fill(self, text: str) -> str:
        """A text with the words of the place. Raises UsageError for one that nobody knows."""

        def word(match: re.Match[str]) -> str:
            if match[1] not in self.words:
                raise UsageError(f"the piece {self.piece.name} names @{match[1]}@: known are {', '.join(self.words)}")
            return self.words[match[1]]

        return WORD.sub(word, text)


async def mate(piece: Piece, clone: Path, repo: str, host: Host, seed: int) -> CaseFields | None:
    """The case as it is in a file; None if the pull request has no place for this piece."""
    place = await _place(piece, clone, host, seed)
    if place is None:
        return None
    told = _CaseEdits(place)
    for part in piece.parts:
        await told.add(part)
    about = {key: place.fill(getattr(piece, key)) for key in ("mechanism", "body", "description", "consequence")}
    why, trap, good = (place.fill(text) for text in (piece.why, piece.trap_reason, piece.good_reason))
    return {
        "id": f"large-{piece.name}-{repo.partition('/')[2]}".lower(),
        "kind": LARGE,
        "scope": piece.scope,
        "repo": repo,
        "base_sha": host.base,
        "head_sha": host.head,
        "language": piece.language,
        "mechanism": about["mechanism"],
        "title": host.title,
        "body": about["body"],
        "files_changed": len(host.files),
        "lines_changed": host.lines,
        "before": told.before,
        "pr": told.change,
        "bad": told.bad,
        "good": told.good,
        "defect": {**told.defect, "description": about["description"], "consequence": about["consequence"]},
        "evidence": [{**line, "why": why} for line in told.proof],
        "good_reason": good,
        "traps": [{**line, "why": trap} for line in told.traps],
    }


class _CaseEdits:
    """The edits of a case, part by part."""

    def __init__(self, place: _Place) -> None:
        self.place = place
        self.before, self.change, self.bad, self.good = (
            list[CaseFields](),
            list[CaseFields](),
            list[CaseFields](),
            list[CaseFields](),
        )
        self.defect: CaseFields = {}
        self.proof, self.traps = list[CaseFields](), list[CaseFields]()
        self._ends = 0

    async def add(self, part: Part) -> None:
        """Write one part into both trees, and remember its marked lines."""
        one, other = self.place.fill(part.text), self.place.fill(part.other)
        path = self._path(part)
        if part.role == "producer":
            sides = ((self.place.host.base, one, self.before), (self.place.host.head, other, self.change))
            for side, text, edits in sides:
                first = await self._write(edits, side, path, text, new=bool(part.path))
            self.defect = self._marks(path, other, "defect", first)[0]
            self.traps += self._marks(path, other, "trap", first)
            return
        for text, edits in ((one, self.bad), (other or one, self.good)):
            first = await self._write(edits, self.place.host.base, path, text, new=not part.end)
        self.proof += self._marks(path, one, "proof", first)
        self.traps += self._marks(path, one, "trap", first)

    def _path(self, part: Part) -> str:
        if part.end:
            self._ends += 1
            return self.place.ends[self._ends - 1]
        return self.place.fill(part.path) or self.place.producer

    async def _write(self, edits: list[CaseFields], side: str, path: str, text: str, *, new: bool) -> int:
        """Add the edit that writes a text, alone or at the end of what is there; the lines before it."""
        if new:
            edits.append({"path": path, "lines": without_marks(text)})
            return 0
        rows = (await _text(self.place.clone, side, path)).replace("\r\n", "\n").split("\n")
        at = len(rows) if not rows[-1] else len(rows) + 1
        edits.append({"path": path, "start": at, "end": at - 1, "lines": ["", *without_marks(text)]})
        return at

    @staticmethod
    def _marks(path: str, text: str, mark: str, first: int) -> list[CaseFields]:
        return [{"file": path, "line": first + line} for line in lines_with_mark(text, mark)]


async def _place(piece: Piece, clone: Path, host: Host, seed: int) -> _Place | None:
    """The files and words that a piece is written with: the same seed gives the same."""
    chance = random.Random(f"large {seed} {piece.name} {host.head}")  # noqa: S311 - data, not secrets
    own = {key: chance.choice(choices) for key, choices in sorted(piece.words.items())}
    wanted = sum(bool(part.end) for part in piece.parts)
    for path in host.of(piece.language):
        text = await _text(clone, host.head, path)
        ends = await _ends(piece, clone, host, path)
        package = PACKAGE[piece.language].search(text) if piece.language in PACKAGE else None
        short = text.count("\n") < LEAST_LINES or not text.endswith("\n")
        if short or len(ends) < wanted or (piece.language in PACKAGE and package is None):
            continue
        words = dict(_words(path, package[1] if package else "", ends))
        return _Place(clone, host, piece, path, {**words, **dict(_spelt(own))}, ends)
    return None


async def _ends(piece: Piece, clone: Path, host: Host, producer: str) -> list[str]:
    """Unchanged files of the languages asked for, nearest to the changed one first."""
    asked = [part.end for part in piece.parts if part.end]
    if not asked:
        return []
    listed = (await git.output("ls-tree", "-r", "-z", "-l", "--full-tree", host.head, cwd=str(clone))).decode(
        "utf-8", "replace"
    )
    changed = {file.path for file in host.files}
    found: list[str] = []
    for language in asked:
        rows = [row.split("\t", 1) for row in listed.split("\0") if row.endswith(ENDINGS[language])]
        paths = [path for meta, path in rows if meta.split()[3].isdigit() and int(meta.split()[3]) > LEAST_LINES * 40]
        fitting = [
            p
            for p in paths
            if p not in changed and p not in found and not (is_test(p) or is_generated(p) or vendored_folder(p))
        ]
        folder = str(PurePosixPath(producer).parent)
        inside = [path for path in fitting if path.startswith(f"{folder}/")]
        found += sorted(inside, key=lambda path: (path.count("/"), path))[:1]
    return found


async def _text(clone: Path, side: str, path: str) -> str:
    return (await git.output("cat-file", "blob", f"{side}:{path}", cwd=str(clone))).decode("utf-8", "replace")


def _words(path: str, package: str, ends: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What a piece can say about its place."""
    at = PurePosixPath(path)
    yield "path", path
    yield "dir", str(at.parent)
    yield "top", at.parts[0] if len(at.parts) > 1 else "."
    yield "stem", at.stem
    yield "module", _module_name(path)
    yield "folder", _module_name(str(at.parent))
    yield "package", package
    yield "pkgpath", package.replace(".", "/")
    yield "crate", _crate(path)
    for number, end in enumerate(ends, 1):
        yield f"end{number}", end
        yield f"crate{number}", _crate(end)


def _spelt(own: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """A word in lower case, with a capital letter, in capitals."""
    for key, word in own.items():
        yield key, word
        yield key.capitalize(), word.capitalize()
        yield key.upper(), word.upper()


def _module_name(path: str) -> str:
    """How Python imports a file."""
    parts = PurePosixPath(path).with_suffix("").parts
    return ".".join(parts[1:] if parts[0] in ("src", "lib") else parts)


def _crate(path: str) -> str:
    """How Rust names a file from its own crate."""
    inside = path.partition("src/")[2].removesuffix(".rs").removesuffix("/mod")
    return "::".join(["crate", *(part for part in inside.split("/") if part not in ("lib", "main"))])
