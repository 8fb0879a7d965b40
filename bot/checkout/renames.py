"""Renames in what git says of a change: those that are none for a review become a deletion and an addition. Pure."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from bot.text.tree_names import name_of

RENAMED, COPIED, RETYPED = b"R", b"C", b"T"
ChangesRole = Callable[[str, str], bool]  # whether a file that goes from one path to the other becomes something else


@dataclass(frozen=True, slots=True)
class StatusRow:
    """A row of `--raw -z`."""

    raw: bytes
    letter: bytes  # the kind of change
    names: tuple[bytes, ...]  # two if a file was renamed or copied

    def replacements(self, changes_role: ChangesRole) -> tuple[bytes, ...]:
        """The paths whose rows stand for this one. What else is made of a file that goes is new, whatever git calls it."""
        if self.letter == COPIED:
            return self.names[1:]
        if self.letter == RENAMED and changes_role(*map(name_of, self.names)):
            return self.names
        return ()

    @property
    def section_count(self) -> int:
        """How many sections of a patch belong to it: a change of type is a deletion and an addition."""
        return 2 if self.letter == RETYPED else 1


def status_rows(status: bytes) -> Iterator[StatusRow]:
    """Read the rows in git's order."""
    fields = iter(status.split(b"\0"))
    for meta in fields:
        if meta.startswith(b":"):
            letter = meta.rpartition(b" ")[2][:1]
            names = tuple(next(fields) for _ in range(2 if letter in (RENAMED, COPIED) else 1))
            yield StatusRow(b"\0".join((meta, *names, b"")), letter, names)


def replace_rows(
    status: bytes, patch: bytes, instead: tuple[bytes, bytes], replacements: Mapping[StatusRow, Collection[bytes]]
) -> tuple[bytes, bytes]:
    """Put the rows of some paths, with their sections, in the place of others. `instead`: the status and the patch that have them."""
    by_name = {row.names[-1]: (row.raw, parts) for row, parts in _pairs(*instead)}
    rows: list[tuple[bytes, Iterable[bytes]]] = []
    for row, parts in _pairs(status, patch):
        rows += [by_name[name] for name in replacements.get(row, ()) if name in by_name] or [(row.raw, parts)]
    return b"".join(raw for raw, _ in rows), b"".join(part for _, parts in rows for part in parts)


def _pairs(status: bytes, patch: bytes) -> Iterator[tuple[StatusRow, tuple[bytes, ...]]]:
    parts = iter(sections(patch))
    for row in status_rows(status):
        yield row, tuple(next(parts, b"") for _ in range(row.section_count))


def sections(patch: bytes) -> list[bytes]:
    """The patch of each file. Lines of content begin with a space, a sign or a backslash, so the header is unmistakable."""
    parts = (b"\n" + patch).split(b"\ndiff --git ")[1:]
    return [b"diff --git " + part.removesuffix(b"\n") + b"\n" for part in parts]
