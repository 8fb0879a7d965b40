"""Limit the search for references. Without these limits one commit of 136 files took 24 seconds."""

from collections.abc import Callable, Sequence

from deeprepo.impact.structs import Struct, field


class SearchLimits(Struct, frozen=True):
    """Limits of one search; `Dependents.cut` lists what they leave out."""

    files: int = 120  # changed source files that are analyzed
    symbols: int = 60  # per file
    # references per symbol that are returned; with 0, only symbols whose change may break a use are searched for
    sites: int = 40
    # the same for a symbol with a changed contract, whose references are all compared or read
    contract_sites: int = 2_000
    far: int = 60  # files; a method name found in more files is not specific
    parsed_files: int = 400  # files parsed to look up one name; the search for references has only a time limit
    bytes: int = 1_000_000  # of one source file; larger ones are generated, or data
    seconds: float = 8.0  # of CPU time for references, so that the result does not depend on the load
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


def listed(names: Sequence[str]) -> str:
    """Return the first names as a list in a sentence."""
    return ", ".join(names[:LISTED]) + (", ..." if len(names) > LISTED else "")
