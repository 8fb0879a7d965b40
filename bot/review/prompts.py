"""Write the workers' prompts: code regions, the unchanged code that matters for them, and the questions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from bot import render
from bot.diff import alike, file_diffs
from bot.diff.render import FileDiff
from bot.diff.units import ShownLines
from bot.features.own_checks import review as own_checks
from bot.findings import issues, read
from bot.review.context import snippets
from bot.review.context.builder import NEARBY_TOKENS, ContextBuilder
from bot.review.context.packing import LARGE_SCALE, ONE_PROMPT, PARTS_SCALE, Scale, large, scale
from bot.review.coverage import ObligedUse
from bot.review.guidance import language_instruction
from bot.review.pairs.altered_definitions import Pair
from bot.review.reader_questions import ReaderQuestions
from bot.review.survey import Survey
from bot.values import Excerpt, LinkedIssue, Unit
from deeprepo.impact.text.paths import is_prose, is_test
from deeprepo.rlm.values import Message, Prompt

BODY_CHARS = 2_000  # characters of the pull request's description
LARGE_BODY = 400  # characters of the description in a large change's prompts
PART_ANSWER, WHOLE_ANSWER = 4_096, 8_192  # tokens of an answer
AROUND_CHANGES = 1  # unchanged lines around the changed ones, in a prompt about a definition's uses
NAMED_FILES = 3  # files named in the subject of a prompt
NAMED_CONSUMERS = 12  # searchable repositories that a prompt lists
LEAST_UNITS = 300  # minimum tokens of code regions in a prompt
INSTRUCTIONS = 1_500  # tokens of a prompt in addition to the code: system prompt, schema, questions
# shares of a small window's remaining tokens: for code regions, and for the code around them
UNITS, BESIDE = 0.6, 0.4


@dataclass(frozen=True, slots=True)
class SentPrompt:
    """One prompt, and the code regions that it asks to judge."""

    units: tuple[Unit, ...]  # empty if the prompt is only about uses of changed definitions
    prompt: Prompt
    seen_text: str
    bare: bool = False  # whether the code around the regions is left out
    shown: tuple[Excerpt, ...] = ()  # the code in the prompt, which is not looked up again
    notes: read.Extent = "none"  # which part of the change the model is asked to summarize
    issues: tuple[LinkedIssue, ...] = ()  # issues that the prompt asks about
    # features' questions, answered in addition to the findings
    feature_questions: tuple[ReaderQuestions, ...] = ()


def sizes(window: int | None) -> tuple[int, int]:
    """Return the tokens per prompt for code regions and for the code around them.

    Both are smaller if the model is known to have a small window.
    """
    if window is None:
        return 0, NEARBY_TOKENS
    free = window - INSTRUCTIONS - min(PART_ANSWER, window // 4)
    return min(LARGE_SCALE.most, max(LEAST_UNITS, int(free * UNITS))), max(0, min(NEARBY_TOKENS, int(free * BESIDE)))


@dataclass(frozen=True, slots=True)
class PromptWriter:
    """Writes one worker's prompts: code regions, the code around them, the owner's advice and questions."""

    survey: Survey
    window: int | None  # the model's context window in tokens; None if unknown
    whole: bool  # put everything in one prompt, whatever its size
    may_ask: bool  # whether the model may request more code

    @property
    def large(self) -> bool:
        """Whether this change is split into many prompts."""
        return large(tuple(self.survey.tracker.units.values()))

    @property
    def _scale(self) -> Scale:
        return scale(tuple(self.survey.tracker.units.values()))

    def _candidates(self, units: Sequence[Unit]) -> int:
        """Return how many findings to ask for; more for a prompt that replaces several."""
        is_long = sum(unit.tokens for unit in units) > PARTS_SCALE.most
        return LARGE_SCALE.candidates if is_long else self._scale.candidates

    def of(
        self,
        text: str,
        units: Sequence[Unit],
        notes: read.Extent = "none",
        issues_to_close: Sequence[LinkedIssue] = (),
        asked: Sequence[ReaderQuestions] = (),
        *,
        sees_only_diff: bool = False,
    ) -> Prompt:
        """Return the prompt for a text, with the form of its answer."""
        paths = list(dict.fromkeys(unit.path for unit in units))
        more = f" and {render.count(len(paths) - NAMED_FILES, 'more file')}" if len(paths) > NAMED_FILES else ""
        is_brief = self.whole and not self.may_ask
        form = (issues.schema if issues_to_close else read.schema)(notes, is_brief=is_brief)
        for each in asked:
            form = read.with_field(form, each.key, each.field)
        return Prompt(
            (
                Message(
                    "system",
                    render.text(
                        "prompts/worker_system.md.j2",
                        most=self._candidates(units),
                        may_ask=self.may_ask,
                        sees_only_diff=sees_only_diff,
                        has_claims=not is_brief,
                    )
                    + language_instruction(self.survey.guidance.language),
                ),
                Message("user", text),
            ),
            answer=form,
            max_tokens=WHOLE_ANSWER if self.whole or sum(unit.tokens for unit in units) > ONE_PROMPT else PART_ANSWER,
            about=f"the change of {', '.join(paths[:NAMED_FILES])}{more}" if paths else "",
        )

    async def of_units(
        self,
        units: Sequence[Unit],
        builder: ContextBuilder,
        question: str,
        notes: read.Extent,
        pairs: Sequence[Pair] = (),
        *,
        bare: bool = False,
    ) -> SentPrompt:
        """Return the prompt about these code regions.

        - `pairs`: altered definitions whose uses are shown and asked about.
        - `bare`: leave out the code around the regions.
        """
        beside = await builder.of(units) if not bare else ()
        if pairs and not bare:
            beside = tuple(_once([*(use for pair in pairs for use in pair.uses), *beside]))
        abroad = () if bare else self.survey.consumers.beside([f"{unit.path}:{unit.name}" for unit in units])
        issues_to_close = self._issues_to_close(units)
        asked = self._asked(units) if not question else ()
        whole_parts = self._diffs(units, {} if bare else builder.rest_of_definitions(units))
        telling = partial(
            render.text,
            "prompts/worker.md.j2",
            **self._common_values(unit.path for unit in units),
            issues=issues_to_close,
            questions=[question]
            if question
            else [
                render.text("prompts/question.md.j2").strip(),
                *_about_uses(pairs),
                *(each.text for each in asked),
            ],
            consumers=self.survey.consumers.readable[:NAMED_CONSUMERS] if self.may_ask and not bare else (),
        )
        # A code region that is only shown next to others is not judged, so it doesn't count as read.
        judged_excerpts = [excerpt for excerpt in beside if not excerpt.overlaps_change]
        parts = alike.collapse(whole_parts)
        prompt = self.of(
            telling(parts=parts, unchanged=snippets.sections((*abroad, *beside))),
            units,
            notes,
            issues_to_close,
            asked,
        )
        # A collapsed edit counts as read: the prompt shows two like it, and names its line.
        seen_text = telling(parts=whole_parts, unchanged=snippets.sections(judged_excerpts))
        shown = (*alike.excerpts(parts), *beside)
        return SentPrompt(tuple(units), prompt, seen_text, bare, shown, notes, issues_to_close, asked)

    def _diffs(self, units: Sequence[Unit], further_lines: Mapping[str, Mapping[int, str]]) -> list[FileDiff]:
        """Return the diffs of the regions per file, with less context if the change is split."""
        return file_diffs(units, self.survey.files, self._scale.around, further_lines)

    def of_uses(
        self, changed_units: Sequence[Unit], mine: Sequence[ObligedUse], beside: Sequence[Excerpt]
    ) -> SentPrompt:
        """Return the prompt about uses of changed contracts."""
        text = render.text(
            "prompts/worker.md.j2",
            **self._common_values(use.path for use in mine),
            issues=(),
            parts=file_diffs(changed_units, self.survey.files, AROUND_CHANGES),
            unchanged=snippets.sections(beside),
            consumers=(),
            questions=[render.text("prompts/uses.md.j2", uses=_places_by_clause(mine)).strip()],
        )
        return SentPrompt((), self.of(text, changed_units), text, bare=True)

    def of_diff(
        self,
        units: Sequence[Unit],
        view: Literal["diff", "backwards"] = "diff",
        *,
        at_once: bool = False,
    ) -> Prompt:
        """Return a prompt with only the diff of these regions.

        - `view`: "backwards" starts with the last file.
        - `at_once`: others read these regions in parts, and this prompt asks to follow them from file to file.
        """
        diffs = file_diffs(units, self.survey.files, self._scale.around)
        if view == "backwards":
            diffs.sort(key=lambda diff: diff.path, reverse=True)
            diffs.sort(key=lambda diff: (is_prose(diff.path), is_test(diff.path)))
        text = render.text(
            "prompts/worker.md.j2",
            **{**self._common_values(()), "guidance": ()},
            issues=(),
            parts=alike.collapse(diffs),
            unchanged=(),
            questions=[render.text("prompts/diff_only.md.j2", backwards=view == "backwards", at_once=at_once).strip()],
            consumers=(),
        )
        prompt = replace(self, may_ask=False).of(text, units, sees_only_diff=True)
        return replace(prompt, answer=prompt.answer and prompt.answer.final)

    def _issues_to_close(self, units: Sequence[Unit]) -> tuple[LinkedIssue, ...]:
        """Return the issues to ask about.

        A prompt with only part of the change asks about none, since it cannot show what the whole change
        does.
        """
        return self.survey.pull.issues if self.whole and len(units) == len(self.survey.tracker.units) else ()

    def _asked(self, units: Sequence[Unit]) -> tuple[ReaderQuestions, ...]:
        """Return the questions of the team's own checks about these code regions."""
        if not self.survey.brief.settings.requirements:
            return ()
        asked = own_checks.questions(self.survey, units)
        return (asked,) if asked is not None else ()

    def _common_values(self, paths: Iterable[str]) -> dict[str, Any]:
        """Return what every prompt repeats: the author's description and the owner's guidance.

        The description is shorter in the many prompts of a large change.
        """
        body = render.cut(self.survey.pull.body, LARGE_BODY if self.large else BODY_CHARS)
        advice = self.survey.guidance.within(self.window).of(paths)
        return {"title": self.survey.pull.title, "body": body, "guidance": advice}


def _about_uses(pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield the question about the uses of altered definitions, if there are any."""
    if pairs:
        yield render.text("prompts/pair_uses.md.j2", names=list(dict.fromkeys(pair.name for pair in pairs))).strip()


def _once(excerpts: Iterable[Excerpt]) -> Iterator[Excerpt]:
    """Yield the excerpts without the lines that an earlier one shows."""
    shown_lines = ShownLines()
    for excerpt in excerpts:
        numbers = {*shown_lines.left(excerpt.path, [row.number for row in excerpt.rows], excerpt.side)}
        rows = tuple(row for row in excerpt.rows if row.number in numbers)
        if any(row.text.strip() for row in rows):
            shown_lines.add(excerpt)
            yield replace(excerpt, rows=rows)


def _places_by_clause(uses: Iterable[ObligedUse]) -> dict[str, dict[str, list[int]]]:
    """Return the lines of uses, grouped by what changed and by file."""
    places: dict[str, dict[str, list[int]]] = {}
    for use in uses:
        places.setdefault(use.says, {}).setdefault(use.path, []).append(use.line)
    return places
