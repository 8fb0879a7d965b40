"""The check run of a review: started with the review, updated during it, and always ended.

It belongs to one head of one pull request and shows the conclusion of that head's review. GitHub uses a
commit's newest check run of a name, and several open pull requests can have the same head, so each check run
shows the worst conclusion of them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from bot import verdict
from bot.errors import HostDown, HostError
from bot.github import Host, responses
from bot.github.policy import TRIES
from bot.outputs import facts, markdown
from bot.render import Phrases, Safe, comment, line, load, plain, visible
from bot.stored import markers
from bot.values import Annotation, AnnotationLevel, CheckConclusion, CheckRun, Review
from bot.values.finding import MASK
from bot.values.progress import Progress
from bot.values.review import NoReviewReason
from bot.workflow.publish.publication import PublishResult

if TYPE_CHECKING:
    from githubkit_schemas.latest import types

    Button = types.ReposOwnerRepoCheckRunsCheckRunIdPatchBodyPropActionsItemsType
    Output = types.ReposOwnerRepoCheckRunsCheckRunIdPatchBodyPropOutputType
    Row = types.ReposOwnerRepoCheckRunsCheckRunIdPatchBodyPropOutputPropAnnotationsItemsType

BATCH = 50  # annotations per request
CHECK = {"title": "output.title", "summary": "output.summary", "text": "output.text", "head": "head_sha"}

CHECK_NAME = "deeprepo"
CHECK_TITLE_CHARS, MESSAGE_CHARS = 250, 8_000  # characters; GitHub accepts 255 and 64 KB
ANNOTATION_LEVELS: Mapping[str, AnnotationLevel] = {
    "critical": "failure",
    "high": "warning",
    "medium": "warning",
    "low": "notice",
}
# By the severity of the team's own checks.
CHECK_LEVELS: Mapping[str, AnnotationLevel] = {"fail": "failure", "warn": "warning", "note": "notice"}
LACKS: Mapping[NoReviewReason, str] = {"left out": "left", "held": "held"}  # marker facts
AGAIN, FULL = "again", "full"  # identifiers of the buttons


@dataclass(frozen=True, slots=True)
class CheckOwner:
    """The review that owns a check run in progress, as written in its marker."""

    run: str
    if_broken: CheckConclusion = "cancelled"  # how the check run ends if the review is given up

    def mark(self, text: str) -> str:
        """Return a text of the check run with its owner's marker, for later runs."""
        return _mark(text, run=self.run, broken=self.if_broken)


@dataclass(frozen=True, slots=True)
class HeadStatus:
    """The conclusion for a head.

    `is_reviewed`: a stored review of this head decides it. `other`: the number of another open pull request
    with this head that makes it worse, 0 if none.
    """

    conclusion: CheckConclusion
    is_reviewed: bool = False
    other: int = 0


async def start(host: Host, head: str, owner: CheckOwner, waits: str = "") -> int:
    """Start or reuse a check run: this review's own after a restart, else an open one, else a new one.

    `waits` is the reason why the review is delayed.
    """
    words, number = load(), str(host.pull.number)

    async def find() -> CheckRun | None:
        begun_checks = [run for run in await _list_runs(host, head) if run.external_id == number]
        of_run = (check for check in begun_checks if _facts(check).get("run") == owner.run)
        return next(of_run, None) or next((check_run for check_run in begun_checks if not check_run.is_over), None)

    text = comment("publish/waits.md.j2", words, why=waits) if waits else words.say("check_begun")
    output = (words.say("check_running"), owner.mark(text))
    own_check = await find()
    if own_check is None:
        return (await host.write_once(find, lambda: _create(host, head, number, *output))).id
    if not own_check.is_over:
        await _update(host, own_check.id, *output)
    return own_check.id


async def progress(host: Host, number: int, owner: CheckOwner, now: Progress) -> None:
    """Show the coverage, the static findings and the current step. A failure to show them is ignored."""
    words, reading = load(), now.reading
    findings = reading.worst_findings if reading is not None else ()
    text = comment("publish/progress.md.j2", words, reading=reading, found=findings, step=now.step)
    with suppress(HostError):
        await _update(host, number, words.say("check_running"), owner.mark(text))


