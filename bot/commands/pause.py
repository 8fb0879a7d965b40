"""`/deeprepo pause`: no review of this pull request starts by itself."""

from bot.commands.context import Answer, Desk, Permission

WORD = USE = "pause"
NEEDS: Permission = "write"
LONG = False


async def run(_: str, desk: Desk) -> Answer:
    """Pause, and say how it goes on."""
    return desk.say("reply_paused" if await desk.pause() else "reply_paused_already")
