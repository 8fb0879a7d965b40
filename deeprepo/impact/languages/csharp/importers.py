"""Extend the outline of C# files with generated properties."""

import re
from collections.abc import Iterator

from deeprepo.impact.resolving.offers import outline as read_outline
from deeprepo.impact.structs import replace
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.values import Definition, Facts, Side

OBSERVABLE = re.compile(r"\[[^\]\n]{0,200}\bObservableProperty\b")


def outline(path: str, source: bytes, side: Side) -> Facts:
    """Return the definitions of a file, with the properties that the MVVM toolkit generates from fields."""
    file_outline = read_outline(path, source, side)
    if b"ObservableProperty" not in source:
        return file_outline
    return replace(file_outline, definitions=(*file_outline.definitions, *_properties(file_outline, source)))


def _properties(file_outline: Facts, source: bytes) -> Iterator[Definition]:
    lines = file_lines(source)
    for one in file_outline.definitions:
        owner, bare = one.owner, one.short.removeprefix("m_").lstrip("_")
        if owner and bare and OBSERVABLE.search("\n".join(lines[max(one.start - 2, 0) : one.end])):
            property_name = f"{owner}.{bare[:1].upper()}{bare[1:]}"
            if property_name != one.name:
                yield replace(one, name=property_name, private=False, visible="")
