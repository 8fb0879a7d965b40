"""A mistake in a settings file."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake in a settings file.

    If the mistake is fatal, nothing in the file applies. For a mistake in the whole file, `line` is None and
    `about` is empty. Otherwise `about` is the dotted path of keys to the mistake, which distinguishes it from
    other mistakes on the same line. `may_set_threshold` says whether the ignored part may contain a setting
    that decides whether the check passes.
    """

    line: int | None
    sentence: str
    about: str = ""
    fatal: bool = True
    may_set_threshold: bool = False
