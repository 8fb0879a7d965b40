"""Read the reviews in a journal, for commands that show them."""

from collections.abc import Iterable
from pathlib import Path

from bot.errors import UsageError
from deeprepo.rlm.journal import reader
from deeprepo.rlm.journal.reader import Record, Section

MESSAGE = b'{"kind": "message"'  # the beginning of a line that contains a prompt
# And the name of each role in outputs
ROLES = {"root": "root", "worker": "workers", "pairs": "pairs", "verify": "second opinions"}


def of(path: Path) -> tuple[Record, list[Section]]:
    """Return a journal and the reviews in it. Raises UsageError if there is none."""
    if not path.exists():
        raise UsageError(f"{path} does not exist. Record a review in it with `deeprepo review --journal {path}`")
    record = reader.load(path)
    reviews = [section for section in record.sections if section.start]
    if not reviews:
        raise UsageError(f"{path} contains no review. Record one with `deeprepo review --journal FILE`")
    return record, reviews


def without_end(section: Section) -> str:
    """Return a clause that says where an unfinished section ends."""
    turns = [f"turn {turn['number']} of {turn['run']}" for turn in section.turns]
    answers = sum("reply" in call for call in section.of("call"))
    return f"it ends in the middle of the review, after {turns[-1] if turns else f'{answers} calls'}"


def last_section(lines: Iterable[bytes]) -> Section:
    """Return the last review in a journal that may still be written, without its prompts."""
    record = Record(reader.rows_of(line for line in lines if not line.startswith(MESSAGE)))
    return record.sections[-1] if record.sections else Section()