async def end_with_review(
    host: Host, number: int, run: str, review: Review, outcome: PublishResult, status: HeadStatus, page: str = ""
) -> None:
    """End a check run with a review.

    `status` is the head's conclusion. `page` is the review as Markdown, if already rendered.
    """
    words = load()
    sentence = facts.summary(review, words).result
    first = comment(
        "publish/check.md.j2",
        words,
        result=sentence,
        lacks=[words.say(f"lacks_{name}") for name in verdict.of(review).lacks],
        posted=outcome.posted_count,
        listed=outcome.listed_count,
        link=Safe(outcome.summary_url),
        doubts=review.settings.doubts,
        notes=list(outcome.notes),
    )
    whole_page = page or await asyncio.to_thread(markdown.render, review)
    texts = (line(sentence)[:CHECK_TITLE_CHARS], first, whole_page)
    await _end(host, number, {"run": run}, status, words, texts, annotations(review, words))


async def end_without_review(
    host: Host,
    number: int,
    run: str,
    says: str,
    status: HeadStatus,
    *,
    lacks: NoReviewReason = "unreviewed",
) -> None:
    """End a check run without a review; `says` is the reason.

    `lacks`: whether the settings exclude this head.
    """
    words = load()
    title, says = _title_without_review(says), f"{words.say('check_not')}: {says}"
    stands = [words.say("check_stands")] if status.is_reviewed and not status.other else []
    text = "\n\n".join([*stands, plain(says)])
    marker_facts = {"run": run} | ({LACKS[lacks]: "1"} if lacks in LACKS else {})
    await _end(host, number, marker_facts, status, words, (title, text, ""))


def _title_without_review(says: str) -> str:
    return line(f"{load().say('check_not')}: {says}")[:CHECK_TITLE_CHARS]


async def end_broken(host: Host, number: int, run: str, head: str, says: str, *, earlier: str = "") -> None:
    """End the check run of a review that was given up, with the conclusion in its marker.

    It is on `head` or on the `earlier` commit.
    """
    mine: CheckRun | None = None
    for commit in filter(None, (head, earlier)):
        with suppress(HostError):
            mine = mine or next(
                (check_run for check_run in await _list_runs(host, commit) if check_run.id == number), None
            )
    fixed = _facts(mine).get("broken") if mine is not None else None
    await end_without_review(
        host, number, run, says, HeadStatus(next((one for one in verdict.BADNESS if one == fixed), "cancelled"))
    )


async def renew(host: Host, run: str, review: Review, outcome: PublishResult, status: HeadStatus, page: str) -> None:
    """Show the current conclusion of a review in the check run that this run ended, if there is one."""
    checks = await _list_runs(host, review.pull.head)
    mine = [check for check in checks if _facts(check).get("run") == run and check.is_over]
    if mine:
        await end_with_review(host, max(check_run.id for check_run in mine), run, review, outcome, status, page)
    await show(host, review.pull.head, status)


async def show(host: Host, head: str, status: HeadStatus) -> None:
    """Change the conclusion of this pull request's newest check run on a commit to the head's current one."""
    newest = await _newest(host, head)
    if newest is not None and newest.is_over and newest.conclusion != status.conclusion:
        words, summary = load(), newest.summary
        if newest.conclusion == "cancelled" and status.is_reviewed and not status.other:
            summary += f"\n\n{words.say('check_stands')}"
        await _complete(
            host, newest.id, status.conclusion, newest.title, summary, newest.text, actions=_buttons(host, words)
        )


async def is_shown(host: Host, head: str, status: HeadStatus) -> bool:
    """Return whether this pull request's newest check run on a commit shows the head's conclusion."""
    newest = await _newest(host, head)
    return newest is not None and newest.is_over and newest.conclusion == status.conclusion


async def is_there(host: Host, head: str) -> bool:
    """Return whether this pull request has a check run on a commit."""
    return await _newest(host, head) is not None


async def lacks_review(host: Host, head: str) -> NoReviewReason:
    """Return why a head has no review, by this pull request's newest check run."""
    newest = await _newest(host, head)
    marked = _facts(newest) if newest is not None else {}
    is_left_out = newest is not None and "left" in marked and verdict.passes(newest.conclusion)
    return "left out" if is_left_out else "held" if "held" in marked else "unreviewed"


