"""Describe a broken contract in words and quotes, with both sides by file and line."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain

from bot.values import Basis, Definition, Evidence, Finding, Reference, Side, Source, Verdict
from bot.values.finding import ALSO_BROKEN, MAY_BREAK, MOST_BROKEN, FindingTexts, break_digest, proof_id
from deeprepo.impact.language import language_of, rules_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.resolving import present
from deeprepo.impact.uses.breaks import Breakage

NAMES_IN_TITLE = 3
MOST_NAMES = 12  # names in the sentence below the title, and definitions that are quoted per side


async def finding(
    tree: Tree, rows: Sequence[Breakage], old: Mapping[str, str], family: str, doubtful: Sequence[Breakage] = ()
) -> Finding:
    """Return one finding about one cause. The first row is quoted, the others are evidence.

    `old` maps paths to paths before the change. `doubtful` are locations that may refer to a removed
    definition.
    """
    reference = rows[0].reference
    evidence = await _definitions(tree, rows, old)
    where = next((f"{item.path}:{item.line}" for item in evidence if item.side == "base"), "")
    breaks = _breaks(rows)
    evidence += [_place(breakage, rows, where, breaks) for breakage in _further(rows)]
    symbols = {breakage.reference.symbol for breakage in rows} if family == "removed" else set()
    evidence += [
        Evidence(breakage.reference.path, breakage.reference.text, breakage.reference.line, note=MAY_BREAK)
        for breakage in doubtful[:MOST_BROKEN]
        if breakage.reference.symbol in symbols
    ]
    cause = break_digest(family, min(breakage.reference.symbol for breakage in rows))
    proof = "" if reference.likely else proof_id(family, cause)
    told = _telling(rows, where)
    return Finding(
        path=reference.path,
        quote=reference.text,
        title=told.title,
        why=told.why,
        consequence=told.consequence,
        severity="medium" if reference.test or reference.likely else "high",
        category="broken-caller",
        basis=Basis(
            (Source("analyser", "contracts", proof=proof, breaks=tuple(sorted(chain.from_iterable(breaks.values())))),),
            verdict=Verdict.UNPROVEN if reference.likely else Verdict.PROVEN,
            cause=cause,
        ),
        rule=_first(rows).rule,
        start=reference.line,
        end=reference.line,
        evidence=tuple(evidence),
    )


def _first(rows: Sequence[Breakage]) -> Breakage:
    return next((breakage for breakage in rows if breakage.reference.is_module), rows[0])


def _telling(rows: Sequence[Breakage], where: str) -> FindingTexts:
    """`where` is the definition before the change."""
    first = _first(rows)
    why = _why(first, rows[0].reference, where or first.home) + _others(first, rows)
    return FindingTexts(_title(first, rows) + _more_files(rows), why, _consequence(rows))


def _place(
    breakage: Breakage, rows: Sequence[Breakage], where: str, breaks: Mapping[tuple[str, int], Sequence[str]]
) -> Evidence:
    """Return another broken line, with the finding's text if it is reported there."""
    here = breakage.reference
    others = sorted(
        (other for other in rows if other is not breakage), key=lambda other: other.reference.path != here.path
    )
    return Evidence(
        here.path,
        here.text,
        here.line,
        note=ALSO_BROKEN,
        telling=_telling([breakage, *others], where),
        breaks=tuple(breaks[here.path, here.line]),
    )


def _breaks(rows: Sequence[Breakage]) -> Mapping[tuple[str, int], Sequence[str]]:
    """Return one digest per broken reference, by its line. Several equal lines have different digests."""
    counts = Counter[tuple[str, ...]]()
    breaks: dict[tuple[str, int], list[str]] = defaultdict(list)
    for breakage in sorted(rows, key=lambda breakage: breakage.reference.line):
        for symbol in (breakage.reference.symbol, *breakage.other_symbols):
            key = symbol, breakage.reference.path, " ".join(breakage.reference.text.split())
            counts[key] += 1
            breaks[breakage.reference.path, breakage.reference.line].append(break_digest(*key, str(counts[key])))
    return breaks


