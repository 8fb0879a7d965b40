"""Set the labels of a pull request once its review was posted."""

from urllib.parse import quote

from bot.features.labels.settings import LabelRule, LabelSettings
from bot.values import Review, at_least
from bot.workflow.posted_hooks import PostedHooks
from bot.workflow.reviewer import ReviewRun
from deeprepo.impact.text import globs


class LabelsOfReview(PostedHooks):
    """Adds labels whose conditions are true, and removes its own whose conditions are false. What is unknown stays."""

    refused = "labels_refused"

    async def on_posted(self, review: Review, run: ReviewRun) -> None:
        """Compare the labels with the settings, and change those that differ."""
        rules, host, issues = run.settings.of(LabelSettings).set_labels, run.host, run.host.rest.issues
        there = {label.lower(): label for label in run.state.facts.labels}  # GitHub ignores case in labels
        states: dict[str, list[bool | None]] = {}
        for rule in rules:
            states.setdefault(rule.name.lower(), []).append(is_true(rule, review))
        names = {rule.name.lower(): rule.name for rule in rules}
        added = [name for low, name in names.items() if low not in there and True in states[low]]
        removed = [there[low] for low in names if low in there and set(states[low]) == {False}]
        if added:
            await host.client.json(issues.async_add_labels(*host.at, labels=added))
        for name in removed:
            await host.client.json(issues.async_remove_label(*host.at, quote(name, safe="")))


def is_true(rule: LabelRule, review: Review) -> bool | None:
    """Return whether all conditions are true. None: a finding is asked for, and the review may have missed it."""
    if rule.path and not any(globs.matches([rule.path], file.path) for file in review.files):
        return False
    if sum(len(file.added_lines) + len(file.removed_lines) for file in review.files) < rule.lines:
        return False
    least = rule.findings
    if least is None or any(at_least(finding.severity, least) for finding in review.open_findings):
        return True
    is_whole = review.coverage.complete and not review.cut.partial and not review.cut.fault
    return False if is_whole else None


LABELS_OF_REVIEW = LabelsOfReview()
