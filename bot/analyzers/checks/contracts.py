"""Find contracts that a change breaks for callers that it does not touch.

Findings are proven from the tree, except for hints.

There are two families: a name that was removed (`removed-symbol`, `removed-module`), and a signature that a
call or an overriding method no longer matches (`arity`, `keyword`, `required-parameter`, `override`,
`result`). Nothing is reported if anything else in the tree could define the name. If only a library could
define it, because the receiver's type is unknown, the finding is a hint (`likely-...`): unproven, one line.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.analyzers.contracts_overrides import overridden
from bot.analyzers.contracts_words import finding
from bot.values import Absence, ChangedFile, Dependents, Finding, Judgement, Rewrite, UsePlace
from deeprepo.impact import structs
from deeprepo.impact.changes import MOVED, REPLACED
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.ports import Tree
from deeprepo.impact.uses.breaks import Breakage, broken, compare


class Contracts:
    """The check for the registered languages. Implements `ports.Analyzer`."""

    NAME = "contracts"

    def wants(self, file: ChangedFile) -> bool:
        """Return whether the file can define what others call, or could before it was renamed."""
        is_move = file.status == "renamed" and not file.is_ignored
        return (file.is_analyzed or is_move or file.skip in (MOVED, REPLACED)) and any(
            filetype(path).is_parsed for path in (file.path, file.old_path) if path
        )

    async def check(self, tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> Judgement:
        """Return one finding per changed definition, with the locations that it breaks."""
        return Judgement(await check(tree, files, dependents), frozenset(file.path for file in files))

    def absence(self, finding: Finding, dependents: Dependents) -> Absence:
        """Return fixed, unless the search was incomplete or a reference in the finding is undecided."""
        verdicts = compare(dependents)
        undecided_rows = (
            reference
            for reference in dependents.references
            if (reference.symbol, reference.path, reference.line) not in verdicts
        )
        paths = {finding.path, *(item.path for item in finding.evidence)}
        text = f"{finding.title}\n{finding.quote}"
        is_undecided = any(reference.path in paths and reference.name in text for reference in undecided_rows)
        return "unseen" if dependents.missed_uses or is_undecided else "fixed"

    def compare(self, dependents: Dependents) -> Mapping[UsePlace, str]:
        """Return the references that static analysis can decide, with the result for each."""
        return compare(dependents)


async def check(tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> tuple[Finding, ...]:
    """Return one finding per changed definition, at the worst location that it breaks.

    The other locations and both sides of the definition are evidence.
    """
    old = {file.path: file.old_path for file in files if file.old_path}
    new_paths = {file.old_path: file.path for file in files if file.status == "renamed"}
    gone_files = {file.path for file in files if file.status == "deleted"}
    groups: dict[tuple[str, str], list[Breakage]] = defaultdict(list)  # by changed file and family
    for breakage in broken(dependents):
        reference = breakage.reference
        family = "likely" if reference.likely else "removed" if breakage.rule.startswith("removed") else "signature"
        path = reference.symbol.rpartition(":")[0]
        new_path = new_paths.get(path) or new_paths.get(breakage.home_before) or ""
        groups[path, family].append(structs.replace(breakage, new_path=new_path))
    doubtful = _pop_accompanying_hints(groups)
    findings = await _with_rewrites(
        tree,
        [
            (rows, await finding(tree, rows, old, family, doubtful))
            for (path, family), group in groups.items()
            for rows in ([_order(group)] if path in gone_files else _group_by_cause(group))
        ],
    )
    if dependents.subclasses:
        findings += await overridden(tree, dependents)
    return tuple(sorted(findings, key=lambda item: (item.severity != "high", item.path, item.start)))


async def _with_rewrites(tree: Tree, rows: Sequence[tuple[Sequence[Breakage], Finding]]) -> list[Finding]:
    """Return the findings with the lines that fix them, for files where all locations can be rewritten."""
    findings = [finding for _, finding in rows]
    if not any(finding.proven for finding in findings):
        return findings
    # This loads a parser, which a change without broken references does not need.
    from bot.analyzers.contracts_rewrites import rewrites

    mended = await rewrites(tree, [group for group, _ in rows])
    with_rewrites = []
    for group, one in rows:
        lines_by_path: dict[str, list[Sequence[Rewrite]]] = defaultdict(list)
        for path, symbol in dict.fromkeys((breakage.reference.path, breakage.reference.symbol) for breakage in group):
            lines_by_path[path].append(mended.get((path, symbol), ()))
        lines = [line for mine in lines_by_path.values() if all(mine) for some in mine for line in some]
        with_rewrites.append(replace(one, rewrites=tuple(dict.fromkeys(lines)) if one.proven else ()))
    return with_rewrites


def _pop_accompanying_hints(groups: dict[tuple[str, str], list[Breakage]]) -> list[Breakage]:
    """Remove and return the hints about definitions with proven breaks, as they are reported with those."""
    gone = {
        breakage.reference.symbol for (_, family), rows in groups.items() if family == "removed" for breakage in rows
    }
    doubtful = []
    for key in [key for key in groups if key[1] == "likely"]:
        rows = groups.pop(key)
        doubtful += [breakage for breakage in rows if breakage.reference.symbol in gone]
        if rest := [breakage for breakage in rows if breakage.reference.symbol not in gone]:
            groups[key] = rest
    return doubtful


def _group_by_cause(rows: Sequence[Breakage]) -> list[list[Breakage]]:
    """Group rows by cause: one definition, a class with members, or removed names used in the same files."""
    # The names in the module were removed with it.
    if any(breakage.reference.is_module for breakage in rows):
        return [_order(rows)]
    keys = {breakage.reference.symbol for breakage in rows}
    by_root: dict[str, list[Breakage]] = defaultdict(list)
    for breakage in rows:
        path, _, name = breakage.reference.symbol.rpartition(":")
        parts = name.split(".")
        owners = (f"{path}:{'.'.join(parts[:count])}" for count in range(1, len(parts)))
        by_root[next((owner for owner in owners if owner in keys), breakage.reference.symbol)].append(breakage)
    by_cause: dict[object, list[Breakage]] = defaultdict(list)
    for root, mine in by_root.items():
        is_gone = all(breakage.misfit is None for breakage in mine)
        # A renamed definition is fixed in a different way.
        is_renamed = any(breakage.symbol is not None and breakage.symbol.change == "renamed" for breakage in mine)
        by_cause[(frozenset(breakage.reference.path for breakage in mine), is_renamed) if is_gone else root] += mine
    return [_order(cause) for cause in by_cause.values()]


def _order(rows: Sequence[Breakage]) -> list[Breakage]:
    """Sort rows: proven, outside tests, certain, calls before mentions before imports, then by location."""
    forms = {"call": 0, "mention": 1}
    return sorted(
        rows,
        key=lambda breakage: (
            breakage.reference.likely,
            breakage.reference.test,
            not breakage.reference.is_bound,
            forms.get(breakage.reference.form, 2),
            breakage.reference.path,
            breakage.reference.line,
        ),
    )


ANALYZER = Contracts
