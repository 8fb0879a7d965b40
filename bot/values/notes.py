"""The notes that models write about a change in addition to findings."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileNote:
    """A model's note about one file. It is not verified."""

    path: str
    theme: str = ""  # the group of files that it belongs to
    phrase: str = ""  # what the change does to it


@dataclass(frozen=True, slots=True)
class ReaderNotes:
    """The notes of one model pass."""

    overview: str = ""  # set if the model saw the whole change
    first: str = ""  # the path of the file to look at first
    files: tuple[FileNote, ...] = ()
