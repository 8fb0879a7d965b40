"""Git's patch and status, as values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from bot.diff import skip
from bot.values import ChangedFile, DiffLine, Hunk, RawChange
from impact.in_hand import reading
from impact.text.globs import generated_marks
from impact.text.paths import is_code, is_settings, name_of, vendored_folder

if TYPE_CHECKING:
    from unidiff.patch import Hunk as ParsedHunk

REGULAR = "100"  # how the mode of a file begins that is no link and no submodule
STATUS: dict[str, Literal["added", "deleted", "renamed"]] = {"A": "added", "D": "deleted", "R": "renamed", "C": "added"}
LINE_KINDS: dict[str, Literal[" ", "+", "-"]] = {" ": " ", "+": "+", "-": "-"}


@dataclass(frozen=True, slots=True)
class RawRow:
    """One row of `git diff-tree --raw`: authoritative for names, modes and the kind of change."""

    old_mode: str
    new_mode: str
    letter: str
    old: str
    new: str


def read(change: RawChange) -> tuple[ChangedFile, ...]:
    """Every changed file in git's order. Files that need no review carry the reason in `skip`."""
    is_generated = generated_marks(change.attributes)
    sections = iter(_sections(change.patch))
    changed_files, rows = [], [*_rows(change.status)]
    left = [row.old for row in rows if row.letter in "DR" and (is_code(row.old) or is_settings(row.old))]
    for row in rows:
        reading(row.new)
        part_count = 2 if row.letter == "T" else 1  # a change of type is a deletion and an addition
        parts = [next(sections, b"") for _ in range(part_count)]
        parts = [b""] if row.new in change.left_out else parts
        file = _file(row, parts)
        why = skip.reason(file, parts, change, is_generated)
        replaces_code = any(path.startswith(f"{row.new}/") for path in left) if why in skip.ELSEWHERE else False
        is_unvouched = skip.is_unvouched(file, why, replaces_code=replaces_code)
        changed_files.append(replace(file, skip=why, is_unreviewed=is_unvouched, is_foreign=why in skip.FOREIGN))
    changed_files += [
        ChangedFile(path, path, "modified", skip=skip.WITHHELD, is_unreviewed=True)
        for path in sorted(change.withheld - {file.path for file in changed_files})
    ]
    return _vouch(changed_files)


def _vouch(files: Sequence[ChangedFile]) -> tuple[ChangedFile, ...]:
    """The files; a new one in a folder of vendored code that the change merely updates is as good as those that were there.

    An author who could hide code in the new file could also write it into an old one.
    """
    vendored_folders = {vendored_folder(file.old_path) for file in files if file.old_path is not None} - {None}
    return tuple(
        replace(file, is_unreviewed=False)
        if file.skip == skip.VENDOR and file.hunks and vendored_folder(file.path) in vendored_folders
        else file
        for file in files
    )


def _rows(status: bytes) -> Iterator[RawRow]:
    fields = iter(status.split(b"\0"))
    for meta in fields:
        if not meta.startswith(b":"):
            continue
        old_mode, new_mode, _, _, letter = meta[1:].decode().split()
        old = new = name_of(next(fields))
        if letter[0] in "RC":
            new = name_of(next(fields))
        yield RawRow(old_mode, new_mode, letter[0], old, new)


def _sections(patch: bytes) -> list[bytes]:
    """The patch of each file. Lines of content begin with a space, a sign or a backslash, so the header is unmistakable."""
    parts = (b"\n" + patch).split(b"\ndiff --git ")
    return [b"diff --git " + part for part in parts[1:]]


def _file(row: RawRow, parts: Sequence[bytes]) -> ChangedFile:
    is_retyped = row.letter == "T"
    came = is_retyped and row.new_mode.startswith(
        REGULAR
    )  # a file in the place of a link or a submodule: all of it is new
    modes = (row.new_mode,) if came else (row.old_mode, row.new_mode)
    file_hunks = hunks(parts[-1]) if (came or not is_retyped) and skip.SUBMODULE_MODE not in modes else ()
    lines = [line for hunk in file_hunks for line in hunk.lines]
    return ChangedFile(
        path=row.new,
        old_path=None if row.letter == "A" or came else row.old,
        status="added" if came else STATUS.get(row.letter, "modified"),
        hunks=file_hunks,
        skip=skip.by_mode(row.old_mode, row.new_mode),
        note=_note(row),
        added_lines=frozenset(line.new for line in lines if line.kind == "+" and line.new is not None),
        removed_lines=frozenset(line.old for line in lines if line.kind == "-" and line.old is not None),
    )


def _note(row: RawRow) -> str:
    notes = [f"renamed from {row.old}"] if row.letter == "R" else []
    if row.old_mode != row.new_mode and skip.ABSENT not in (row.old_mode, row.new_mode):
        notes.append(f"mode {row.old_mode} to {row.new_mode}")
    return ", ".join(notes)


def hunks(section: bytes) -> tuple[Hunk, ...]:
    """Parsed by unidiff under neutral names: a file name with a quote or a line break cannot disturb it."""
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


def of_patch(path: str, old_path: str, patch: str) -> ChangedFile:
    """Make a file of its patch alone, which begins with its first hunk."""
    file_hunks = hunks(f"\n{patch}".encode())
    rows = [line for hunk in file_hunks for line in hunk.lines]
    return ChangedFile(
        path,
        old_path,
        "modified",
        file_hunks,
        added_lines=frozenset(line.new for line in rows if line.kind == "+" and line.new is not None),
        removed_lines=frozenset(line.old for line in rows if line.kind == "-" and line.old is not None),
    )


def _hunk(hunk: "ParsedHunk") -> Hunk:
    lines = tuple(
        DiffLine(kind, line.value.removesuffix("\n").removesuffix("\r"), line.source_line_no, line.target_line_no)
        for line in hunk
        if (kind := LINE_KINDS.get(line.line_type))
    )
    return Hunk(hunk.source_start, hunk.source_length, hunk.target_start, hunk.target_length, lines)
