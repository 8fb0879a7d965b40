"""What readers say of a change beside their findings."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileNote:
    """What a reader reports of one file. Nothing in it is believed yet."""

    path: str
    theme: str = ""
    phrase: str = ""


@dataclass(frozen=True, slots=True)
class ReaderNotes:
    """What a reader reports of the change beside its findings."""

    overview: str = ""  # only of a reader that has seen the whole change
    first: str = ""  # the path that it would look at first
    files: tuple[FileNote, ...] = ()
