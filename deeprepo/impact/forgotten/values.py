"""The line that a change may have forgotten."""

from typing import Literal

from deeprepo.impact.structs import Struct

# "definition": code that may use a definition which is gone or has changed. "certain": a link or path that led to something before the change, and leads nowhere after it, or a form that only
# users of a gone definition write. "alone": a name that no changed file gives any more. "word": one that the change
# only used.
Certainty = Literal["definition", "certain", "alone", "word"]


class ForgottenPlace(Struct, frozen=True):
    """A line that still contains what the change took away."""

    path: str
    line: int
    text: str
    name: str
    certainty: Certainty
    source: str  # the file in which the change removed it, or the file or folder itself
    source_line: int  # 0 for a file or folder
    was_given: bool = True  # whether its file gave the name to others; else a removed line only used it
    lines: int = 1  # lines of the head with the name
    new_path: str = ""  # of a renamed file
    more_files: int = 0  # further files with the name that aren't listed; with the name's first place