def _further(rows: Sequence[Breakage]) -> list[Breakage]:
    """Return one row per other line: one of each file, then the rest."""
    first = rows[0].reference
    places = {(breakage.reference.path, breakage.reference.line): breakage for breakage in reversed(rows)}
    places.pop((first.path, first.line))

    ranks: dict[tuple[str, int], int] = {}  # rank among the lines of its file, calls before imports
    for path, line in sorted(places, key=lambda place: (places[place].reference.form == "import", place)):
        ranks[path, line] = sum(other == path for other, _ in ranks)

    def order(place: tuple[str, int]) -> tuple[bool, bool, bool, str, int]:
        reference = places[place].reference
        return ranks[place] > 0, reference.path != first.path, reference.test, reference.path, reference.line

    return [places[place] for place in sorted(places, key=order)][:MOST_BROKEN]


def _more_files(rows: Sequence[Breakage]) -> str:
    more = len({breakage.reference.path for breakage in rows}) - 1
    return f" (and {more} more {'file' if more == 1 else 'files'})" if more else ""


def _title(first: Breakage, rows: Sequence[Breakage]) -> str:
    if first.misfit is not None:
        return f"{first.name} has a new signature, but {first.reference.path} {first.misfit.says}"
    names = list(
        dict.fromkeys(
            breakage.name
            for breakage in rows
            if breakage.rule == first.rule and _describe_change(breakage) == _describe_change(first)
        )
    )
    label = (
        names[0]
        if len(names) == 1
        else f"{', '.join(names[:NAMES_IN_TITLE])}{' and more' if len(names) > NAMES_IN_TITLE else ''}"
    )
    still = "imports" if first.reference.form == "import" else "calls" if first.reference.call else "uses"
    be, it = ("was", "it") if len(names) == 1 else ("were", "them")
    is_rename = not first.reference.is_module and _describe_change(first).startswith("renamed")
    old = ("the old name" if len(names) == 1 else "the old names") if is_rename else it
    but = "and" if first.reference.likely else "but"
    still = f"may still {still.removesuffix('s')}" if first.reference.likely else f"still {still}"
    return f"{label} {be} {_describe_change(first)}, {but} {first.reference.path} {still} {old}"


def _others(first: Breakage, rows: Sequence[Breakage]) -> str:
    names = dict.fromkeys(row.name for row in rows if row.rule == first.rule and row.name != first.name)
    listed = ", ".join(f"`{name}`" for name in [*names][:MOST_NAMES])
    return f" This also affects {listed}." if listed and first.misfit is None else ""


def _describe_change(breakage: Breakage) -> str:
    if breakage.new_path and breakage.reference.is_module:
        return f"moved to {breakage.new_path}"
    after = breakage.symbol.after if breakage.symbol is not None and breakage.symbol.change == "renamed" else None
    before = breakage.symbol.before if breakage.symbol is not None else None
    if after is None or before is None:
        return "removed"
    return f"moved to {after.path}" if after.short == before.short else f"renamed to {after.short}"


def _why(breakage: Breakage, reference: Reference, where: str) -> str:
    place_text = f"{reference.path}:{reference.line}"
    if breakage.misfit is not None and breakage.symbol is not None:
        before, after = breakage.symbol.before, breakage.symbol.after
        was, now = _head(before), _head(after)
        # The title says what the call gets wrong.
        doubt = f" This is not certain: {reference.doubt}." if reference.doubt else ""
        return f"{breakage.name} was `{was}` and is now `{now}` ({breakage.home}).{doubt}"
    if breakage.reference.is_module:
        place = f"{breakage.reference.path}:{breakage.reference.line}"
        use = "" if place == place_text else f" and uses it at line {reference.line}"
        if breakage.new_path:
            return f"This change moves {breakage.home} to {breakage.new_path}; {place} still imports it from the old path{use}."
        return f"This change removes {breakage.home}; no file replaces it, but {place} still imports it{use}."
    doubt = reference.doubt or ("what the object has is not known" if reference.likely else "")
    by_name = f" This is not certain: {doubt}." if doubt else ""
    return f"`{breakage.name}` ({where} before the change) was {_describe_change(breakage)}, but {place_text} still uses {_left(breakage)}.{by_name}"


def _left(breakage: Breakage) -> str:
    """Return what an unchanged line still uses."""
    fate = _describe_change(breakage)
    return (
        "the old name" if fate.startswith("renamed") else "it from the old path" if fate.startswith("moved") else "it"
    )


