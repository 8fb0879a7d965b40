"""How much is looked at. Without these limits one commit of 136 files took 24 seconds."""

from collections.abc import Callable, Iterable

from deeprepo.impact.changes import ChangedFile
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.lines import defined_names
from deeprepo.impact.text.paths import is_test


class SearchLimits(Struct, frozen=True):
    """Limits of one search; what a limit cuts is listed in `Dependents.cut`."""

    files: int = 120  # changed source files whose symbols and dependents are looked for
    symbols: int = 60  # per file
    sites: int = 40  # references per symbol that are handed on
    obliging: int = 2_000  # the same for a symbol whose contract changed: each of its uses is compared or read
    far: int = 60  # a method found by its name in more files than this says nothing
    parsed_files: int = 400  # files parsed in search of references
    bytes: int = 1_000_000  # of one source; larger ones are generated, or data
    seconds: float = 8.0  # of computing for the references: on a busy machine it takes longer, and finds the same
    keys: float = 2.0  # the same for what the change renames as a text
    install: Callable[[str], str] = "install the extra `{}`".format  # how a sentence says how an extra is installed


LISTED = 8  # names in a sentence
SMALL, LONG_LINES = 5_000, 400  # bytes: of a file that may be anything, and of a mean line that no person writes


def by_risk(files: Iterable[ChangedFile]) -> list[ChangedFile]:
    """Return the files that can break others first: those that were there before and give up a definition; tests and new files last.

    A limit that cuts by path could be filled with files called to stand before the one that matters.
    """
    return sorted(files, key=_rank)


def _rank(file: ChangedFile) -> tuple[bool, bool, bool, int, str]:
    removed_texts = [line.text for hunk in file.hunks for line in hunk.lines if line.kind == "-"]
    return (
        is_test(file.path),
        file.status == "added",
        not any(defined_names(text[:LONG_LINES]) for text in removed_texts),
        -len(removed_texts),
        file.path,
    )


def is_minified(source: bytes) -> bool:
    """Return whether a source was written by a program: hardly any line breaks."""
    return len(source) > SMALL and len(source) / (source.count(b"\n") + 1) > LONG_LINES
