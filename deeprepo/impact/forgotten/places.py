"""Read by its place in a line whether a name can refer to something, or only belongs to a sentence.

A place is a quoted text, a key, a whole value, a flag, a path, a member, or code in a document.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Literal

from deeprepo.impact.filetypes import filetype
from deeprepo.impact.forgotten.names import KEY, LONGEST_LINE, PART, RUN, SECTION, is_word, trimmed
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.text.paths import is_code, is_prose, is_style

# "text": a quoted text without blanks, or a value without blanks in a data file.
# "path": the name of a file, or an address. "folder": another quoted path. "name": none of the others, in code or data.
Place = Literal["text", "key", "flag", "path", "folder", "member", "code", "name"]

_QUOTES, _BEFORE_FLAG = "\"'`", " \t\"'`|[=,("
_GOES_ON = "$<{*%?#&="  # a path before one of these is a part of one
_VALUE = re.compile(r"^\s*+(?:-\s+)?(?:[\"']?[\w./-]+[\"']?\s*[:=]\s*)?([^\s\"',]+),?\s*$")
_FENCE = re.compile(r"^\s*+(?:```|~~~)")
_INDENTED = re.compile(r"^(?: {4}|\t)")
_MARKUP = re.compile(r"[\w\s.,;:!?)]")  # what follows a word of a sentence


def places(line: str, path: str, *, is_block: bool = False) -> Mapping[str, AbstractSet[Place]]:
    """Return the names in a line, each with its places. `is_block`: the line is in a code block of a document."""
    found: dict[str, set[Place]] = defaultdict(set)
    for name, place in _places(line, path, is_block=is_block) if len(line) <= LONGEST_LINE else ():
        if is_word(name):
            found[name].add(place)
    return found


def block_lines(source: bytes) -> Collection[int]:
    """Return the lines of a document that are code: in fences, or indented."""
    found, is_fenced = set(), False
    for number, line in enumerate(file_lines(source), 1):
        if _FENCE.match(line):
            is_fenced = not is_fenced
        elif is_fenced or _INDENTED.match(line):
            found.add(number)
    return found


def _places(line: str, path: str, *, is_block: bool) -> Iterator[tuple[str, Place]]:
    is_document, has_code = is_prose(path), is_code(path)
    keys = {key.start(1) for form in (KEY, SECTION) if not is_document and (key := form.match(line))}
    value = None if is_document or has_code else _VALUE.match(line)
    for match in RUN.finditer(line):
        run = trimmed(match[0])
        start = match.start() + match[0].find(run)
        end = start + len(run)
        before, after = line[start - 1 : start], line[end : end + 1]
        is_quoted = before != "" and before in _QUOTES and before == after
        if run.startswith("-"):
            is_written = before == "" or before in _BEFORE_FLAG
            if run.startswith("--") and (is_quoted if filetype(path).is_parsed else is_written and not is_style(path)):
                yield run, "flag"
            continue
        name, last = run.strip("/"), PART.split(run)[-1]
        if start in keys:
            yield name, "key"
            continue
        if "/" in name and (not after or after not in _GOES_ON) and (not before or before not in "$}<"):
            yield from ((one, "path") for one in _paths(run, has_code=has_code))
        if is_document:
            is_marked = is_block or is_quoted or line.count("`", 0, start) % 2 or (after and not _MARKUP.match(after))
            if is_marked or (before and not before.isspace() and before != "("):
                yield from ((one, "code") for one in (name, last))
            continue
        if is_quoted or (value is not None and value.start(1) <= start and end <= value.end(1)):
            yield from ((one, "folder" if "/" in name else "text") for one in {name, name.partition(".")[0]})
        elif "." in name and after != "(" and filetype(path).is_parsed:
            yield last, "member"
        yield from ((one, "name") for one in (name, last, *PART.split(name)))


def _paths(run: str, *, has_code: bool) -> Iterator[str]:
    """Yield a run that is the name of a file or an address, and the folder of a file. Imports of code name neither."""
    name = run.strip("/")
    folder, _, base = name.rpartition("/")
    is_address = "." in name.partition("/")[0] and (run.startswith("//") or not has_code)
    if "." in base or is_address:
        yield name
        if "/" in folder and not is_address and not run.startswith("/"):
            yield folder
