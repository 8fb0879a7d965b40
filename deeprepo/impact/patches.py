"""Convert git's raw rows and patches into values; the only module that imports unidiff."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from deeprepo.impact.changes import ChangedFile, DiffLine, Hunk
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.paths import name_of

if TYPE_CHECKING:
    from unidiff.patch import Hunk as ParsedHunk

REGULAR = "100"  # prefix of a regular file's mode
SUBMODULE_MODE, LINK_MODE, ABSENT = "160000", "120000", "000000"
STATUS: dict[str, Literal["added", "deleted", "renamed"]] = {"A": "added", "D": "deleted", "R": "renamed", "C": "added"}
LINE_KINDS: dict[str, Literal[" ", "+", "-"]] = {" ": " ", "+": "+", "-": "-"}


class RawRow(Struct, frozen=True):
    """One row of `git diff-tree --raw`: authoritative for names, modes and the kind of change."""

    old_mode: str
    new_mode: str
    letter: str
    old: str
    new: str


def rows(status: bytes) -> Iterator[RawRow]:
    """Parse the output of `--raw -z`."""
    fields = iter(status.split(b"\0"))
    for meta in fields:
        if not meta.startswith(b":"):
            continue
        old_mode, new_mode, _, _, letter = meta[1:].decode().split()
        old = new = name_of(next(fields))
        if letter[0] in "RC":
            new = name_of(next(fields))
        yield RawRow(old_mode, new_mode, letter[0], old, new)


def with_patches(status: bytes, patch: bytes) -> Iterator[tuple[RawRow, list[bytes]]]:
    """Yield each row with its parts of the patch; a type change has two, a deletion and an addition.

    Content lines begin with a space, a sign or a backslash, so a part's header is unambiguous.
    """
    parts = (b"diff --git " + part for part in (b"\n" + patch).split(b"\ndiff --git ")[1:])
    for row in rows(status):
        yield row, [next(parts, b"") for _ in range(2 if row.letter == "T" else 1)]


def changed_file(row: RawRow, parts: Sequence[bytes]) -> ChangedFile:
    """Return the changed file that a row and its patch describe."""
    is_retyped = row.letter == "T"
    # it replaces a link or submodule, so all of it is new
    came = is_retyped and row.new_mode.startswith(REGULAR)
    modes = (row.new_mode,) if came else (row.old_mode, row.new_mode)
    is_read = (came or not is_retyped) and SUBMODULE_MODE not in modes
    return _with_lines(
        ChangedFile(
            path=row.new,
            old_path=None if row.letter == "A" or came else row.old,
            status="added" if came else STATUS.get(row.letter, "modified"),
            hunks=hunks(parts[-1]) if is_read else (),
            note=_note(row),
        )
    )


def _with_lines(file: ChangedFile) -> ChangedFile:
    lines = [line for hunk in file.hunks for line in hunk.lines]
    return replace(
        file,
        added_lines=frozenset(line.new for line in lines if line.kind == "+" and line.new is not None),
        removed_lines=frozenset(line.old for line in lines if line.kind == "-" and line.old is not None),
    )


def _note(row: RawRow) -> str:
    notes = [f"renamed from {row.old}"] if row.letter == "R" else []
    if row.old_mode != row.new_mode and ABSENT not in (row.old_mode, row.new_mode):
        notes.append(f"mode {row.old_mode} to {row.new_mode}")
    return ", ".join(notes)


def hunks(section: bytes) -> tuple[Hunk, ...]:
    """Parse hunks with unidiff, under neutral file names that cannot disturb the parser."""
    from unidiff.errors import UnidiffParseError
    from unidiff.patch import PatchSet

    at = section.find(b"\n@@ ")
    if at < 0:
        return ()
    body = "--- a/file\n+++ b/file\n" + section[at + 1 :].decode("utf-8", "replace")
    try:
        patch_set = PatchSet(body if body.endswith("\n") else body + "\n")
    except UnidiffParseError:
        return ()
    return tuple(_hunk(hunk) for hunk in patch_set[0])


def _hunk(hunk: "ParsedHunk") -> Hunk:
    lines = tuple(
        DiffLine(kind, line.value.removesuffix("\n").removesuffix("\r"), line.source_line_no, line.target_line_no)
        for line in hunk
        if (kind := LINE_KINDS.get(line.line_type))
    )
    return Hunk(hunk.source_start, hunk.source_length, hunk.target_start, hunk.target_length, lines)
