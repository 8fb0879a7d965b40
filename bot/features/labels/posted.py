"""Set the labels of a pull request after its review has been posted."""

from functools import partial
from urllib.parse import quote

from bot import globs
from bot.features.labels.settings import LabelRule, LabelSettings
from bot.github import Host, shapes
from bot.values import Review, at_least
from bot.workflow.posted_hooks import PostedHooks
from bot.workflow.reviewer import ReviewRun


class ReviewLabels(PostedHooks):
    """Adds labels whose conditions are true, and removes labels whose conditions are false.

    A label stays as it is if the result is unknown, or if another account was the last to add or remove it.
    """

    refused = "labels_refused"

    async def on_posted(self, review: Review, run: ReviewRun) -> None:
        """Add and remove labels so that they match the settings, except those that others have set."""
        rules, host, issues = run.settings.of(LabelSettings).set_labels, run.host, run.host.rest.issues
        there = {label.lower(): label for label in run.state.facts.labels}  # GitHub ignores case in labels
        states: dict[str, list[bool | None]] = {}
        for rule in rules:
            states.setdefault(rule.name.lower(), []).append(is_true(rule, review))
        names = {rule.name.lower(): rule.name for rule in rules}
        added = {low for low in names if low not in there and True in states[low]}
        removed = {low for low in names if low in there and set(states[low]) == {False}}
        if not added | removed:
            return
        set_by_others = await _set_by_others(host)
        if added := added - set_by_others:
            labels = [name for low, name in names.items() if low in added]
            await host.client.json(issues.async_add_labels(*host.at, labels=labels))
        for low in sorted(removed - set_by_others):
            await host.client.json(issues.async_remove_label(*host.at, quote(there[low], safe="")))


async def _set_by_others(host: Host) -> set[str]:
    """Return the labels, in lower case, that another account was the last to add or remove."""
    is_others = dict[str, bool]()
    async for row in host.client.pages(partial(host.rest.issues.async_list_events, *host.at)):
        if shapes.at(row, "event") in ("labeled", "unlabeled"):
            login, kind = (str(shapes.at(row, f"actor.{name}")) for name in ("login", "type"))
            app = shapes.at(row, "performed_via_github_app.id") or 0
            is_others[str(shapes.at(row, "label.name")).lower()] = not host.bot_identity.wrote(login, kind, app)
    return {label for label, is_other in is_others.items() if is_other}


def is_true(rule: LabelRule, review: Review) -> bool | None:
    """Return whether all conditions are true.

    Returns None if the rule needs a finding, there is none, and the review may have missed some.
    """
    if rule.path and not any(globs.matches([rule.path], file.path) for file in review.files):
        return False
    if sum(len(file.added_lines) + len(file.removed_lines) for file in review.files) < rule.lines:
        return False
    least = rule.findings
    if least is None or any(at_least(finding.severity, least) for finding in review.open_findings):
        return True
    is_whole = review.coverage.complete and not review.cut.partial and not review.cut.fault
    return False if is_whole else None


REVIEW_LABELS = ReviewLabels()
