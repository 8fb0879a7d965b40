"""What the jobs of a server are handed: who it is at GitHub, what it has stored, and how a change is reviewed."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.config import Config, Settings
from bot.github import Identity, Pace
from bot.outputs.posts import Comments
from bot.rlm.work import Work
from bot.storage import Store
from bot.values import Ask, PullRef, PullRequest, Review

Say = Callable[[str], None]
Flags = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """One review to make: the fetched change, and what this run asks for beyond the repository's own settings."""

    pull: PullRequest
    flags: Flags
    journal: str  # the name under which paid calls are found again
    earlier: bytes | None = None  # the JSON output of the round before
    full: bool = False
    note: str = ""  # a sentence about this run for the reader of the review
    ignored: tuple[tuple[str, str], ...] = ()  # fingerprint and reason of what people do not want to hear again


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything a job needs. `submit`, `cancel` and `forget` are the queue's own doors; the functions come from `wiring`."""

    identity: Identity
    pace: Pace
    store: Store
    folder: Path  # of the server's data
    settings: Settings = field(repr=False)
    review: Callable[[Change, Say], Awaitable[Review]]
    work: Callable[[Change, Say], AbstractAsyncContextManager[Work]]  # the change, opened for a question
    model: Callable[[Config], bool]  # whether a model can be asked under these settings
    in_force: Callable[[Config], Config]  # with the models that a key brings
    comments: Callable[[Review], Comments]
    written: Callable[[Review], str]  # the review as JSON
    submit: Callable[[Ask, str], Awaitable[bool]]
    cancel: Callable[[PullRef], Awaitable[bool]]
    forget: Callable[[int, Sequence[int]], Awaitable[int]]  # the jobs of an installation, or of some repositories
    told: Callable[[Review, str], None] = lambda _, __: None  # somebody who counts, by repository
