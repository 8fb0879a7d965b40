"""Find the accessors that Lombok generates from fields of Java files."""

import re
from collections.abc import Iterator

from deeprepo.impact.structs import replace
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.values import Definition, Outline, Parameter, Signature

GIVES = re.compile(r"@(?:lombok\.)?(Data|Value|Getter|Setter)\b(?!\(\s*AccessLevel\.(?:NONE|PRIVATE))")
GETS, SETS = frozenset({"Data", "Value", "Getter"}), frozenset({"Data", "Setter"})
FIELD = re.compile(r"(?:^|\s)(final\s+)?([\w.]+(?:<[^;=]{0,300}>)?(?:\[\])*)\s+(\w+)\s*[;=,]")


def accessors(outline: Outline, source: bytes) -> Iterator[Definition]:
    """Yield the accessors that Lombok generates, placed at their fields."""
    if b"lombok" not in source:
        return
    lines, written = file_lines(source), {one.name for one in outline.definitions}
    classes = {one.name: one for one in outline.definitions if one.kind == "class"}
    for one in outline.definitions:
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
