"""A method that overrides one whose signature changed, and that was left as it was."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.analyzers.contracts_arity import insists_on_signatures, misfit
from bot.analyzers.contracts_words import line_of
from bot.values import ChangedSymbol, Definition, Evidence, Finding, Reference, Source, Verdict
from bot.values.finding import ALSO_BROKEN, Telling, break_of, proof_of
from impact.filetypes import filetype
from impact.ports import Tree
from impact.uses.contract import moved_places


def comparable(item: ChangedSymbol, own: Definition) -> bool:
    """Whether both signatures and that of the override are known well enough to be compared."""
    before = item.before.called if item.before is not None else None
    after = item.after.called if item.after is not None else None
    if before is None or after is None or not own.called or not insists_on_signatures(item.symbol.path, own.path):
        return False
    if before.opaque or after.opaque or before.also or after.also or own.also or own.name == item.symbol.name:
        return False
    if moved_places(before, after):
        return False  # an argument reaches another parameter of the override than of the method
    return not own.opaque or filetype(own.path).marked_overrides


def no_longer_fits(item: ChangedSymbol, own: Definition) -> bool:
    """Whether a call that the changed method is made for fits its override no longer, and did before."""
    before = item.before.called if item.before is not None else None
    after = item.after.called if item.after is not None else None
    if before is None or after is None or not own.called or not comparable(item, own):
        return False
    mine = replace(own, opaque=False)
    return misfit(mine, mine, _call(before, own)) is None and misfit(mine, mine, _call(after, own)) is not None


def _call(method: Definition, own: Definition) -> Reference:
    """The shortest call that a method takes."""
    required_parameters = [item for item in method.listed if item.is_required]
    count = sum(item.kind in ("positional", "only") for item in required_parameters)
    if filetype(own.path).shorter_overrides:
        count = min(count, sum(item.kind in ("positional", "only") for item in own.listed))
    keywords = tuple(item.name for item in required_parameters if item.kind == "keyword")
    return Reference("", own.short, "", own.start, "", own.name, None, "bound", positional=count, keywords=keywords)


async def overridden(
    tree: Tree, heirs: tuple[tuple[str, Definition], ...], symbols: Mapping[str, ChangedSymbol]
) -> list[Finding]:
    """One finding for each base method whose overrides were left behind, with the method before and after as evidence."""
    left: dict[str, list[tuple[Definition, Evidence]]] = defaultdict(list)
    for key, own in heirs:
        item = symbols.get(key)
        at = await line_of(tree, own, "") if item is not None and no_longer_fits(item, own) else None
        if at is not None:
            left[key].append((own, at))
    return [await _finding(tree, key, symbols[key], rows) for key, rows in left.items()]


def _consequence(own: Definition, name: str) -> str:
    """What the mismatch comes to, by language."""
    language = filetype(own.path)
    if language.broken_override:
        return language.broken_override
    fails = f"a call that is written for {name}() fails on a {own.name.rpartition('.')[0]}, or reaches another method."
    return f"The file no longer compiles, or {fails}" if language.broken_use else f"{fails[:1].upper()}{fails[1:]}"


async def _finding(tree: Tree, key: str, item: ChangedSymbol, rows: Sequence[tuple[Definition, Evidence]]) -> Finding:
    own, at = rows[0]
    sides = [(item.before, "before"), (item.after, "after")]
    evidence = [await line_of(tree, symbol, note) for symbol, note in sides if symbol is not None]
    was, now = (side.head if side is not None and side.called else "" for side, _ in sides)
    name, cause = item.symbol.name, break_of("override", key)
    more = f" (and {len(rows) - 1} more)" if len(rows) > 1 else ""

    def tell(own: Definition) -> Telling:
        still = own.head if own.called else ""
        return Telling(
            f"{name}() has a new signature, but {own.path} still overrides it with the old one{more}",
            f"{name}() was `{was}` and is now `{now}` ({item.symbol.path}). {own.name}() takes its place and still is `{still}`.",
            _consequence(own, name),
        )

    told, breaks = tell(own), [break_of(key, one.path, one.name) for one, _ in rows]
    return Finding(
        path=own.path,
        quote=at.quote,
        title=told.title,
        why=told.why,
        consequence=told.consequence,
        severity="high",
        category="broken-caller",
        sources=(
            Source(
                "analyser",
                "contracts",
                proof=proof_of("override", cause),
                breaks=tuple(sorted(breaks)),
            ),
        ),
        cause=cause,
        rule="override",
        start=at.line,
        end=at.line,
        evidence=(
            *(one for one in evidence if one is not None),
            *(
                replace(there, note=ALSO_BROKEN, telling=tell(one), breaks=(its_break,))
                for (one, there), its_break in zip(rows[1:], breaks[1:], strict=True)
            ),
        ),
        verdict=Verdict.PROVEN,
    )
