"""Findings about undeclared names and missing arguments, in formats such as Terraform and workflows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.values import Basis, ChangedFile, Evidence, Finding, Severity, Source, Verdict
from bot.values.finding import NAMES_IT, USES_IT, proof_id
from deeprepo.impact.declarations.check import Break, DataChange
from deeprepo.impact.declarations.reading import NameUse
from deeprepo.impact.declarations.world import World
from deeprepo.impact.text.paths import is_sample, is_test

SOURCE = "declarations"
QUOTED = 12  # references that a finding quotes


@dataclass(frozen=True, slots=True)
class NameKind:
    """A kind of name in a format, and what happens if an undeclared name is used."""

    noun: str
    rule: str  # a sentence about the format's rule
    effect: str  # a sentence about the effect
    is_loud: bool = True  # whether something fails, instead of silently using an empty value


_TERRAFORM = "`terraform validate` and every plan fail."
_NOTHING = "The expression is silently empty."
NAME_KINDS: Mapping[str, NameKind] = {
    "variable": NameKind("variable", "A module can only use variables that it declares.", _TERRAFORM),
    "local": NameKind("local value", "A module can only use local values that it declares.", _TERRAFORM),
    "module": NameKind("module call", "A module can only use its own module calls.", _TERRAFORM),
    "output": NameKind("output", "A module only has the outputs that it declares.", _TERRAFORM),
    "resource": NameKind("resource", "A module can only refer to what it declares.", _TERRAFORM),
    "module folder": NameKind("module", "A local source must be a folder with Terraform files.", "`terraform init` fails."),
    "job": NameKind("job", "`needs` must list jobs in the same workflow.", "GitHub refuses the workflow."),
    "need": NameKind("needed job", "`needs.NAME` only contains jobs that this job lists in `needs`.", _NOTHING, is_loud=False),
    "job output": NameKind("job output", "A job only has the outputs that it lists.", _NOTHING, is_loud=False),
    "step": NameKind("step", "`steps.NAME` only contains steps of the same job that have an `id`.", _NOTHING, is_loud=False),
    "input": NameKind("input", "`inputs.NAME` only contains inputs that the same file declares.", _NOTHING, is_loud=False),
    "workflow input": NameKind("input", "A reusable workflow only accepts the inputs that it declares.", "GitHub refuses the calling workflow."),
    "secret": NameKind("secret", "A reusable workflow only accepts the secrets that it declares.", "GitHub refuses the calling workflow."),
    "workflow output": NameKind("output", "A reusable workflow only has the outputs that it declares.", _NOTHING, is_loud=False),
    "action input": NameKind("input", "An action only accepts the inputs that it declares.", "GitHub warns of an unexpected input, and a composite action never sees it.", is_loud=False),
    "action output": NameKind("output", "A composite action only has the outputs that it declares.", _NOTHING, is_loud=False),
    "workflow": NameKind("reusable workflow", "A local workflow must be a file in the same commit.", "GitHub refuses the calling workflow."),
    "action": NameKind("action", "A local action must be a folder with an action.yml.", "The job fails at this step."),
    "target": NameKind("target", "A target needs a rule or must be an existing file.", "make stops: it has no rule for the target."),
    "script": NameKind("script", "A package only has the scripts that its package.json declares.", "The command fails: the script is missing."),
    "template": NameKind("template", "A chart can include templates that it or its dependencies define.", "The chart cannot be rendered."),
    "value": NameKind("value", "`.Values` contains the values in values.yaml and those set at installation.", "Unless the value is set at installation, rendering fails or leaves it empty.", is_loud=False),
}  # fmt: skip


def findings(change: DataChange, files: Sequence[ChangedFile]) -> list[Finding]:
    """Return one finding for each name that the change breaks."""
    removed_lines = {file.old_path: file.removed_lines for file in files if file.old_path}
    added_lines = {file.path: file.added_lines for file in files}
    return [
        _finding(broken_name, change.before, change.after, removed_lines, added_lines) for broken_name in change.breaks
    ]


def _finding(
    broken_name: Break,
    before: World,
    after: World,
    removed_lines: dict[str, frozenset[int]],
    added_lines: dict[str, frozenset[int]],
) -> Finding:
    sure = [use for use in broken_name.uses if not use.is_hint]
    by_line = {(use.path, use.line): use for use in sure or broken_name.uses}
    uses = sorted(by_line.values(), key=lambda use: (is_test(use.path) or is_sample(use.path), use.path, use.line))
    first, declared = uses[0], broken_name.declaration
    path, line, is_removed = first.path, first.line, False
    if broken_name.is_required and declared.line in added_lines.get(declared.path, ()):
        path, line = declared.path, declared.line
    elif not broken_name.is_required and declared.line in removed_lines.get(declared.path, ()):
        path, line, is_removed = declared.path, declared.line, True
    title, why, effect, rule = _sentences(broken_name, uses, is_sure=bool(sure))
    return Finding(
        path=path,
        quote=(before if is_removed else after).line(path, line),
        title=title,
        why=why,
        consequence=effect if sure else f"If this is a reference to it: {effect}",
        severity=_severity(first.path, is_sure=bool(sure), is_loud=NAME_KINDS[broken_name.scope.kind].is_loud),
        category="contract",
        basis=Basis(
            (
                Source(
                    "analyser",
                    SOURCE,
                    proof=proof_id(rule, f"{broken_name.scope.kind} {broken_name.name}") if sure else "",
                ),
            ),
            verdict=Verdict.PROVEN if sure else Verdict.UNPROVEN,
        ),
        rule=rule if sure else f"likely-{rule}",
        start=line,
        end=line,
        side="base" if is_removed else "head",
        evidence=tuple(
            Evidence(use.path, after.line(use.path, use.line), use.line, note=USES_IT if sure else NAMES_IT)
            for use in uses[:QUOTED]
        ),
    )


def _severity(path: str, *, is_sure: bool, is_loud: bool) -> Severity:
    if not is_sure:
        return "low"
    return "high" if is_loud and not (is_test(path) or is_sample(path)) else "medium"


def _sentences(broken_name: Break, uses: Sequence[NameUse], *, is_sure: bool) -> tuple[str, str, str, str]:
    """Return the title, the explanation, the effect, and the ID of the rule."""
    kind, first, declared = NAME_KINDS[broken_name.scope.kind], uses[0], broken_name.declaration
    others = len({use.path for use in uses}) - 1
    more = f" and {others} more {'file' if others == 1 else 'files'}" if others else ""
    noun = f"{kind.noun[0].upper()}{kind.noun[1:]}"
    if broken_name.is_required:
        title = (
            f"{noun} `{broken_name.name}` is required, and {first.path}{more} {'do' if more else 'does'} not pass it"
        )
        why = f"{declared.path}:{declared.line} declares it without a default, and {first.path}:{first.line} leaves it out."
        return title, why, "The call is refused: a required value is missing.", "missing-argument"
    still = f"still use{'' if more else 's'} it" if is_sure else "may still use it"
    also = (
        f" The change adds: {', '.join(f'`{name}`' for name in broken_name.successors)}."
        if broken_name.successors
        else ""
    )
    doubt = "" if is_sure else " This was not proven: the name may refer to something else."
    title = f"{noun} `{broken_name.name}` was removed, {'but' if is_sure else 'and'} {first.path}{more} {still}"
    why = f"{kind.rule} Nothing declares `{broken_name.name}` now, but {first.path}:{first.line} still refers to it.{also}{doubt}"
    return title, why, kind.effect, "removed-name"
