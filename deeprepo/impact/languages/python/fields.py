"""Find unchanged code that uses removed fields of a class, or omits newly required ones.

The constructor of such a class is generated from its fields, and subclasses inherit them:
`ItemCreate(title="x")` uses `ItemBase.title`. Nothing is reported if an alias or an unknown base may provide
the field.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from deeprepo.impact.changes import ChangedSymbol, Reference, ResultMisuse
from deeprepo.impact.filetypes import parsed_by
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct, replace
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.uses.sites import mention
from deeprepo.impact.views import OneSide

if TYPE_CHECKING:
    from deeprepo.impact.index import Index
    from deeprepo.impact.seen import Seen
    from deeprepo.impact.values import Use

SUFFIXES = parsed_by("python")
Field = tuple[str, str, str]  # file, class, name
MOST = 120  # files that are searched
BELOW = 3  # levels of subclasses
LINES = 60  # of a construction
WRITES_ITS_OWN = frozenset({"__init__", "__new__", "__getattr__", "__getattribute__", "__init_subclass__"})
ANY_FIELD = r"\bextra\s*+[=:]\s*+(?:[\"']allow|(?:\w++\.)?+allow\b)|[\"']extra[\"']\s*+:\s*+[\"']allow"
# Members of every model, besides its fields.
OF_EACH_MODEL = re.compile(
    r"model_\w+|copy|dict|json|schema\w*|construct|validate|fields|metadata|parse_\w+|from_orm|update_forward_refs"
)
GIVES = re.compile(r"->\s*+[\"']?(\w+)[\"']?(?:\s*+\|\s*+None)?\s*+:?$")


class _Named(Struct, frozen=True):
    """A line that uses a removed field or omits a required one."""

    field: Field
    path: str
    line: int
    fails: bool = False  # a call that worked before the change and now raises an error
    without: str = ""  # the error message if the call omits the field
    called: str = ""


async def with_lost_fields(
    tree: Tree, symbols: Iterable[ChangedSymbol], references: Sequence[Reference], fresh: Mapping[str, Collection[int]]
) -> list[Reference]:
    """Return the references with lines that use or omit such fields.

    References that only match by name are dropped. `fresh`: the lines that the change adds.
    """
    symbols = list(symbols)
    lost = {field for item in symbols if (field := _lost(item))}
    gained = {field for item in symbols if (field := _gained(item))}
    if not lost and not gained:
        return [*references]
    from deeprepo.impact.index import ROUNDS, Index
    from deeprepo.impact.languages.python.constructions import (
        musts,  # imported here because grammars load with the first searched file
    )

    head, base = OneSide(tree, "head"), OneSide(tree, "base")
    sources = await tree.read_many(sorted({path for path, _, _ in gained}))
    gained = {(path, owner, name) for path, owner, name in gained if name in musts(sources.get(path, b""), owner)}
    paths = await _asked(head, {name for _, _, name in lost}, {owner for _, owner, _ in gained})
    # An unchanged line refers to the class as it was before the change.
    now, before = Index(await head.paths(), guesses=True), Index(await base.paths(), guesses=True)
    found: list[_Named] = []
    for _ in range(ROUNDS if paths else 0):
        found = [row for path in paths for row in _of_file(now, before, path, lost, gained)]
        if not any([await now.read(head), await before.read(base)]):
            break
    told = {
        (row.path, row.line, row.name): row.is_lost or row.misuse is not None
        for row in references
        if not row.is_guessed
    }
    rows: dict[tuple[str, int, str], Reference] = {}
    for one in found:
        (home, owner, name), path, line = one.field, one.path, one.line
        is_broken = told.get((path, line, name))
        if line not in fresh.get(path, ()) and (is_broken is None or (one.fails and not is_broken)):
            text = file_lines(now.sources[path])[line - 1].rstrip("\r")
            row = replace(mention(f"{home}:{owner}.{name}", name, path, line, text), tie="bound")
            if one.without:
                fails = f"raises {one.without} when it runs"
                wrong = ResultMisuse("omits it", fails, (0, 0), "required-field", "must be passed now")
                rows[path, line, name] = replace(row, name=one.called, call=True, form="call", misuse=wrong)
            else:
                rows[path, line, name] = replace(row, fate="lost") if one.fails else replace(row, asks=True)
    return [row for row in references if (row.path, row.line, row.name) not in rows] + [*rows.values()]


async def _asked(head: OneSide, names: Collection[str], classes: Collection[str]) -> list[str]:
    """Return the files that use one of the names as an argument or member, or call one of the classes or a subclass."""
    forms = [rf"\b(?:{_any(names)})\s*=(?!=)|\.(?:{_any(names)})\b"] if names else []
    known, latest = set(classes), set(classes)
    for _ in range(BELOW if classes else 0):
        heirs = re.compile(rf"(?m)^class\s+(\w+)\([^)\n]*\b(?:{_any(latest)})\b")
        paths = [
            path
            for path in await head.holding(rf"^class\s+\w+\([^)]*\b(?:{_any(latest)})\b")
            if path.endswith(SUFFIXES)
        ]
        texts = (await head.read(paths[:MOST])).values()
        latest = {name for raw in texts for name in heirs.findall(raw.decode("utf-8", "replace"))} - known
        known |= latest
        if not latest:
            break
    forms += [rf"\b(?:{_any(known)})\("] if known else []
    found = [path for form in forms for path in await head.holding(form) if path.endswith(SUFFIXES)]
    return [*dict.fromkeys(found)][:MOST]


def _any(names: Collection[str]) -> str:
    return "|".join(sorted(map(re.escape, names)))


def _lost(item: ChangedSymbol) -> Field | None:
    """Return the field that the change removes from a class, or None."""
    old = item.before
    if (
        old is None
        or old.kind != "variable"
        or item.change not in ("removed", "renamed")
        or not old.path.endswith(SUFFIXES)
    ):
        return None
    owner, _, name = old.name.rpartition(".")
    return (old.path, owner, name) if owner.isidentifier() and not name.startswith("_") else None


def _gained(item: ChangedSymbol) -> Field | None:
    """Return a field that was added or changed, or None."""
    new = item.after
    if new is None or new.kind != "variable" or item.change == "body" or not new.path.endswith(SUFFIXES):
        return None
    owner, _, name = new.name.rpartition(".")
    return (new.path, owner, name) if owner.isidentifier() and not name.startswith("_") else None


def _of_file(
    now: "Index", before: "Index", path: str, lost: Collection[Field], gained: Collection[Field]
) -> Iterator[_Named]:
    """Yield the lines of a file that use a removed field or omit a required one, as far as files are read."""
    facts = now.facts(path)
    source = now.sources.get(path, b"")
    seen = now.seen(path, range(1, source.count(b"\n") + 2)) if facts is not None else None
    if seen is None or facts is None:
        return
    own = {one.name for one in facts.definitions if not one.owner}
    names = {name for _, _, name in lost}
    owners = {(home, owner) for home, owner, _ in (*lost, *gained)}
    lines = file_lines(source)
    for use in seen.uses:
        typed = seen.typed(use.receiver, use.line) if use.receiver else None
        home = path
        if use.receiver and use.name in names - seen.stores and not (typed is not None and typed.is_own):
            given = _given(now, path, lines, seen, use) if typed is None else (path, typed.name)
            home, called = given or (path, "")
            asked = {use.name: use.line}
        elif use.arguments is not None and not use.receiver:
            asked = {name: _line_of(name, lines, use.line) for name in names & set(use.arguments.keywords)}
            called = use.name
        else:
            continue
        is_bound = seen.binds(called, use.line) and not (called in own and len(seen.bindings[called]) == 1)
        if not called or use.is_guarded or (is_bound and home == path) or not (asked or gained):
            continue
        family = _family(now, before, home, called)
        if owners.isdisjoint(family):
            continue
        is_annotated = bool(use.receiver) and typed is not None and _tells_all(now, family, use.name)
        fails = ("?" if is_annotated else "") if use.receiver else _insists(now, before, path, use)
        rows = [
            (next((one for one in lost if one[:2] in family and one[2] == name), None), line)
            for name, line in asked.items()
        ]
        found = [
            _Named(field, path, line, fails=fails != "")
            for field, line in rows
            if field is not None and not _may_have(now, family, field[2])
        ]
        yield from found
        new = next((one for one in gained if one[:2] in family and one[2] == fails), None)
        if new is not None and not found and not use.receiver:
            yield _Named(new, path, use.line, without=_error(now, path, called), called=called)


def _given(now: "Index", path: str, lines: Sequence[str], seen: "Seen", use: "Use") -> tuple[str, str] | None:
    """Return the class of a name that is bound once to a function's result, by the function's declared type."""
    from deeprepo.impact.resolve import named

    spans = [span for span in seen.bindings.get(use.receiver, ()) if span[0] <= use.line <= span[1]]
    if len(spans) != 1:
        return None
    binds = re.compile(rf"^\s*+{re.escape(use.receiver)}\s*+=\s*+(?:await\s++)?(\w+)\(")
    calls = [found[1] for line in lines[spans[0][0] - 1 : use.line] if (found := binds.match(line))]
    rows = named(now, path, calls[0]).definitions if len(calls) == 1 else ()
    declared = GIVES.search(rows[0][1].head) if len(rows) == 1 and rows[0][1].kind == "function" else None
    return (rows[0][0], declared[1]) if declared is not None else None


def _line_of(name: str, lines: Sequence[str], start: int) -> int:
    """Return the line on which a call passes a named argument."""
    given = re.compile(rf"(?<![\w.]){re.escape(name)}\s*+=(?!=)")
    rows = (number for number, line in enumerate(lines[start - 1 : start + LINES], start) if given.search(line))
    return next(rows, start)


def _family(now: "Index", before: "Index", path: str, name: str) -> tuple[tuple[str, str], ...]:
    """Return a class with all its bases in the tree, as (file, name).

    Return () if it is no class or may have an unknown new base.
    """
    from deeprepo.impact.classes import ancestry
    from deeprepo.impact.resolve import named

    rows = named(now, path, name).definitions
    if len(rows) != 1 or rows[0][1].kind != "class":
        return ()
    line = ancestry(now, rows[0][0], rows[0][1].name)
    for (home, owner), base in line.beyond:
        old = before.facts(home)
        known = {one for was in old.definitions if was.name == owner for one in was.bases} if old is not None else ()
        if base not in known or base.startswith("metaclass"):
            return ()
    return line.classes


def _insists(now: "Index", before: "Index", path: str, use: "Use") -> str:
    """Return what is newly wrong with a construction: a field that it omits or passes in vain.

    Return "" if nothing is certain.
    """
    from deeprepo.impact.languages.python.constructions import taken
    from deeprepo.impact.resolve import named

    if use.arguments is None or use.arguments.spread:
        return ""
    positional, keywords = use.arguments.positional, use.arguments.keywords
    was, takes = (
        taken(index, rows[0][0], rows[0][1].name) if len(rows) == 1 else None
        for index in (before, now)
        for rows in (named(index, path, use.name).definitions,)
    )
    if was is None or takes is None or not was.is_fit(positional, keywords) or takes.is_fit(positional, keywords):
        return ""
    return takes.lacks(positional, keywords) or next((one for one in keywords if one not in takes.required), "?")


def _tells_all(now: "Index", family: Sequence[tuple[str, str]], name: str) -> bool:
    """Return whether a class is a model whose attributes are all known.

    No other class in its file may have an attribute of that name.
    """
    from deeprepo.impact.languages.python.constructions import taken

    if not family or OF_EACH_MODEL.fullmatch(name):
        return False
    takes, facts = taken(now, *family[0]), now.facts(family[0][0])
    is_beside = any(one.short == name for one in facts.definitions) if facts is not None else True
    return takes is not None and takes.raises != "TypeError" and not is_beside


def _error(now: "Index", path: str, called: str) -> str:
    from deeprepo.impact.languages.python.constructions import taken
    from deeprepo.impact.resolve import named

    ((home, one),) = named(now, path, called).definitions
    takes = taken(now, home, one.name)
    return takes.raises if takes is not None else ""


def _may_have(now: "Index", family: Sequence[tuple[str, str]], name: str) -> bool:
    """Return whether one of the classes has the field, code for any field, or an alias of that name."""
    says = re.compile(rf"[\"']{re.escape(name)}[\"']|{ANY_FIELD}")
    for home, owner in family:
        facts = now.facts(home)
        lines = file_lines(now.sources.get(home, b""))
        for one in facts.definitions if facts is not None else ():
            if one.owner == owner and (one.short == name or one.short in WRITES_ITS_OWN):
                return True
            if one.name == owner and not one.owner and says.search("\n".join(lines[one.start - 1 : one.end])):
                return True
    return False
