"""Extend the outline of JVM files with generated accessors, and with the classes that Java uses for Kotlin files."""

import re
from collections.abc import Iterator

from deeprepo.impact.language import language_of
from deeprepo.impact.languages.jvm import facade
from deeprepo.impact.reading import reader
from deeprepo.impact.resolving.offers import outline as read_outline
from deeprepo.impact.structs import replace
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.values import Definition, Facts, Parameter, Side, Signature

GIVES = re.compile(r"@(?:lombok\.)?(Data|Value|Getter|Setter)\b(?!\(\s*AccessLevel\.(?:NONE|PRIVATE))")
GETS, SETS = frozenset({"Data", "Value", "Getter"}), frozenset({"Data", "Setter"})
FIELD = re.compile(r"(?:^|\s)(final\s+)?([\w.]+(?:<[^;=]{0,300}>)?(?:\[\])*)\s+(\w+)\s*[;=,]")


def outline(path: str, source: bytes, side: Side) -> Facts:
    """Return the definitions of a file; Java uses Kotlin's top-level names through the file's class."""
    file_outline = read_outline(path, source, side)
    if b"lombok" in source:
        file_outline = replace(file_outline, definitions=(*file_outline.definitions, *_accessors(file_outline, source)))
    kinds = ("function", "variable")
    language = language_of(path)
    facts = reader.facts(language, source) if language is not None else None
    is_reached = any("." not in one.name and not one.private and one.kind in kinds for one in file_outline.definitions)
    called = facade(path, facts) if is_reached and facts is not None else ""
    return replace(file_outline, exports=(*file_outline.exports, (called, ""))) if called else file_outline


def _accessors(file_outline: Facts, source: bytes) -> Iterator[Definition]:
    """Yield the accessors that Lombok generates, placed at their fields."""
    lines, written = file_lines(source), {one.name for one in file_outline.definitions}
    classes = {one.name: one for one in file_outline.definitions if one.kind == "class"}
    for one in file_outline.definitions:
        around, name = classes.get(one.owner), one.short
        text = "\n".join(lines[one.start - 1 : one.end])
        field = FIELD.search(text) if around is not None and one.kind in ("variable", "member") else None
        if around is None or field is None or field[3] != name or one.static:
            continue
        head = re.split(r"\bclass\b", "\n".join(lines[around.start - 1 : around.end]), maxsplit=1)[0]
        marks = {found[1] for part in (head, text) for found in GIVES.finditer(part)}
        capital, is_truth = f"{name[:1].upper()}{name[1:]}", field[2] == "boolean"
        made = [f"{'is' if is_truth else 'get'}{capital}"] if marks & GETS else []
        is_fixed = field[1] is not None or "Value" in marks
        made += [f"set{capital}"] if marks & SETS and not is_fixed else []
        for short in made:
            if f"{one.owner}.{short}" not in written:
                takes = (Parameter(name, "only"),) if short.startswith("set") else ()
                head = f"{short}({f'{field[2]} {name}' if takes else ''})"
                yield replace(
                    one,
                    name=f"{one.owner}.{short}",
                    kind="method",
                    head=head,
                    signature=Signature(takes),
                    private=False,
                    visible="",
                )
