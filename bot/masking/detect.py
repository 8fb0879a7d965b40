"""Which secrets a text holds that is about to be sent: what the secrets analyser would report of each line, and the bodies of keys.

Only the code that has read a text knows its file and passes it on: a line is judged as in that file, and otherwise as in any. No
line of a text tells, because a description or a file can imitate whatever a prompt writes above its parts. A comment that
allows a secret changes nothing here: its author may be a stranger.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from bot.masking.forms import KEY, KEY_LABELS, Role, hits, kind_of, names_next_line, promising_lines, role_of, with_name

MOST_KEY_LINES = 400  # of one private key
SHORTEST_RUN = 8  # characters of a key's last line
ANY = ("a.py", "a.yml", "a.go", "a.c", "a.cpp")  # one of each kind of file that has patterns of its own
NUMBERED = re.compile(r"(?:[^\s:]{1,400}:\d+: |\s{0,8}[+-]?\d* ?)")  # of an excerpt, or of what a search has found
BEGIN = re.compile(r"BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|PuTTY-User-Key-File-\d")
END = re.compile(r"END [A-Z0-9 ]{0,40}PRIVATE KEY|Private-MAC")
RUN = re.compile(rf"[A-Za-z0-9+/=]{{{SHORTEST_RUN},}}")
BODY = re.compile(
    r"\s{0,40}[+-]?\d{0,7}\s{0,40}([A-Za-z0-9+/]{60,76})\s{0,8}"
)  # a line of a key of which only the middle is shown
BREAK = re.compile(r"\\[nrt]")  # as written in a string literal
MIXED = re.compile(r"(?=.*\d)(?=.*[a-z])(?=.*[A-Z])")
NO_RUNS = re.compile(r"[a-z]\d|\d[a-z]|[A-Z]\d|\d[A-Z]|[a-z][A-Z]")
MOST_CHANGES = 3  # from letters to digits, or to capitals: a name that a person chose has few


@lru_cache(maxsize=256)
def secrets(text: str, path: str = "") -> frozenset[tuple[str, bool]]:
    """The secrets in a text, each with whether it is sure; an unsure one is a value whose file is not known."""
    values = set[tuple[str, bool]]()
    before, promising = "", frozenset(promising_lines(text))
    kind, role = (kind_of(path), role_of(path)) if path else ("", "code")
    for number, line in enumerate(text.split("\n") if promising else ()):
        if number not in promising and not before:
            continue
        bare = NUMBERED.sub("", line, count=1)
        if number in promising:
            values |= _in_line(kind, role, line) | (_in_line(kind, role, bare) if bare != line else frozenset())
        if before and (whole_text := with_name(before, bare)):
            values |= _in_line(kind, role, whole_text)
        before = bare if names_next_line(bare) else ""
    return frozenset(values | {(body, True) for body in _keys(text)})


@lru_cache(maxsize=1 << 14)  # an excerpt shows lines that were read, and several prompts show the same ones
def _in_line(kind: str, role: Role, line: str) -> frozenset[tuple[str, bool]]:
    """The secrets of a line of a file of a kind; "" for a file that nobody knows."""
    if kind:
        return frozenset((hit.value, True) for hit in hits(kind, line, role) if hit.rule != KEY)
    line_hits = [hit for like in ANY for hit in hits(like, line) if hit.rule != KEY]
    return frozenset((hit.value, hit.exact or _is_random(hit.value)) for hit in line_hits)


def _is_random(value: str) -> bool:
    """Whether this cannot be the name of something in code."""
    return not value.isidentifier() or sum(NO_RUNS.match(a + b) is not None for a, b in pairwise(value)) > MOST_CHANGES


def _keys(text: str) -> Iterator[str]:
    """The lines of the bodies of private keys; also where only lines from the middle are shown."""
    if any(label in text for label in KEY_LABELS):
        left = 0
        for line in BREAK.sub("\n", text).split("\n"):
            begins, ends = BEGIN.search(line), END.search(line)
            left = MOST_KEY_LINES if begins else left
            if left:
                inside = line[begins.end() if begins else 0 : ends.start() if ends else None]
                yield from (run for run in RUN.findall(inside) if not run.isalpha() or len(run) >= 4 * SHORTEST_RUN)
                left = 0 if ends else left - 1
    rows = [BODY.fullmatch(line) for line in text.split("\n")] if _BODY_AT_ALL.search(text) else []
    for one, other in pairwise(rows):
        if one and other and MIXED.match(one[1]) and MIXED.match(other[1]):
            yield from (one[1], other[1])


_BODY_AT_ALL = re.compile(r"[A-Za-z0-9+/]{60}")
