"""Find the properties that the MVVM toolkit generates from fields of C# files."""

import re
from collections.abc import Iterator

from deeprepo.impact.structs import replace
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.values import Definition, Outline

OBSERVABLE = re.compile(r"\[[^\]\n]{0,200}\bObservableProperty\b")


def properties(outline: Outline, source: bytes) -> Iterator[Definition]:
    """Yield the generated properties, placed at their fields."""
    if b"ObservableProperty" not in source:
        return
    lines = file_lines(source)
    for one in outline.definitions:
        owner, bare = one.owner, one.short.removeprefix("m_").lstrip("_")
        if owner and bare and OBSERVABLE.search("\n".join(lines[max(one.start - 2, 0) : one.end])):
            property_name = f"{owner}.{bare[:1].upper()}{bare[1:]}"
            if property_name != one.name:
                yield replace(one, name=property_name, private=False, visible="")