def _head(symbol: Definition | None) -> str:
    """Return a definition's signature, or the kind and name of a class."""
    if symbol is None:
        return ""
    return symbol.head if symbol.signature else f"{symbol.kind} {symbol.short}"


def _consequence(rows: Sequence[Breakage]) -> str:
    reference = rows[0].reference
    places = {(breakage.reference.path, breakage.reference.line) for breakage in rows}
    files = {path for path, _ in places}
    where = f"in {reference.path}" if len(files) == 1 else f"in {len(files)} files"
    many = f" In total, {len(places)} lines {where} use the old definition." if len(places) > 1 else ""
    language = rules_of(reference.path)
    if reference.likely:
        other = "something else provides it" if not reference.doubt else "it means something else here"
        effect = f"Unless {other}, this line fails or no longer compiles."
    elif language.broken_use or _runtime_failure(rows):
        effect = language.broken_use or _runtime_failure(rows)
    elif reference.form == "import":
        effect = "Importing this file fails, or the name is undefined when it is used."
    elif language.calls.missing_arguments and reference.form != "call":
        effect = "This line fails, or reads `undefined`, whenever it runs."
    else:
        effect = "This line fails whenever it runs."
    return f"{effect}{many}"


def _runtime_failure(rows: Sequence[Breakage]) -> str:
    """Return how the first broken line, or the import that it needs, fails; "" if the language has its own words."""
    reference = rows[0].reference
    known = language_of(reference.path)
    if known is None or known.scope.exports:
        return ""
    if rows[0].misfit is not None:
        return f"This line {known.fails['arguments']}."
    mine = (row.reference for row in rows if row.reference.path == reference.path)
    first = next((other for other in mine if other.form == "import"), reference)
    if first.form != "import" and f".{first.name}" not in first.text:
        return ""
    kind = "missing-module" if first.is_module else "missing-name" if first.form == "import" else "missing-member"
    where = "This line" if first.line == reference.line else f"The import in {first.path}, line {first.line},"
    return f"{where} {known.fails[kind]}."


async def _definitions(tree: Tree, rows: Sequence[Breakage], old: Mapping[str, str]) -> list[Evidence]:
    evidence: dict[tuple[str, int, Side], Evidence] = {}
    for breakage in rows:
        sides = (
            [(breakage.symbol.before, "before"), (breakage.symbol.after, "after")]
            if breakage.symbol is not None
            else []
        )
        items = [await line_of(tree, symbol, note) if symbol is not None else None for symbol, note in sides]
        for item in items:
            if item is not None:
                evidence.setdefault((item.path, item.line, item.side), item)
        if breakage.symbol is None:
            name = "" if breakage.reference.is_module else breakage.reference.symbol.rpartition(":")[2]
            item = await _former_reexport(tree, old.get(breakage.home, breakage.home), name)
            if item is not None:
                evidence.setdefault((item.path, item.line, item.side), item)
    return list(evidence.values())[: 2 * MOST_NAMES]


async def line_of(tree: Tree, symbol: Definition, note: str) -> Evidence | None:
    """Return a line of a definition, by default the line with its name, because decorators may precede it."""
    lines = _lines(await tree.read(symbol.path, symbol.side))
    span = range(symbol.start, min(symbol.end, len(lines)) + 1)
    at = next((line for line in span if _holds(lines[line - 1], symbol.short)), None)
    return Evidence(symbol.path, lines[at - 1], at, symbol.side, note) if at is not None else None


async def _former_reexport(tree: Tree, path: str, name: str) -> Evidence | None:
    """Return the line on which a file re-exported a name, or without a name the file's first line."""
    lines = _lines(await tree.read(path, "base"))
    at = next((number for number, line in enumerate(lines, 1) if not name or _holds(line, name)), None)
    return Evidence(path, lines[at - 1], at, "base", "before") if at is not None else None


def _lines(source: bytes | None) -> list[str]:
    return [line.rstrip("\r") for line in (source or b"").decode("utf-8", "replace").split("\n")]


def _holds(line: str, name: str) -> bool:
    return bool(present(line.encode("utf-8", "replace"), {name}))
