"""Determine which finding a command refers to: its thread's finding, or one given by number or identity."""

import re
from dataclasses import dataclass, replace

from bot.commands.context import CommandContext, CommandReply
from bot.stored import markers, reviews
from bot.stored.reviews import UnreadableError
from bot.values import Finding
from bot.values.review import LastFindings

_MENTIONED = re.compile(
    r"(?:#|\b(?:finding|no\.?|nr\.?|number|befund|hallazgo|constat)\s*#?)(\d{1,4})\b", re.IGNORECASE
)
_NUMBER_OR_MARK = re.compile(r"(?:#?(\d{1,4})|([0-9a-f]{32}|[0-9a-f]{16}))(?=$|[\s.:,;])[.:,;]?")


@dataclass(frozen=True, slots=True)
class CommandTarget:
    """What a command refers to.

    With a fingerprint but no finding, the last review no longer has the finding.
    """

    last_review: LastFindings | None
    fingerprint: str = ""
    finding: Finding | None = None
    rest: str = ""  # the argument after the number or identity
    unknown_argument: str = ""  # a number or identity that no finding has
    thread: str = ""  # the text of the thread's first comment, if we wrote it
    problem: str = ""  # why the last review cannot be used

    def missing(self, context: CommandContext, example: str) -> CommandReply:
        """Return the reply to a command that refers to no finding, with an example of correct use."""
        if self.problem:
            return context.say("reply_unreadable", why=self.problem)
        if self.last_review is None:
            return context.say("reply_no_review")
        if self.unknown_argument:
            numbers = ", ".join(str(finding.number) for finding in self.last_review.open_findings)
            return context.say(
                "reply_unknown_finding" if numbers else "reply_none_open", typed=self.unknown_argument, known=numbers
            )
        return context.say("reply_gone" if self.fingerprint else "reply_which", example=f"`/deeprepo {example}`")


def thread_target(context: CommandContext) -> CommandTarget:
    """Return the finding of the command's thread, if it has exactly one."""
    last_review, problem = _read(context.last)
    top = context.top
    marker = markers.read(top)
    ours = marker.kind == "finding"
    names = [name for name, _ in marker.findings] if ours else []
    mark = names[0] if len(names) == 1 else ""
    finding = last_review.by_identity(mark) if last_review and mark else None
    if finding is None and last_review is not None and any(one.fingerprint == mark for one in last_review.findings):
        # The finding was proven since the thread began, so it may be another one, and the person must name
        # it.
        mark = ""
    return CommandTarget(
        last_review, mark, finding, problem=problem, thread=top.partition("\n")[2].strip() if ours else ""
    )


def find(argument: str, context: CommandContext) -> CommandTarget:
    """Return the thread's finding, or the one that the argument starts with, and the rest of the argument."""
    of_this_thread = thread_target(context)
    if of_this_thread.fingerprint:
        return replace(of_this_thread, rest=argument.strip())
    last_review, match = of_this_thread.last_review, _NUMBER_OR_MARK.match(argument)
    if match is None or last_review is None:
        return replace(of_this_thread, rest=argument.strip())
    rest = argument[match.end() :].strip()
    if match[2]:
        finding = last_review.by_identity(match[2])
        return (
            CommandTarget(last_review, match[2], finding, rest)
            if finding or match[2] in last_review.other_fingerprints
            else CommandTarget(last_review, unknown_argument=match[2])
        )
    number = int(match[1])
    finding_by_number = last_review.by_number(number)
    if finding_by_number is None and number not in last_review.numbers:
        return CommandTarget(last_review, rest=argument.strip(), unknown_argument=match[1])
    return CommandTarget(
        last_review,
        finding_by_number.fingerprint if finding_by_number else last_review.numbers[number],
        finding_by_number,
        rest,
    )


def finding_numbers(text: str) -> tuple[int, ...]:
    """Return the finding numbers that a text mentions, as in "finding 2" or "#2"."""
    return tuple(int(match[1]) for match in _MENTIONED.finditer(text))


def read(data: bytes | None) -> LastFindings | None:
    """Return the last review from its JSON output, or None if there is none or it cannot be read."""
    return _read(data)[0]


def _read(data: bytes | None) -> tuple[LastFindings | None, str]:
    try:
        return (reviews.last(data) if data else None), ""
    except UnreadableError as error:
        return None, str(error)
