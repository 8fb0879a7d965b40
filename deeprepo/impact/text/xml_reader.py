"""Read XML files that anybody may have written, with limits on size, depth and number of elements."""

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from xml.parsers import expat

from deeprepo.impact.structs import Struct

MOST_BYTES = 1_000_000
MOST_ELEMENTS = 20_000
DEEPEST = 60
LONGEST_TEXT = 400  # characters of a text


class Element(Struct):
    """An element of a file. Names have no namespace prefix."""

    name: str
    around: tuple[str, ...]  # names of the enclosing elements, outermost first
    attributes: Mapping[str, str]
    text: str = ""  # text directly inside it


class _Beyond(Exception):  # noqa: N818 - it ends the parse, and is no error of this program
    """The file exceeds a limit, or declares entities."""


@lru_cache
def elements(source: bytes) -> tuple[Element, ...]:
    """Return the elements of a file in order.

    If the file isn't well-formed, exceeds a limit or declares a document type, only the elements before that
    place are returned.
    """
    found: list[Element] = []
    opened: list[int] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(opened) >= DEEPEST or len(found) >= MOST_ELEMENTS:
            raise _Beyond
        around = tuple(found[at].name for at in opened)
        found.append(Element(name.rpartition(":")[2], around, attributes))
        opened.append(len(found) - 1)

    def end(_: str) -> None:
        opened.pop()

    def data(text: str) -> None:
        for at in opened[-1:]:
            found[at].text = (found[at].text + text)[:LONGEST_TEXT]

    def refuse(*_: object) -> None:
        raise _Beyond

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, data
    parser.StartDoctypeDeclHandler = refuse  # entities could expand without limit or name other files
    parser.buffer_text = True
    with suppress(expat.ExpatError, _Beyond, ValueError):
        parser.Parse(source[:MOST_BYTES].lstrip(), True)  # noqa: FBT003 - the last part of the file
    return tuple(found)
