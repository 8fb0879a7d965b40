"""How much of one person is taken on in an hour, decided from the delivery and the database before GitHub is asked anything.

An answer to a comment costs up to eight requests and a review up to sixty, of the 5,000 that GitHub grants an installation in an
hour. Without a bound, one stranger could use them all up. A comment above the bound is ignored. A change is reviewed later: the pushes of
the meantime are one review. What closing leaves to do at GitHub is done later too; while a review runs GitHub is asked at once. That a review
is due is shown without a delay; above the bound of changes, once in half a minute.
"""

import time
from collections import Counter
from dataclasses import dataclass

from bot.storage.people import People
from bot.values import Ask, Cancel, CommandAsk, PullRef, RemarkAsk, ReviewAsk

HOUR, DAY = 3600.0, 86_400.0
FREE, STEP, LONGEST = 12, 30.0, 900.0  # changes of a stranger without delay, seconds for each further one, and at most
TOO_MANY = "its writer has sent too many comments in this hour"
ALL_STRANGERS = "people who are not known to may write here have sent too many comments in this hour"


COMMENTS, COMMENTS_OF_STRANGER, COMMENTS_OF_STRANGERS = 60, 6, 60  # taken on of one person; the last of an installation
CHANGES = 120  # changes of a person without delay


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a delivery is taken on, and after which delay. `reason`: why not."""

    reason: str = ""
    delay: float | None = None  # None: the usual one


class Admission:
    """What this process has taken on in this hour, by installation and person. A copy of a delivery counts once."""

    def __init__(self, people: People) -> None:
        self._people = people
        self._hour = 0  # since 1970
        self._deliveries = set[str]()
        self._counts = Counter[object]()
        # When a delivery last said that somebody belongs to a repository.
        self._members = dict[tuple[int, str], float]()

    async def admit(self, ask: Ask, delivery: str, now: float | None = None) -> Decision:
        """Count what a person has sent. Raises StorageError."""
        now = time.time() if now is None else now
        if self._hour != now // HOUR:
            self._hour = int(now // HOUR)
            self._deliveries.clear()
            self._counts.clear()
        is_comment = isinstance(ask, CommandAsk | RemarkAsk)
        if not isinstance(ask, CommandAsk | RemarkAsk | ReviewAsk | Cancel) or not ask.actor:
            return Decision()
        if delivery in self._deliveries:
            return Decision()
        is_stranger = await self._is_stranger(ask.pull, ask.actor, now, named=not ask.stranger, is_comment=is_comment)
        home = (ask.pull.installation, is_comment)
        own, strangers = self._counts[*home, ask.actor], self._counts[home]
        if is_comment and own >= (COMMENTS_OF_STRANGER if is_stranger else COMMENTS):
            return Decision(TOO_MANY)
        if is_comment and is_stranger and strangers >= COMMENTS_OF_STRANGERS:
            return Decision(ALL_STRANGERS)
        self._deliveries.add(delivery)
        self._counts.update([(*home, ask.actor), *([home] if is_stranger else [])])
        return Decision(delay=None if is_comment else _delay(own, strangers, is_stranger=is_stranger))

    async def _is_stranger(self, pull: PullRef, who: str, now: float, *, named: bool, is_comment: bool) -> bool:
        """Whether nobody knows that a person belongs to the repository; `named`: this delivery says so.

        A comment tells of its writer, so who was named by one is known for a day, as is who GitHub said may write. A change tells of
        the pull request's author alone: it makes nobody known.
        """
        if named:
            if is_comment:
                self._members[pull.installation, who] = now
            return False
        is_member = self._members.get((pull.installation, who), -DAY) > now - DAY
        return not is_member and not await self._people.is_writer(pull, who, now - DAY)


def _delay(own: int, strangers: int, *, is_stranger: bool) -> float | None:
    if not is_stranger:
        return STEP if own >= CHANGES else None
    above = max(own, strangers // 4) - FREE
    return min(LONGEST, STEP * above) if above > 0 else None
