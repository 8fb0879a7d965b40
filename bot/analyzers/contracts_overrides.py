"""A method that overrides one whose signature changed, and that was left as it was."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from bot.analyzers.contracts_words import line_of
from bot.values import Basis, ChangedSymbol, Definition, Dependents, Evidence, Finding, Source, Verdict
from bot.values.finding import ALSO_BROKEN, Telling, break_of, proof_of
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.ports import Tree
from deeprepo.impact.uses.breaks import left_behind


async def overridden(tree: Tree, dependents: Dependents) -> list[Finding]:
    """Return one finding for each base method whose overrides were left behind, with the method before and after as evidence."""
    left: dict[str, list[tuple[Definition, Evidence]]] = defaultdict(list)
    symbols = dependents.by_key()
    for key, override in left_behind(dependents):
        if (at := await line_of(tree, override, "")) is not None:
            left[key].append((override, at))
    return [await _finding(tree, key, symbols[key], rows) for key, rows in left.items()]


def _consequence(override: Definition, name: str) -> str:
    """What the mismatch comes to, by language."""
    language = filetype(override.path)
    if language.broken_override:
        return language.broken_override
    fails = (
        f"a call that is written for {name}() fails on a {override.name.rpartition('.')[0]}, or reaches another method."
    )
    return f"The file no longer compiles, or {fails}" if language.broken_use else f"{fails[:1].upper()}{fails[1:]}"


async def _finding(tree: Tree, key: str, item: ChangedSymbol, rows: Sequence[tuple[Definition, Evidence]]) -> Finding:
    override, at = rows[0]
    sides = [(item.before, "before"), (item.after, "after")]
    evidence = [await line_of(tree, symbol, note) for symbol, note in sides if symbol is not None]
    was, now = (side.head if side is not None and side.called else "" for side, _ in sides)
    name, cause = item.symbol.name, break_of("override", key)
    more = f" (and {len(rows) - 1} more)" if len(rows) > 1 else ""

    def tell(override: Definition) -> Telling:
        still = override.head if override.called else ""
        return Telling(
            f"{name}() has a new signature, but {override.path} still overrides it with the old one{more}",
            f"{name}() was `{was}` and is now `{now}` ({item.symbol.path}). {override.name}() takes its place and still is `{still}`.",
            _consequence(override, name),
        )

    told, breaks = tell(override), [break_of(key, one.path, one.name) for one, _ in rows]
    return Finding(
        path=override.path,
        quote=at.quote,
        title=told.title,
        why=told.why,
        consequence=told.consequence,
        severity="high",
        category="broken-caller",
        basis=Basis(
            (
                Source(
                    "analyser",
                    "contracts",
                    proof=proof_of("override", cause),
                    breaks=tuple(sorted(breaks)),
                ),
            ),
            verdict=Verdict.PROVEN,
            cause=cause,
        ),
        rule="override",
        start=at.line,
        end=at.line,
        evidence=(
            *(place for place in evidence if place is not None),
            *(
                replace(there, note=ALSO_BROKEN, telling=tell(one), breaks=(its_break,))
                for (one, there), its_break in zip(rows[1:], breaks[1:], strict=True)
            ),
        ),
    )
