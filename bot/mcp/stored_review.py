"""What a server on this machine has stored of a pull request's last review."""

import json
import re

from bot import config
from bot.errors import NothingToReview, UsageError
from bot.findings import earlier
from bot.machine import extras
from bot.mcp import local
from bot.values import PlacedFinding, in_order

_PULL = re.compile(r"(?:https://[^/\s]+/)?([\w.-]+/[\w.-]+)(?:#|/pull/)(\d{1,9})/?")


async def handed_over(pull: str, number: int) -> str:
    """One finding, or all for 0, as a prompt for a coding agent.

    Raises UsageError where no server keeps its reviews here or the pull request has no review, StorageError where the database fails.
    """
    match = _PULL.fullmatch(pull.strip())
    if match is None:
        raise UsageError(f"{pull!r} is not a pull request: write owner/name#number, or its address")
    output = await _output(match[1], int(match[2]))
    if output is None:
        raise NothingToReview(f"There is no finished review of {match[1]}#{match[2]} on this server.")
    document = json.loads(output)
    findings = in_order(PlacedFinding(finding, "folded") for finding in earlier.findings_of(document, "new", "still"))
    return local.prompt_for(findings, number, str(document["pull"]["head"]))


async def _output(repository: str, number: int) -> bytes | None:
    """The JSON output of the last review, as the server of this machine has stored it."""
    extras.need("server")
    from bot.storage.database import Database
    from bot.storage.reviews import Reviews

    settings = config.server_settings()
    if not settings.url and not (settings.place.data / "deeprepo.db").exists():
        raise UsageError(
            f"there is no database in {settings.place.data}: set DEEPREPO_DATA or DEEPREPO_DATABASE_URL as for `deeprepo serve`"
        )
    database = Database(settings.url or f"sqlite:///{settings.place.data / 'deeprepo.db'}")
    try:
        return await Reviews(database).by_name(repository, number)
    finally:
        await database.close()
