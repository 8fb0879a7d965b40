"""Limit the search for references. Without these limits one commit of 136 files took 24 seconds."""

from collections.abc import Callable, Iterable, Sequence

from deeprepo.impact.changes import ChangedFile
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.text.lines import defined_names
from deeprepo.impact.text.paths import is_test


class SearchLimits(Struct, frozen=True):
    """Limits of one search; `Dependents.cut` lists what they leave out."""

    files: int = 120  # changed source files that are analyzed
    symbols: int = 60  # per file
    sites: int = 40  # references per symbol that are returned
    # the same for a symbol with a changed contract, whose references are all compared or read
    contract_sites: int = 2_000
    far: int = 60  # files; a method name found in more files is not specific
    parsed_files: int = 400  # files parsed to look up one name; the search for references has only a time limit
    bytes: int = 1_000_000  # of one source file; larger ones are generated, or data
    seconds: float = 8.0  # of CPU time for references, so that the result does not depend on the load
    keys: float = 2.0  # the same for renamed strings
    # the message about how to install an extra
    install: Callable[[str], str] = "install the extra `{}`".format


class Gaps(Struct):
    """What a search leaves out, in sentences for people."""

    all: list[str] = field(default_factory=list)
    hiding_uses: list[str] = field(default_factory=list)  # those that may hide a use of a changed contract

    def add(self, *sentences: str, hides_uses: bool = True) -> None:
        """Add sentences, each of them once."""
        for told in (self.all, self.hiding_uses) if hides_uses else (self.all,):
            told += [one for one in dict.fromkeys(sentences) if one not in told]


LISTED = 8  # names in a sentence
# bytes: minimum size of a minified file, and mean line length that no person writes
SMALL, LONG_LINES = 5_000, 400


def listed(names: Sequence[str]) -> str:
    """Return the first names as a list in a sentence."""
    return ", ".join(names[:LISTED]) + (", ..." if len(names) > LISTED else "")


def by_risk(files: Iterable[ChangedFile]) -> list[ChangedFile]:
    """Sort files by risk: existing files that lose a name first, then changed definitions; tests and new files last."""
    return sorted(files, key=_rank)


def _rank(file: ChangedFile) -> tuple[bool, bool, bool, int, str]:
    lines = [line for hunk in file.hunks for line in hunk.lines]
    before, after = (
        {name for line in lines if line.kind == kind for name in defined_names(line.text[:LONG_LINES])} for kind in "-+"
    )
    removed = sum(line.kind == "-" for line in lines)
    return is_test(file.path), before <= after, not before, -removed, file.path


def is_minified(source: bytes) -> bool:
    """Return whether a source is minified, with hardly any line breaks."""
    return len(source) > SMALL and len(source) / (source.count(b"\n") + 1) > LONG_LINES
