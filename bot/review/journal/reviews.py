"""Read the last review in a journal, for the operator's pages."""

from collections.abc import Iterable

from deeprepo.rlm.journal import reader
from deeprepo.rlm.journal.reader import Record, Section

MESSAGE = b'{"kind": "message"'  # the beginning of a line that contains a prompt
# And the name of each role in outputs
ROLES = {"root": "root", "worker": "workers", "pairs": "pairs", "verify": "second opinions"}


def last_section(lines: Iterable[bytes]) -> Section:
    """Return the last review in a journal that may still be written, without its prompts."""
    record = Record(reader.rows_of(line for line in lines if not line.startswith(MESSAGE)))
    return record.sections[-1] if record.sections else Section()
