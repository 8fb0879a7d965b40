"""The section of a review that lists failed CI jobs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from bot.outputs import facts
from bot.render import Phrases, Safe, link
from bot.render.section import Place, Section
from bot.values import Review

if TYPE_CHECKING:
    from bot.features.ci.values import CIFailure


class FailedJobs(Section["tuple[CIFailure, ...]"]):
    """The failed jobs, each with its first error or why none was found."""

    key = "ci_failures"
    empty = ()
    place: ClassVar[Place] = "below"
    template = "ci/section.md.j2"

    @property
    def part_type(self) -> Any:  # noqa: ANN401 - a type
        """Return the type of the section's value."""
        from bot.features.ci.values import CIFailure  # imported here because local reviews have no jobs

        return tuple[CIFailure, ...]

    def values(self, review: Review, words: Phrases, most: int) -> Mapping[str, Any]:
        """Return the rows for the template."""
        del most
        return {self.key: [_row(failure, review, words) for failure in self.of(review)]}


FAILED_JOBS = FailedJobs()


def _row(failure: "CIFailure", review: Review, words: Phrases) -> dict[str, Any]:
    """Return a failed job as a row of the summary."""
    label = f"{failure.path}:{failure.line}" + (f" ({words.say('before')})" if failure.side == "base" else "")
    address = facts.permalink(review.pull, failure.path, failure.side, failure.line)
    if failure.path:
        note = words.say("ci_also_on_base") if failure.on_base else ""
    elif failure.on_base:
        note = words.say("ci_on_base")
    else:
        note = words.say("ci_unplaced") if failure.error or failure.log == "read" else ""
    return {
        "name": failure.name,
        "error": failure.error or ("" if failure.ending == "failure" else words.say(f"ci_{failure.ending}")),
        "silence": Safe(words.say("ci_no_error" if failure.log == "read" else f"ci_log_{failure.log}")),
        "where": link(label[:200], address) if failure.path else Safe(),
        "note": Safe(note),
    }