async def is_cancelled(host: Host, head: str) -> bool:
    """Return whether this pull request's newest check run on a commit ended because its review was canceled."""
    newest = await _newest(host, head)
    return newest is not None and newest.conclusion == "cancelled"


async def gives_reason(host: Host, head: str, says: str, status: HeadStatus) -> bool:
    """Return whether this pull request's newest check run on a commit says why there is no review, and concludes so."""
    newest = await _newest(host, head)
    shown = (newest.title, newest.conclusion) if newest is not None and newest.is_over else ()
    return shown == (_title_without_review(says), status.conclusion)


async def owners_in_progress(host: Host, head: str) -> list[str]:
    """Return the reviews of this pull request whose check runs are in progress on a commit."""
    of_pull = [run for run in await _list_runs(host, head) if run.external_id == str(host.pull.number)]
    return [run for check in of_pull if not check.is_over and (run := _facts(check).get("run", ""))]


async def pulls_of(host: Host, head: str) -> list[int]:
    """Return the numbers of the pull requests with one of our check runs on this commit, highest first."""
    numbers = (run.external_id for run in await _list_runs(host, head) if run.external_id.isdecimal())
    return sorted({int(number) for number in numbers} - {0}, reverse=True)


async def answer_queue(host: Host, head: str, conclusion: CheckConclusion, says: str) -> None:
    """Answer a merge queue on its own commit, because a queue that requires our check would stall.

    `says` is the message key.
    """
    words, run = load(), f"queue-{head}"
    if any(check_run.is_over and _facts(check_run).get("run") == run for check_run in await _list_runs(host, head)):
        return
    number = await start(host, head, CheckOwner(run))
    sentence = words.say(says)
    await _complete(host, number, conclusion, line(words.say(f"{says}_title")), _mark(sentence, run=run))


async def _newest(host: Host, head: str) -> CheckRun | None:
    of_pull = [run for run in await _list_runs(host, head) if run.external_id == str(host.pull.number)]
    return max(of_pull, key=lambda check_run: check_run.id, default=None)


async def _end(
    host: Host,
    number: int,
    marker_facts: Mapping[str, str],
    status: HeadStatus,
    words: Phrases,
    texts: tuple[str, str, str],
    rows: Sequence[Annotation] = (),
) -> None:
    """Name another pull request first if it makes the result worse."""
    title, text, page = texts
    if status.other:
        text = f"{words.say('check_counts', pull=Safe(f'#{status.other}'))}\n\n{text}"
    await _complete(
        host, number, status.conclusion, title, _mark(text, **marker_facts), page, rows, _buttons(host, words)
    )


def annotations(review: Review, words: Phrases) -> tuple[Annotation, ...]:
    """Return the failed own checks and the findings on lines of the head, as plain text."""
    rows = list[Annotation]()

    def annotate(path: str, start: int, end: int, level: AnnotationLevel, title: str, message: str) -> None:
        title = visible(line(title))[:CHECK_TITLE_CHARS]
        if MASK not in path:
            rows.append(Annotation(path, start, end, level, title, visible(message)[:MESSAGE_CHARS] or title))

    for required_check in review.required_checks:
        title, level = f"{words.say('ruling_name')} · {required_check.name}", CHECK_LEVELS[required_check.severity]
        for shown in required_check.quotes if required_check.result == "failed" else ():
            if shown.side == "head":
                end = shown.line + shown.quote.strip("\n").count("\n")
                annotate(shown.path, shown.line, end, level, title, required_check.reason)
    # Findings of earlier reviews too, because those are on another commit's check run.
    for item in facts.listing(review).all:
        finding = item.finding
        title = f"{words.say(finding.severity).capitalize()} · {f'{finding.number}. ' if finding.number else ''}{finding.title}"
        if finding.side == "head" and finding.start:
            message = "\n\n".join(filter(None, (finding.why, finding.consequence)))
            annotate(
                finding.path,
                finding.start,
                max(finding.start, finding.end),
                ANNOTATION_LEVELS[finding.severity],
                title,
                message,
            )
        for place in finding.places[1:]:
            if finding.tracking.added and place.side == "head":
                annotate(
                    place.path,
                    place.line,
                    place.line,
                    ANNOTATION_LEVELS[finding.severity],
                    title,
                    f"{place.note}: {place.quote.strip()}",
                )
    return tuple(rows)


