"""The map of the product: one straight line from a request to a review. Each arrow is a value that can be printed."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Any

from bot import __version__, checkout, config, dependents, diff, ledger, strategies, units
from bot.config import Config, Settings
from bot.errors import NothingToReview
from bot.findings import judge, place, rank
from bot.ports import Language, Tree
from bot.rlm.desk import Subject
from bot.rlm.work import Work
from bot.values import ChangedFile, Review, ReviewRequest


@dataclass(frozen=True, slots=True)
class Deps:
    """The parts that `wiring` hands over, and the doors that it opened."""

    languages: Mapping[str, Language]
    desk: Callable[[Subject, Config], AbstractAsyncContextManager[Work]]
    settings: Settings
    flags: Mapping[str, Any]
    scratch: str  # a folder that is thrown away afterwards
    clock: Callable[[], float]
    say: Callable[[str], None]


async def review(request: ReviewRequest, deps: Deps) -> Review:
    """Review one change. Raises NothingToReview where it is empty, and DeepRepoError's kinds with a sentence for the user."""
    started = deps.clock()
    pull = await checkout.pull(request, deps.scratch)
    async with checkout.Checkout(pull) as tree:
        settings = config.resolve(deps.flags, await tree.at_tip(config.FILE), deps.settings)
        deps.say(f"reading {pull.base_name}..{pull.head_name}")
        files = _reviewable(diff.read(await tree.change()), settings)
        deps.say(f"finding who depends on {len(files)} changed files")
        users = await dependents.find(tree, files, deps.languages)
        parts = units.cut(files, users, await _texts(tree, files))
        book = ledger.start(parts, files, users)
        subject = Subject(pull, files, parts, users, tree, book)
        async with deps.desk(subject, settings) as work:
            name, reason = strategies.choose(
                settings["strategy"], parts, root=bool(work.root), worker=bool(work.reader)
            )
            transcript = await strategies.run(name, work)
            judged = await judge.judge(transcript.findings, tree, users, work.second_opinion(settings["verify"]))
            said = rank.rank(place.place(judged.said, files), settings["quota"])
            return Review(
                pull=pull,
                files=files,
                strategy=name,
                reason=reason,
                findings=said,
                coverage=book.coverage(),
                cost=work.calls.budget.cost(),
                seconds=deps.clock() - started,
                summary=transcript.summary,
                notes=(*settings.warnings, *work.notes, *work.calls.budget.notes, *transcript.notes),
                partial=transcript.partial,
                fault=transcript.fault,
                fail_on=settings["fail_on"],
                dropped=work.refused + judged.dropped,
                turns=transcript.turns,
                version=__version__,
            )


def _reviewable(files: Sequence[ChangedFile], settings: Config) -> tuple[ChangedFile, ...]:
    """The changed files, with those marked that the repository asks to leave out. Raises NothingToReview."""
    if not files:
        raise NothingToReview
    left_out = f"left out by {config.FILE}"
    return tuple(replace(f, skip=left_out) if not f.skip and settings.ignores(f.path) else f for f in files)


async def _texts(tree: Tree, files: Sequence[ChangedFile]) -> units.Texts:
    """The changed files of both sides as text."""
    wanted = [file for file in files if not file.skip]
    heads = await tree.read_many([file.path for file in wanted])
    bases = await tree.read_many([file.old_path for file in wanted if file.old_path], "base")
    decoded = ({path: blob.decode("utf-8", "replace") for path, blob in side.items()} for side in (heads, bases))
    return units.Texts(*decoded)
