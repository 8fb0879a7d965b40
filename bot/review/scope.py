"""Decide what a review covers: which files, with which settings, and with which other input."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bot import checkout, config, diff
from bot.brief import Brief
from bot.checkout.views import create_known_secrets
from bot.config import Config
from bot.diff import units
from bot.errors import NothingToReview
from bot.findings import history, ignore_file, sarif_results, silencing
from bot.findings.silencing import IgnoreList
from bot.ports import KnownSecrets
from bot.values import ChangedFile, Dependents, Finding, OwnerRule
from deeprepo.impact import structs
from deeprepo.impact.ports import Tree

if TYPE_CHECKING:
    from bot.config.policy import SkipReview
    from bot.values import Trigger
MOST_COMMITS = 100  # commits scanned for secrets


def masked_brief(brief: Brief, masks: KnownSecrets) -> Brief:
    """Return the brief with today's settings, and without secrets, for models and the journal."""
    return replace(
        brief,
        pull=masks.hide(brief.pull),
        settings=brief.settings.without_secrets(create_known_secrets()).on(brief.today),
        dismissals=masks.hide(brief.dismissals),
        rules=masks.hide(brief.rules),
        reports=masks.hide(brief.reports),
    )


async def with_warnings(brief: Brief, tree: checkout.Checkout) -> Brief:
    """Return the brief with a warning for each file that looks like its settings but isn't.

    Only listed files are checked.
    """
    others = [name for name in await tree.many_at_tip(config.OTHER_NAMES) if name != brief.file]
    warnings = (*(f"{other} is not read. Rename it to {brief.file}." for other in others), *brief.settings.warnings)
    return replace(brief, settings=replace(brief.settings, warnings=tuple(dict.fromkeys(warnings))))


async def earlier_leaks(
    brief: Brief, tree: checkout.Checkout, files: Sequence[ChangedFile], masks: KnownSecrets
) -> tuple[tuple[Finding, ...], str]:
    """Return findings for secrets in earlier commits of the change, and why some commits were not scanned."""
    if "secrets" not in brief.settings.analyzers:
        return (), ""
    commits, missing = await tree.commit_lines(MOST_COMMITS)
    if not commits:
        return (), missing
    leaks = await history.find_leaks(commits, tree, files)
    masks.learn_values(leaks.values)
    return leaks.findings, missing


def refuse_empty(brief: Brief, files: Sequence[ChangedFile], leaks: Sequence[Finding], gaps: Sequence[str]) -> None:
    """Raise NothingToReview if there is nothing to report.

    That is so if no file changed, there is no earlier review to complete, and no commit has leaks or gaps.
    `gaps` says why some commits were not scanned.
    """
    pull = brief.pull
    is_told = leaks or (gaps and pull.base != pull.head)
    if not files and brief.earlier is None and not is_told:
        raise NothingToReview(behind=pull.base == pull.head != pull.base_tip)


async def ignore_list(brief: Brief, tree: checkout.Checkout, rules: Sequence[OwnerRule]) -> IgnoreList:
    """Return what must not be reported, from lists of earlier versions, settings, dismissals and rules."""
    text = await tree.settings_at_tip(ignore_file.FILE)
    found = IgnoreList() if text is None else ignore_file.read(text, brief.today)
    return found.join(silencing.owner_entries(brief.settings.dismissed)).also(brief.dismissals, rules)


def with_effort(brief: Brief, files: Sequence[ChangedFile]) -> Brief:
    """Return the brief with the effort set for the changed files, and a note if it differs."""
    read = [file for file in files if not file.skip]
    settings = brief.settings.for_paths(path for file in read for path in (file.path, file.old_path) if path)
    if settings.effort == brief.settings.effort:
        return replace(brief, settings=settings)
    why = f"Reviewed with effort {settings.effort}: {settings.origins['effort']}."
    return replace(brief, settings=settings, note=" ".join(filter(None, (why, brief.note))))


def with_own_reports(brief: Brief, files: Sequence[ChangedFile], paths: Collection[str]) -> Brief:
    """Return the brief with only those results of other tools that concern this change."""
    if not brief.reports and not brief.tool_runs:
        return brief
    return replace(
        brief,
        reports=tuple(sarif_results.results_in_change(brief.reports, files, paths)),
        tool_runs=tuple(run.about(file.path for file in files) for run in brief.tool_runs),
    )


def reviewable(files: Sequence[ChangedFile], brief: Brief) -> tuple[ChangedFile, ...]:
    """Return the changed files, with those marked that the settings leave out.

    For an untrusted author, files that are not read are marked as unreviewed.
    """
    left_out, settings, unreadable = f"left out by {config.FILE}", brief.settings, brief.left_out
    if brief.stranger:
        files = [replace(file, is_unreviewed=file.is_unreviewed or diff.is_unread(file)) for file in files]
    files = [replace(f, skip=unreadable[f.path], is_unreviewed=True) if f.path in unreadable else f for f in files]
    return tuple(
        replace(f, skip=left_out if not f.skip or f.is_unreviewed else f.skip, is_unreviewed=False, is_ignored=True)
        if all(settings.ignores(path) for path in (f.path, f.old_path) if path)
        else f
        for f in files
    )


def changes_role(settings: Config, old: str, new: str) -> bool:
    """Return whether a rename changes a file's role or makes an ignored file reviewable."""
    from bot.diff.roles import changes_role  # imported here, because most changes rename nothing

    return changes_role(old, new) or (settings.ignores(old) and not settings.ignores(new))


async def texts(tree: Tree, files: Sequence[ChangedFile]) -> units.Texts:
    """Return the text of the changed files on both sides."""
    readable = [file for file in files if not file.skip]
    heads = await tree.read_many([file.path for file in readable])
    bases = await tree.read_many([file.old_path for file in readable if file.old_path], "base")
    texts = ({path: blob.decode("utf-8", "replace") for path, blob in side.items()} for side in (heads, bases))
    return units.Texts(*texts)


async def unchanged_users(tree: Tree, users: Dependents) -> dict[str, str]:
    """Return the text of the files that use what changed, for prompts."""
    paths = dict.fromkeys(
        [*(dependent.path for dependent in users.files), *(reference.path for reference in users.references)]
    )
    return {path: blob.decode("utf-8", "replace") for path, blob in (await tree.read_many([*paths])).items()}


def with_unread_notes(users: Dependents, files: Sequence[ChangedFile], left_out: Mapping[str, str]) -> Dependents:
    """Add a note to the dependents for each unread file, since it may use what changed."""
    changed_paths = {file.path for file in files}
    rows = [(path, reason) for path, reason in left_out.items() if path not in changed_paths]
    sentences = [f"`{path}` was not read ({reason}): it may use what changed" for path, reason in rows]
    return structs.replace(users, missed_uses=(*users.missed_uses, *sentences))


async def no_review_reason(brief: Brief, trigger: "Trigger") -> "SkipReview | None":
    """Return the reason not to review these changed files after all, or None."""
    from bot.config import policy

    async with checkout.Checkout(brief.pull) as tree:
        files = diff.read(await tree.change())
    paths = [path for file in files for path in (file.path, file.old_path) if path]
    decision = policy.decide_on_paths(paths, brief.settings, trigger)
    return decision if isinstance(decision, policy.SkipReview) else None