def _buttons(host: Host, words: Phrases) -> "list[Button]":
    """Return the buttons of a check run; none with a workflow's token, as presses are not delivered."""
    return [
        {"label": words.say(f"button_{name}"), "description": words.say(f"button_{name}_about"), "identifier": name}
        for name in ((AGAIN, FULL) if host.bot_identity.app else ())
    ]


def _facts(check: CheckRun) -> Mapping[str, str]:
    return markers.read(check.summary).facts


def _mark(text: str, **marker_facts: str) -> str:
    return f"{markers.make('check', **marker_facts)}\n{text}"


async def _list_runs(host: Host, head: str) -> tuple[CheckRun, ...]:
    """Return our check runs on a commit, newest first as GitHub lists them."""
    bot_identity, commit = host.bot_identity, quote(head, safe="")
    ours = ("app.id", bot_identity.app) if bot_identity.app else ("app.slug", bot_identity.login.removesuffix("[bot]"))
    listing = partial(host.rest.checks.async_list_for_ref, *host.repo, commit, check_name=CHECK_NAME, filter_="all")
    rows = host.client.pages(listing, "check_runs")
    return tuple([responses.value(CheckRun, row, CHECK) async for row in rows if responses.at(row, ours[0]) == ours[1]])


async def _create(host: Host, head: str, external_id: str, title: str, summary: str) -> CheckRun:
    asked = host.rest.checks.async_create(
        *host.repo,
        name=CHECK_NAME,
        head_sha=head,
        external_id=external_id,
        status="in_progress",
        output={"title": title, "summary": summary},
    )
    return responses.value(CheckRun, await host.client.json(asked), CHECK)


async def _update(host: Host, number: int, title: str, summary: str) -> None:
    shown: Output = {"title": title, "summary": summary}
    patch = partial(host.rest.checks.async_update, *host.repo, number, status="in_progress", output=shown)
    await _retry(host, lambda: host.client.json(patch()))


async def _complete(
    host: Host,
    number: int,
    conclusion: CheckConclusion,
    title: str,
    summary: str,
    text: str = "",
    annotations: Sequence[Annotation] = (),
    actions: "Sequence[Button]" = (),
) -> None:
    """Annotations can only be added, so those stored by a request whose answer was lost are not sent again."""
    output: Output = {"title": title, "summary": summary}
    if text:
        output["text"] = text

    async def send() -> None:
        known = await _annotations_of(host, number) if annotations else frozenset()
        rows = [
            _row(annotation)
            for annotation in annotations
            if (annotation.path, annotation.start, annotation.title) not in known
        ]
        while len(rows) > BATCH:
            part: Output = {**output, "annotations": rows[:BATCH]}
            await host.client.json(host.rest.checks.async_update(*host.repo, number, output=part))
            rows = rows[BATCH:]
        end = partial(host.rest.checks.async_update, *host.repo, number, status="completed", conclusion=conclusion)
        final: Output = {**output, "annotations": rows}
        await host.client.json(end(output=final, actions=[*actions]))

    await _retry(host, send)


async def _annotations_of(host: Host, number: int) -> frozenset[tuple[str, int, str]]:
    rows = host.client.pages(partial(host.rest.checks.async_list_annotations, *host.repo, number))
    return frozenset(
        [
            (str(annotation.get("path")), int(annotation.get("start_line") or 0), str(annotation.get("title") or ""))
            async for annotation in rows
        ]
    )


async def _retry(host: Host, send: Callable[[], Awaitable[object]]) -> None:
    """Send, and retry if GitHub fails, because the client does not repeat updates of check runs itself."""
    for tries in range(1, TRIES):
        with suppress(HostDown):
            await send()
            return
        await host.client.pace.wait_before_retry(tries)
    await send()


def _row(annotation: Annotation) -> "Row":
    return {
        "path": annotation.path,
        "start_line": annotation.start,
        "end_line": annotation.end,
        "annotation_level": annotation.level,
        "title": annotation.title,
        "message": annotation.message,
    }
