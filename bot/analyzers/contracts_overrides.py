"""Find overrides that were left unchanged although the overridden method's signature changed."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from bot.analyzers.contracts_words import line_of
from bot.values import Basis, ChangedSymbol, Definition, Dependents, Evidence, Finding, Source, Verdict
from bot.values.finding import ALSO_BROKEN, FindingTexts, break_digest, proof_id
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.language import rules_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.uses.breaks import left_behind

OVERRIDE = re.compile(r"\boverride\b", re.IGNORECASE)
HEAD_ENDS = re.compile(r"[{;]|=>")
PURE = re.compile(r"=\s*0\s*;$")


async def overridden(tree: Tree, dependents: Dependents) -> list[Finding]:
    """Return one finding per base method with outdated overrides. The method before and after is evidence."""
    left: dict[tuple[str, bool], list[tuple[Definition, Evidence]]] = defaultdict(list)
    symbols = dependents.by_key()
    for key, override in left_behind(dependents):
        at = await line_of(tree, override, "")
        if at is not None:
            left[key, await _must_match_base(tree, symbols[key], override, at)].append((override, at))
    return [await _finding(tree, key, symbols[key], rows, fits=fits) for (key, fits), rows in left.items()]


async def _must_match_base(tree: Tree, item: ChangedSymbol, override: Definition, at: Evidence) -> bool:
    """In a language with overloading, a method that is not marked as an override is another method."""
    language, rules = filetype(override.path), rules_of(override.path)
    if (
        language.definitions == "member"
    ):  # a method may take fewer parameters, and require those that are optional in the base
        offered = item.after.signature if item.after is not None else None
        return offered is not None and sum(one.is_required for one in override.parameters) > len(offered.parameters)
    if not (language.definitions == "typed" or rules.types.overloads):
        return True
    if OVERRIDE.search(_head(file_lines(await tree.read(override.path)), at.line)):
        return True
    base = await line_of(tree, item.after, "after") if item.after is not None else None
    text = base.quote.strip() if base is not None else ""
    return text.endswith(";") and "{" not in text and (not rules.has_headers or PURE.search(text) is not None)


def _head(lines: Sequence[str], line: int) -> str:
    """Return the head of the method named on this line, with the annotations above it."""
    first = last = line - 1
    while first and lines[first - 1].lstrip().startswith(("@", "[")):
        first -= 1
    while last + 1 < len(lines) and not HEAD_ENDS.search(lines[last]):
        last += 1
    return "\n".join(lines[first : last + 1])


def _consequence(override: Definition, name: str) -> str:
    language = rules_of(override.path)
    if language.types.broken_override:
        return language.types.broken_override
    fails = f"a call written for {name}() fails on a {override.name.rpartition('.')[0]}, or reaches another method."
    return f"The file no longer compiles, or {fails}" if language.broken_use else f"{fails[:1].upper()}{fails[1:]}"


async def _finding(
    tree: Tree, key: str, item: ChangedSymbol, rows: Sequence[tuple[Definition, Evidence]], *, fits: bool
) -> Finding:
    """Return the finding. It is a hint unless `fits`, which says that each method must match its base."""
    override, at = rows[0]
    sides = [(item.before, "before"), (item.after, "after")]
    evidence = [await line_of(tree, symbol, note) for symbol, note in sides if symbol is not None]
    was, now = (side.head if side is not None and side.signature else "" for side, _ in sides)
    name, cause = item.symbol.name, break_digest("override", key)
    more = f" (and {len(rows) - 1} more)" if len(rows) > 1 else ""

    def tell(override: Definition) -> FindingTexts:
        still = override.head if override.signature else ""
        return FindingTexts(
            f"{name}() has a new signature, but {override.path} still overrides it with the old one{more}",
            f"{name}() was `{was}` and is now `{now}` ({item.symbol.path}). {override.name}() overrides it and still is `{still}`.",
            _consequence(override, name)
            if fits
            else f"A call of {name}() may no longer reach it, or pass it too little.",
        )

    told, breaks = tell(override), [break_digest(key, one.path, one.name) for one, _ in rows]
    return Finding(
        path=override.path,
        quote=at.quote,
        title=told.title,
        why=told.why,
        consequence=told.consequence,
        severity="high" if fits else "medium",
        category="broken-caller",
        basis=Basis(
            (
                Source(
                    "analyser",
                    "contracts",
                    proof=proof_id("override", cause) if fits else "",
                    breaks=tuple(sorted(breaks)),
                ),
            ),
            verdict=Verdict.PROVEN if fits else Verdict.UNPROVEN,
            cause=cause,
        ),
        rule="override" if fits else "likely-override",
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
