"""`/deeprepo review`: a review of what is new."""

from bot.commands.context import Answer, Desk, Permission

WORD = USE = "review"
NEEDS: Permission = "write"
LONG = False
FULL = False


async def run(_: str, desk: Desk) -> Answer:
    """Ask for it; the review itself is the answer."""
    await desk.submit(FULL)
    return Answer()
