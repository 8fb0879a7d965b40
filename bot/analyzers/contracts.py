"""Contracts that a change breaks for callers it does not touch. No model: what is said here is proven from the tree.

Two families: a name that is gone (`removed-symbol`, `removed-module`), and a signature that a call no longer fits (`arity`,
`keyword`, `required-parameter`). Where anything else could give the name a meaning, nothing is said.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from bot.analyzers.contracts_arity import Misfit, judged, misfit
from bot.analyzers.contracts_words import Broken, finding
from bot.ports import Tree
from bot.values import ChangedFile, ChangedSymbol, Dependents, Finding, Reference

NAME = "contracts"
READS = "call sites in Python, JavaScript and TypeScript files"
SUFFIXES = frozenset({".py", ".pyi", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte"})
Group = tuple[str, str, str]  # caller, changed file, family


def wants(file: ChangedFile) -> bool:
    """Whether the file can define what others call."""
    return file.skip is None and PurePosixPath(file.path).suffix.lower() in SUFFIXES


async def check(tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> tuple[Finding, ...]:
    """One finding per caller file and changed file, with the caller's own line and both sides as evidence."""
    symbols = {f"{item.symbol.path}:{item.symbol.name}": item for item in dependents.symbols}
    groups: dict[Group, list[Broken]] = defaultdict(list)
    for reference in dependents.references:
        broken = _broken(reference, symbols)
        if broken is not None and reference.text.strip():
            family = "removed" if broken.rule.startswith("removed") else "signature"
            groups[reference.path, reference.symbol.rpartition(":")[0], family].append(broken)
    old = {file.path: file.old_path for file in files if file.old_path}
    found = [await finding(tree, _ordered(rows), old) for rows in groups.values()]
    return tuple(sorted(found, key=lambda item: (item.severity != "high", item.path, item.start)))


def _broken(reference: Reference, symbols: Mapping[str, ChangedSymbol]) -> Broken | None:
    item = symbols.get(reference.symbol)
    if reference.missing:
        rule = "removed-module" if reference.symbol.endswith(":<module>") else "removed-symbol"
        return Broken(reference, item, rule)
    wrong = _misfit(reference, item) if item is not None else None
    return Broken(reference, item, wrong.rule, wrong) if wrong is not None else None


def _misfit(reference: Reference, item: ChangedSymbol) -> Misfit | None:
    """What a call gets wrong now that it got right before. A call that never fitted means something else."""
    before = item.before.signature if item.before is not None else None
    after = item.after.signature if item.after is not None else None
    if before is None or after is None or before.opaque or after.opaque or not reference.call:
        return None
    if not (reference.sure or reference.unique) or not judged(item.symbol.path, reference.path):
        return None
    if misfit(before, before, reference) is not None:
        return None
    return misfit(before, after, reference)


def _ordered(rows: Sequence[Broken]) -> list[Broken]:
    """The row that speaks first: a removed module before its names, a sure call before an import, then by line."""
    return sorted(
        rows,
        key=lambda row: (
            row.rule != "removed-module",
            not row.reference.sure,
            {"call": 0, "mention": 1}.get(row.reference.form, 2),
            row.reference.line,
        ),
    )
