"""Decide whether and how to review a pull request, based on the settings and on who requested it.

A command or a click on a button always starts a review if one is possible. The rules apply to automatic
reviews. Each refusal is a sentence for the check run about what people can do. All functions are pure.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import chain
from typing import TYPE_CHECKING

from bot import globs, verdict
from bot.config import FILE
from bot.values.host import CheckConclusion, PullFacts
from bot.values.job import ASKED, ReviewJob, Trigger
from bot.values.review import NoReviewReason

if TYPE_CHECKING:
    from bot.config import Config

OFFLINE_FILES, OFFLINE_LINES = 1_000, 100_000  # automatic reviews of larger changes use no model
SKIP_FILES, SKIP_LINES = 5_000, 1_000_000  # larger reviews do not start automatically and use no model
HOW_TO_REVIEW = "Comment `/deeprepo review` to review it anyway"


@dataclass(frozen=True, slots=True)
class StartReview:
    """The pull request is reviewed. If `offline` is set, no model is used, and `reason` says why."""

    offline: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SkipReview:
    """The pull request is not reviewed.

    - `reason` completes the sentence "Not reviewed: ...".
    - `quiet`: only log the reason, because no person is waiting for an answer.
    - `lacks`: whether the owner's settings exclude the head, or it should have been reviewed.
    - `is_followed`: only a rule excludes this head, so earlier findings are still updated for it.
    """

    reason: str
    quiet: bool = False
    lacks: NoReviewReason = "left out"
    is_followed: bool = False


def has_threshold(settings: "Config") -> bool:
    """Return whether a failure threshold is set: `fail_on`, or a requirement that can fail the check."""
    return settings.fail_on is not None or any(each.must == "fail" for each in settings.requirements)


def conclusion_without_review(settings: "Config | None", lacks: NoReviewReason = "unreviewed") -> CheckConclusion:
    """Return the check's conclusion for a head without a review. Settings that can't be read may have a threshold."""
    if settings is None:
        return verdict.without_review(lacks, has_threshold=True).check
    return verdict.without_review(lacks, has_threshold=has_threshold(settings), strict=settings.strict).check


def bound(job: ReviewJob, facts: PullFacts, *, stranger: bool = False) -> ReviewJob:
    """Return the request as an ordinary push if the pull request has changed since the request.

    A person's request only applies to the commit and base branch that they saw. The author of a pull request
    from a fork can push at any time, and one command must not pay for all later commits. In the repository's
    own branches, only people with write permission can push, and they could give the command themselves. An
    author without write permission (`stranger`) can also change the base branch.
    """
    is_moved = facts.fork and job.head not in ("", facts.head_sha)
    is_rebased = (facts.fork or stranger) and job.base not in ("", facts.base_ref)
    if job.trigger not in ASKED or not (is_moved or is_rebased):
        return job
    return replace(job, trigger="push", full=False)


def decide(
    facts: PullFacts,
    job: ReviewJob,
    settings: "Config",
    *,
    is_paused: bool = False,
    pushes: int = 0,
    stranger: bool = False,
) -> StartReview | SkipReview:
    """Return whether this request leads to a review of the pull request.

    If `pushes` is set, reviews are paused after that many pushes. `stranger` says whether the author has no
    write permission. If such an author avoids a review, for example with a draft or a large change, the head
    counts as unreviewed instead of as excluded by the owner.
    """
    is_requested = job.trigger in ASKED
    if facts.state != "open":
        end_state = "merged" if facts.merged else "closed"
        return SkipReview(f"the pull request is {end_state}.", quiet=not is_requested)
    if job.trigger == "unlabeled" and not (job.also or settings.triggers.skip_labels):
        return SkipReview("without `triggers.skip_labels`, removing a label changes nothing.", quiet=True)
    by_author: NoReviewReason = "unreviewed" if stranger else "left out"
    if not is_requested:
        paused = (
            ("reviews of this pull request are paused (`/deeprepo resume` turns them on again)",) if is_paused else ()
        )
        objection = next(chain(_maintainer_objections(facts, settings), paused), None)
        if objection is not None:
            return SkipReview(f"{objection}. {HOW_TO_REVIEW}.", is_followed=True)
        pause_reason = f"automatic reviews pause after {pushes} push{'es' if pushes > 1 else ''} (`pause_after`)"
        waits = next(
            chain(_author_objections(facts, (job.trigger, *job.also), settings), (pause_reason,) if pushes else ()),
            None,
        )
        if waits is not None:
            return SkipReview(f"{waits}. {HOW_TO_REVIEW}.", lacks=by_author, is_followed=True)
    decision = _size(facts, is_requested=is_requested)
    return replace(decision, lacks=by_author) if isinstance(decision, SkipReview) else decision


def asks_for_paths(settings: "Config", trigger: Trigger) -> bool:
    """Return whether the decision depends on the changed files, which are not known yet."""
    return trigger not in ASKED and bool(settings.triggers.paths)


def decide_on_paths(paths: Sequence[str], settings: "Config", trigger: Trigger) -> StartReview | SkipReview:
    """Decide again, now that the changed files are known."""
    wanted = settings.triggers.paths
    if not asks_for_paths(settings, trigger) or any(globs.matches(wanted, path) for path in paths):
        return StartReview()
    patterns = ", ".join(f"`{pattern}`" for pattern in wanted)
    return SkipReview(
        f"no changed file matches `triggers.paths` ({patterns}) in {settings.file_of('paths')}. {HOW_TO_REVIEW}.",
        is_followed=True,
    )


def fork_limit_message(limit: float, source: str = FILE) -> str:
    """Return why no model reads a stranger's change today. `source` is where the limit is set."""
    return (
        f"authors without write permission used up `triggers.fork_reviews_per_day` ({limit:g}) in {source} for these 24 hours; "
        "someone with write permission can comment `/deeprepo review` for a review with a model."
    )


