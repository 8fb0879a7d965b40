"""Read what a worker hands in about its prompt."""

from collections.abc import Iterable
from dataclasses import replace

from bot.findings import issues, quotes, read
from bot.findings.confirm import Reply
from bot.review.coverage import CoverageTracker
from bot.review.dialogues import Exchange
from bot.review.prompts import SentPrompt
from bot.review.session import WorkerReply
from bot.values import Finding, ReaderNotes, Source, Unit
from deeprepo.rlm.values import Completion


def combined(sent: SentPrompt, exchange: Exchange, source: Source, tracker: CoverageTracker) -> WorkerReply:
    """Return both answers to a prompt as one, and mark what they judge, if none of them failed."""
    first = reply = _reply(sent, exchange.first, source)
    if first.error:
        return first
    named = _named(exchange.first)
    if exchange.second is not None:
        second = _reply(sent, exchange.second, source)
        if second.error:
            loss = f"{source.name} asked to see more code and gave no answer after that: {second.error}"
            return replace(first, error=loss)
        reply, named = _together(first, second, exchange.second), named | _named(exchange.second)
    tracker.note_asked(sent.units)
    shown = {(excerpt.path, row.number) for excerpt in sent.shown for row in excerpt.rows}
    has_judged = tracker.judge(sent.units, named, str(source), shown)
    is_useful = has_judged or any(finding.start for finding in reply.findings)
    if is_useful or (sent.notes == "none" and any(map(str.isalnum, reply.text))):
        return reply
    return WorkerReply("", error=read.EMPTY.format(source.name))


def _named(reply: Reply) -> frozenset[tuple[str, str]]:
    return read.judged(reply.data) if isinstance(reply, Completion) else frozenset()


def _together(first: WorkerReply, second: WorkerReply, reply: Reply) -> WorkerReply:
    withdrawn = read.withdrawn(reply.data) if isinstance(reply, Completion) else frozenset()
    told = {(finding.path, finding.quote) for finding in second.findings}
    standing = [
        finding
        for number, finding in enumerate(first.findings, 1)
        if number not in withdrawn and (finding.path, finding.quote) not in told
    ]
    return replace(
        second,
        text=second.text or first.text,
        findings=(*standing, *second.findings),
        reader_notes=_both_notes(first.reader_notes, second.reader_notes),
        issues=second.issues or first.issues,
        answers=second.answers or first.answers,
    )


def _reply(sent: SentPrompt, reply: Reply, source: Source) -> WorkerReply:
    """Return one parsed answer."""
    if not isinstance(reply, Completion):
        return WorkerReply("", error=str(reply))
    text, findings = read.parse_reply(reply.data, source)
    findings = tuple(at_its_line(finding, sent.units) for finding in findings)
    notes = read.reader_notes(reply.data, whole=sent.notes == "whole") if sent.notes != "none" else None
    told = [answer for each in sent.feature_questions for answer in each.answers(reply.data, sent.units)]
    about = issues.reports(reply.data, sent.issues)
    return WorkerReply(text, findings, reader_notes=notes, issues=about, answers=tuple(told))


def _both_notes(first: ReaderNotes | None, second: ReaderNotes | None) -> ReaderNotes | None:
    """Return the summary in a second answer, with what only the first one says."""
    if first is None or second is None:
        return first or second
    return ReaderNotes(second.overview or first.overview, second.first or first.first, second.files or first.files)


def at_its_line(finding: Finding, units: Iterable[Unit]) -> Finding:
    """Return the finding with the line of its quote inside the judged code regions.

    A quote such as `return None` can occur more than once in a file.
    """
    rows = (diff_row for unit in units if unit.path == finding.path for diff_row in unit.rows)
    return finding if finding.start else replace(finding, start=quotes.first_line(finding.quote, rows))
