"""Where a replay and its record part: the turn, the call, the first line that is not the same. Pure."""

from collections.abc import Sequence

from bot.journal import codec
from bot.journal.codec import Row
from bot.journal.reader import Record, Section
from bot.values import Prompt, Review

SHOWN = 160  # characters of a line
FIELDS = ("said", "code", "output", "error", "outcome")  # of a turn, in the order in which they come about


def request(record: Record, prompt: Prompt, role: str, model: str, at: str) -> str:
    """A request that the record does not hold, beside the one that stood in its place."""
    here = f"the replay asks what was not asked when it was recorded: {_who(role, model, at)}"
    section = record.current
    waiting = [row for row in section.requests if section.recorded_calls.get(row["key"])] if section else []
    alike = [row for row in waiting if (row["role"], row["model"]) == (role, model)]
    mine = [codec.message(message) for message in prompt.messages]
    if not alike or section is None:
        return f"{here} sends one more request, which begins: {_line(prompt.messages[-1].text)}"
    nearest = max(
        alike, key=lambda row: (row["at"] == at, _common_lines(_texts(record, row), [m["text"] for m in mine]))
    )
    number = section.requests.index(nearest) + 1
    return f"{here}. Call {number} ({nearest['at'] or 'before the first turn'}): {_messages(record, nearest, mine)}"


def turn(recording: Row, now: Row) -> str:
    """A turn that ran otherwise: the first field and line of it."""
    name = next(name for name in (*FIELDS, "omitted", "tight") if recording[name] != now[name])
    place = f"turn {now['number']} of {now['run']}"
    return (
        f"{place} ran otherwise than recorded: its {name}, {_first(str(recording[name] or ''), str(now[name] or ''))}"
    )


def parts(recording: Row, review: Review) -> str:
    """What of the finished review is not as recorded, "" where all of it is."""
    now = codec.digests(review)
    differing = [name for name, digest in recording.get("digests", {}).items() if now.get(name) != digest]
    if not differing:
        return ""
    end = codec.end(review)
    differences = [
        f"{name} was {_line(str(recording[name]))}, is {_line(str(end[name]))}" for name in differing if name in end
    ]
    return f"every request was the same, but the review is not: {', '.join(differing)} differ. {'; '.join(differences)}".rstrip()


def without_end(section: Section) -> str:
    """A record without an end."""
    turns = [f"turn {row['number']} of {row['run']}" for row in section.turns.values()]
    answer_count = sum(1 for row in section.rows if row["kind"] == "call" and "reply" in row)
    return f"it ends in the middle of the review, after {turns[-1] if turns else f'{answer_count} calls'}"


def _messages(record: Record, row: Row, now: Sequence[Row]) -> str:
    """The first message of two requests that is not the same, and its first line."""
    was = [record.messages.get(number) for number in row["messages"]]
    for at, (before, after) in enumerate(zip(was, now, strict=False), 1):
        if before is not None and {**before, "kind": ""} != {**after, "kind": ""}:
            return f"message {at} ({after['role']}), {_first(before['text'], after['text'])}"
    if len(was) != len(now):
        return f"it had {len(was)} messages, now it has {len(now)}"
    return "its messages are the same, its schema, tool or length limit is not: another version may have recorded it"


def _first(before: str, after: str) -> str:
    old, new = before.split("\n"), after.split("\n")
    at = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    texts = [_line(rows[at]) if at < len(rows) else "(no such line)" for rows in (old, new)]
    return f"line {at + 1}: recorded {texts[0]}, now {texts[1]}"


def _texts(record: Record, row: Row) -> list[str]:
    return [record.messages[number]["text"] for number in row["messages"] if number in record.messages]


def _common_lines(one: Sequence[str], other: Sequence[str]) -> int:
    """Lines that two dialogues have in common before they part."""
    count = 0
    for a, b in zip("\n".join(one).split("\n"), "\n".join(other).split("\n"), strict=False):
        if a != b:
            break
        count += 1
    return count


def _who(role: str, model: str, at: str) -> str:
    run, _, number = at.partition(":")
    where = f"in turn {number} of {run}" if number else "outside the root's turns"
    return f"{where}, the {role} ({model})"


def _line(text: str) -> str:
    first = text.strip("\n").split("\n")[0]
    return repr(first if len(first) <= SHOWN else first[:SHOWN] + "...")