def _maintainer_objections(facts: PullFacts, settings: "Config") -> Iterator[str]:
    """Yield the reasons not to review that only maintainers control, the most important first."""
    triggers, of = settings.triggers, settings.file_of
    if facts.author_type == "Bot" and not triggers.bots:
        yield f"a bot opened it, and `triggers.bots` in {of('bots')} is off"
    if facts.author.lower() in {name.lower() for name in _logins(triggers.skip_authors)}:
        yield f"`triggers.skip_authors` in {of('skip_authors')} lists its author"
    if triggers.branches and not any(fnmatchcase(facts.base_ref, pattern) for pattern in triggers.branches):
        yield f"`triggers.branches` in {of('branches')} does not list its base branch"
    lower_labels = {label.lower() for label in facts.labels}  # GitHub ignores the case of labels
    bad = next((label for label in triggers.skip_labels if label.lower() in lower_labels), None)
    if bad is not None:
        yield f"it has the label `{bad}`, one of `triggers.skip_labels` in {of('skip_labels')}"
    if triggers.labels and not lower_labels & {label.lower() for label in triggers.labels}:
        yield f"it has none of the labels in `triggers.labels` in {of('labels')}"


def _author_objections(facts: PullFacts, events: Sequence[Trigger], settings: "Config") -> Iterator[str]:
    """Yield the reasons not to review that the change's author controls.

    A catch-up replaces a missed event of any kind, so it counts as allowed if any event is.
    """
    triggers, of = settings.triggers, settings.file_of
    if facts.draft and not triggers.drafts:
        yield "it is a draft"
    asked = {"labeled" if event == "unlabeled" else event for event in events}
    if not triggers.events or asked.isdisjoint((*triggers.events, "catch-up")):
        yield f"`triggers.events` in {of('events')} does not list this event"
    if facts.fork and not triggers.forks:
        yield f"it comes from a fork, and `triggers.forks` in {of('forks')} is off"


def _logins(names: Iterable[str]) -> Iterator[str]:
    """Yield each name as written and as a bot's login, because people write bots with and without "[bot]"."""
    for name in names:
        yield from (name, f"{name}[bot]")


def _size(facts: PullFacts, *, is_requested: bool) -> StartReview | SkipReview:
    """A very large diff is usually vendored or generated code, so paying a model to read it is a waste."""
    files, lines = facts.changed_files, facts.additions + facts.deletions
    size = f"the pull request changes {files:,} files and {lines:,} lines"
    if files > SKIP_FILES or lines > SKIP_LINES:
        limit = f"the limit is {SKIP_FILES:,} files or {SKIP_LINES:,} lines"
        if is_requested:
            return StartReview(offline=True, reason=f"Reviewed with static checks only: {size} ({limit}).")
        return SkipReview(f"{size} ({limit}). {HOW_TO_REVIEW}, without a model.")
    if not is_requested and (files > OFFLINE_FILES or lines > OFFLINE_LINES):
        limit = f"the limit is {OFFLINE_FILES:,} files or {OFFLINE_LINES:,} lines"
        return StartReview(
            offline=True,
            reason=f"Reviewed with static checks only: {size} ({limit}). {HOW_TO_REVIEW} with a model, if one is configured.",
        )
    return StartReview()
