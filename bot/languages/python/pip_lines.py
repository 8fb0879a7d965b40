"""The lines of a requirements file as pip reads them: continued lines, comments, options, and the files that go on with it."""

import posixpath
import re
from collections.abc import Iterator

from bot.text.lines import utf8

COMMENT = re.compile(r"(?:^|\s)#.*")
INCLUDED = re.compile(r"(?:-r|--requirement)(?:\s*=\s*|\s*)(\S.*)")
EDITABLE = re.compile(r"(?:-e|--editable)(?:\s*=\s*|\s*)(\S.*)")
OPTION = re.compile(r"\s--?[a-z]")


def logical_lines(source: bytes) -> Iterator[tuple[str, int]]:
    """Each line without its comment, with the number that it begins at; a backslash joins the next one to it."""
    parts: list[str] = []
    start = 0
    for number, row in enumerate(utf8(source).decode("utf-8", "replace").splitlines(), 1):
        start = start if parts else number
        text = row if not parts or not row.lstrip().startswith("#") else ""
        is_continued = text.endswith("\\") and not text.lstrip().startswith("#")
        parts.append(text[:-1] if is_continued else text)
        if not is_continued:
            yield COMMENT.sub("", " ".join(parts)).strip(), start
            parts = []
    if parts:
        yield COMMENT.sub("", " ".join(parts)).strip(), start


def asked_lines(source: bytes) -> Iterator[tuple[str, int]]:
    """Each requirement as it is written, without the options behind it, and its line."""
    for text, number in logical_lines(source):
        editable = EDITABLE.match(text)
        requirement = editable[1] if editable else text
        if requirement and not requirement.startswith("-"):
            option = OPTION.search(requirement)
            yield requirement[: option.start()].strip() if option else requirement, number


def included_files(path: str, source: bytes) -> list[str]:
    """The files that `-r` names, from the root of the tree."""
    names = [match[1].strip(" \"'") for text, _ in logical_lines(source) if (match := INCLUDED.match(text))]
    return [posixpath.normpath(posixpath.join(posixpath.dirname(path), one)) for one in names if "://" not in one]
