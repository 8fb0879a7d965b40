"""Whether a person may give a command, and how often."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.commands import pace
from bot.commands.context import CommandReply, Word
from bot.config import Config
from bot.render import code, comment, load

WRITERS = frozenset({"admin", "maintain", "write"})


@dataclass(frozen=True, slots=True)
class Permission:
    """Who gives a command: what they may do here, and when they gave others (seconds on the clock of `now`)."""

    permission: str  # as GitHub says it
    now: float
    earlier: Sequence[float] = ()

    @property
    def writes(self) -> bool:
        """Whether they may change the repository: only then may they spend its money."""
        return self.permission in WRITERS


def refusal(word: Word, actor: str, standing: Permission, settings: Config) -> CommandReply | None:
    """The answer where the command is not carried out, None where it is."""
    words = load(settings.language)
    most = settings.triggers.commands_per_hour if standing.writes else pace.STRANGER
    pace_ = pace.judge(standing.earlier, standing.now, most)
    if not pace_.free:
        values: dict[str, object] = {"most": most}
        refusal_text = comment("replies/phrase.md.j2", words, key="reply_too_many", number=pace_.minutes, values=values)
        return CommandReply("" if pace_.was_told else refusal_text, "-1")
    if word.NEEDS == "write" and not standing.writes:
        values = {"word": code(f"/deeprepo {word.WORD}"), "actor": actor}
        return CommandReply(
            comment("replies/phrase.md.j2", words, key="reply_no_permission", number=None, values=values), "-1"
        )
    return None
