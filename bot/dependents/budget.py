"""How much is looked at. Without these limits one commit of 136 files took 24 seconds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """Limits of one search; what a limit cuts is listed in `Dependents.cut`."""

    files: int = 120  # changed source files whose symbols and dependents are looked for
    symbols: int = 60  # per file
    sites: int = 40  # references per symbol that are handed on
    obliging: int = 2_000  # the same for a symbol whose contract changed: each of its uses is compared or read
    far: int = 60  # a method found by its name in more files than this says nothing
    parsed: int = 400  # files parsed in search of references
    bytes: int = 1_000_000  # of one source; larger ones are generated, or data
    seconds: float = 8.0  # of computing for the references: on a busy machine it takes longer, and finds the same


SMALL, LONG_LINES = 5_000, 400  # bytes: of a file that may be anything, and of a mean line that no person writes


def minified(source: bytes) -> bool:
    """Whether a source was written by a program: hardly any line breaks."""
    return len(source) > SMALL and len(source) / (source.count(b"\n") + 1) > LONG_LINES
