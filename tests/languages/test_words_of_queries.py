"""The captures of queries: those in the guide, and those that future languages may need, in a made-up language."""

import re
from collections.abc import Iterator
from pathlib import Path

from deeprepo.impact import table
from deeprepo.impact.language import Language, language_of
from deeprepo.impact.reading import reader, spots
from deeprepo.impact.structs import replace
from deeprepo.impact.values import Parameter

# `total(a = null)` followed by a block defines a function with an optional parameter; `a = this` is required.
DEFINITIONS = """
(program (expression_statement (call_expression function: (identifier) @name arguments: (_) @params)) @def.function)
(statement_block) @local
(arguments (identifier) @name @param.positional)
(arguments (assignment_expression left: (identifier) @name) @param.positional @optional)
(arguments (assignment_expression left: (identifier) @name right: (this)) @param.positional @required)
"""
TYPES = """
(call_expression arguments: (arguments (assignment_expression left: (identifier) @var right: (identifier) @type)))
"""
CODE = b"""total(a, b = null, c = this, d = Cart)
{
    print(d);
    d.add(a);
}
d.add(1);
"""


class Beside(Language, frozen=True):
    """A language whose function bodies follow their definitions as separate nodes."""

    bodies_beside = ("statement_block",)


def _language(folder: Path) -> Language:
    """Return a made-up language in this folder, whose function bodies are separate from the definitions."""
    uses = (
        "(call_expression function: (member_expression object: (_) @receiver property: (_) @name) arguments: (_) @args)"
    )
    bound = "(assignment_expression left: (identifier) @bound)"
    for name, text in {
        "defs": DEFINITIONS,
        "types": TYPES,
        "uses": uses,
        "receivers": TYPES,
        "bindings": bound,
    }.items():
        (folder / f"{name}.scm").write_text(text, "utf-8")
    known = language_of("a.js")
    assert known is not None
    facts = {name: getattr(known, name) for name in known.__struct_fields__}
    scope = replace(known.scope, exports=False)
    return Beside(**{**facts, "folder": str(folder), "scope": scope, "scopes": ("function",)})


def test_separate_body_belongs_to_its_definition(tmp_path: Path) -> None:
    """A definition ends with its separate body; a parameter and its type apply only inside it."""
    language = _language(tmp_path)
    facts = reader.facts(language, CODE)
    assert facts is not None
    assert [(one.name, one.start, one.end) for one in facts.definitions] == [("total", 1, 5)]
    uses = spots.spots(language, CODE, {"add"})
    assert [(one.line, one.function, one.types) for one in uses or ()] == [(4, "total", ("Cart",)), (6, "<module>", ())]


def test_capture_can_mark_a_parameter_as_required(tmp_path: Path) -> None:
    facts = reader.facts(_language(tmp_path), CODE)
    assert facts is not None
    assert facts.definitions[0].parameters == (
        Parameter("a"),
        Parameter("b", is_required=False),
        Parameter("c"),
        Parameter("d", is_required=False),
    )


FUTURE = {"required", "visible.folder"}  # captures that no language uses yet
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
    assert unused == FUTURE
