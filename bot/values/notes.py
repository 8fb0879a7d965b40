"""What models report about a change in addition to findings."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileNote:
    """What a model reports about one file, unverified."""

    path: str
    theme: str = ""
    phrase: str = ""


@dataclass(frozen=True, slots=True)
class ReaderNotes:
    """What a model reports about the change in addition to its findings."""

    overview: str = ""  # only if the model saw the whole change
    first: str = ""  # the path to look at first
    files: tuple[FileNote, ...] = ()
