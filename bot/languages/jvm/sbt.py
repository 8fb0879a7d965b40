"""Builds of sbt, which are programs in Scala: what is written out in them is read, nothing is run."""

import posixpath
import re
from collections.abc import Iterator

# A project in a variable: what follows is its settings, up to the next one.
VARIABLE = re.compile(r"^[ \t]*+(?:lazy[ \t]++)?val[ \t]++`?([\w-]{1,100})`?[^=\n]{0,100}=", re.MULTILINE)
PROJECT = re.compile(r"[\s(]*+(?:project\b|crossProject\b|Project\()")
HOME = re.compile(r"\bfile\([ \t]{0,20}\"([\w./-]{1,200})\"[ \t]{0,20}\)")
NAME = re.compile(r"\b(moduleName|name)[ \t]{0,20}:=[ \t]{0,20}\"([\w.-]{1,200})\"")
ORGANIZATION = re.compile(r"\borganization[ \t]{0,20}:=[ \t]{0,20}(?:\"([\w.-]{1,200})\")?")
MODULE = re.compile(
    r"\"([\w.-]{1,200})\"\s{0,20}%{1,3}\s{0,20}\"([\w.-]{1,200})\"(?:\s{0,20}%\s{0,20}(?:\"([^\"\n]{1,100})\")?)?"
)
SCALA = re.compile(r"_(?:2\.1\d|3)$")  # what sbt puts behind the name of an artifact


def plain(artifact: str) -> str:
    """Return the name of an artifact without the version of Scala that it is built for."""
    return SCALA.sub("", artifact)


def projects(path: str, text: str, organization: str) -> Iterator[tuple[str, str]]:
    """Yield the folder and the artifact of each project of a build: the one of the build's own folder, and those in variables."""
    folder, starts = posixpath.dirname(path), list(VARIABLE.finditer(text))
    own = text[: starts[0].start()] if starts else text
    if name := NAME.search(own):
        yield folder, f"{_organization(own) or organization}:{plain(name[2])}"
    ends = [*(match.start() for match in starts), len(text)][1:]
    for match, end in zip(starts, ends, strict=True):
        part = text[match.end() : end]
        if PROJECT.match(part):
            home, names = HOME.search(part), dict(NAME.findall(part))
            name_told = names.get("moduleName") or names.get("name") or match[1]
            inner = posixpath.normpath(posixpath.join(folder, home[1] if home else match[1]))
            yield "" if inner == "." else inner, f"{_organization(part) or organization}:{plain(name_told)}"


def _organization(text: str) -> str:
    match = ORGANIZATION.search(text)
    return match[1] or "" if match else ""


def computes_names(text: str) -> bool:
    """Return whether a build may give an artifact a name that is not written out: in a value of its own, by a function."""
    starts = [match for match in VARIABLE.finditer(text) if "lazy" in match[0]]
    ends = [*(match.start() for match in starts), len(text)][1:]
    return any(NAME.search(text, match.end(), end) is None for match, end in zip(starts, ends, strict=True))


def organization(texts: list[str]) -> str | None:
    """Return the organization that builds set first; "" if none does, None if a program computes it."""
    matches = [match for text in texts for match in ORGANIZATION.finditer(text)]
    return next((match[1] for match in matches if match[1]), None if matches else "")


def modules(text: str) -> Iterator[re.Match[str]]:
    """Yield what a build asks for: the group, the artifact and the version of each module."""
    yield from MODULE.finditer(text)
