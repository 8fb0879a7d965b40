"""A missing name in words: what went or is needed, who uses it, and what its format makes of that."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bot.dependents.declarations.kinds import KINDS
from bot.dependents.declarations.world import World
from bot.text.paths import is_sample, is_test
from bot.values import ChangedFile, Evidence, Finding, Severity, Source, Verdict
from bot.values.finding import proof_of

if TYPE_CHECKING:
    from bot.dependents.declarations.check import Break

SOURCE = "declarations"
QUOTED = 12  # uses


def findings(breaks: Iterable["Break"], before: World, after: World, files: Sequence[ChangedFile]) -> list[Finding]:
    """One finding for each name."""
    removed_lines = {file.old_path: file.removed_lines for file in files if file.old_path}
    added_lines = {file.path: file.added_lines for file in files}
    return [_finding(one, before, after, removed_lines, added_lines) for one in breaks]


def _finding(
    one: "Break",
    before: World,
    after: World,
    removed_lines: dict[str, frozenset[int]],
    added_lines: dict[str, frozenset[int]],
) -> Finding:
    kind = KINDS[one.scope.kind]
    sure = [use for use in one.uses if use.certainty != "hint"]
    by_line = {(use.path, use.line): use for use in sure or one.uses}
    uses = sorted(by_line.values(), key=lambda use: (is_test(use.path) or is_sample(use.path), use.path, use.line))
    first, former = uses[0], one.former
    paths = list(dict.fromkeys(use.path for use in uses))
    more = f" and {len(paths) - 1} more {'file' if len(paths) == 2 else 'files'}" if len(paths) > 1 else ""  # noqa: PLR2004
    path, line, side, world = first.path, first.line, "head", after
    if one.is_required and former is not None:
        title = f"{kind.noun} `{one.name}` is required, and {first.path}{more} {'do' if more else 'does'} not give it"
        why = f"{former.path}:{former.line} declares it without a default, and {first.path}:{first.line} leaves it out."
        effect = "The call is refused: a required value is missing."
        rule = "missing-argument"
        if former.line in added_lines.get(former.path, ()):
            path, line = former.path, former.line
    elif former is not None:
        title = f"{kind.noun} `{one.name}` was removed, {'but' if sure else 'and'} {first.path}{more} {'still' if sure else 'may still'} use{'' if more or not sure else 's'} it"
        also = f" New beside it: {', '.join(f'`{name}`' for name in one.successors)}." if one.successors else ""
        doubt = "" if sure else " Something else may be meant or may set it; that was not proven."
        why = f"{kind.law} Nothing declares `{one.name}` any more, and {first.path}:{first.line} names it.{also}{doubt}"
        effect, rule = kind.effect, "removed-name"
        if former.line in removed_lines.get(former.path, ()):
            path, line, side, world = former.path, former.line, "base", before
    else:
        title = f"{first.path}{more} use{'' if more else 's'} the {kind.noun} `{one.name}`, which nothing declares"
        why, effect, rule = (
            f"{kind.law} No file of this tree declares `{one.name}` there.",
            kind.effect,
            "undeclared-name",
        )
    severity: Severity = "high" if kind.is_loud else "medium"
    if not sure:
        severity = "low"
    elif is_test(first.path) or is_sample(first.path):
        severity = "medium"
    return Finding(
        path=path,
        quote=world.line(path, line),
        title=title[0].upper() + title[1:] if former is not None else title,
        why=why,
        consequence=effect if sure else f"If it is meant: {effect}",
        severity=severity,
        category="contract",
        sources=(Source("analyser", SOURCE, proof=proof_of(rule, f"{one.scope.kind} {one.name}") if sure else ""),),
        rule=rule if sure else f"likely-{rule}",
        start=line,
        end=line,
        side="base" if side == "base" else "head",
        evidence=tuple(
            Evidence(use.path, after.line(use.path, use.line), use.line, note="uses it" if use in sure else "names it")
            for use in uses[:QUOTED]
        ),
        verdict=Verdict.PROVEN if sure else Verdict.UNPROVEN,
    )
