"""The guide to queries lists the captures that they use."""

import re
from collections.abc import Iterator

from deeprepo.impact import table

COMMENT = re.compile(r"(?m)^;.*$|;[^\"\n]*$")
PREDICATE = re.compile(r'\(#[\w-]+\??(?:"(?:\\.|[^"\\])*"|[^()"])*\)')
STRING = re.compile(r'"(?:\\.|[^"\\])*"')
CAPTURE = re.compile(r"@([\w.]+)")


def _listed(guide: str) -> Iterator[str]:
    """Yield the captures that the guide names: `@def.function|method` are two."""
    for written in re.findall(r"@([\w.|]+)", guide):
        name, *others = written.rstrip(".").split("|")
        yield name
        yield from (f"{name.partition('.')[0]}.{one}" if "." in name else one for one in others)


def test_guide_lists_every_capture_of_the_queries() -> None:
    """The guide lists each capture that isn't only there for a predicate, and no other."""
    listed = {name for name in _listed((table.FOLDERS[0] / "README.md").read_text("utf-8")) if not name.isupper()}
    used, for_predicates = dict[str, str](), set[str]()
    for file in sorted(table.FOLDERS[0].glob("*/*.scm")):
        text = COMMENT.sub("", file.read_text("utf-8"))
        asked = set(CAPTURE.findall("".join(PREDICATE.findall(text))))
        for written in CAPTURE.findall(STRING.sub("", PREDICATE.sub("", text))):
            name = written.removeprefix("first.").removeprefix("then.")
            if name in asked or name != written or name.startswith("_"):
                for_predicates.add(name)
            elif file.name != "targets.scm":  # a query of one language's own code
                used.setdefault(name, f"{file.parent.name}/{file.name}")
    prefixes = {name.removesuffix("NAME").removesuffix("KIND") for name in listed if name.endswith((".NAME", ".KIND"))}
    missing = {name: file for name, file in used.items() if name not in listed and not name.startswith((*prefixes,))}
    assert missing == {}
    unused = {name for name in listed if not name.endswith((".NAME", ".KIND"))} - used.keys() - for_predicates
    assert unused == set()
