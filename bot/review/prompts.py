"""Write the workers' prompts: code regions, the code that uses them, and the questions."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot import render
from bot.diff import excerpts, file_diffs, shortened
from bot.diff.rows import CONTEXT_LINES
from bot.diff.units import ShownLines
from bot.findings import issues, read
from bot.review import own_checks
from bot.review.context import callers, snippets
from bot.review.context.packing import LARGE_SCALE, ONE_PROMPT, PARTS_SCALE, Scale, large, scale
from bot.review.guidance import language_instruction
from bot.review.reader_questions import ReaderQuestions
from bot.review.survey import Survey
from bot.values import ChangedFile, Excerpt, LinkedIssue, Unit
from deeprepo.impact.text.paths import is_product
from deeprepo.rlm.values import Message, Prompt, Schema, tokens

BODY_CHARS = 2_000  # characters of the pull request's description
LARGE_BODY = 400  # characters of the description in a large change's prompts
PART_ANSWER, WHOLE_ANSWER = 4_096, 8_192  # tokens of an answer
NAMED_FILES = 3  # files named in the subject of a prompt
NAMED_CONSUMERS = 12  # searchable repositories that a prompt lists
LEAST_UNITS = 300  # minimum tokens of code regions in a prompt
INSTRUCTIONS = 1_500  # tokens of a prompt in addition to the code: system prompt, schema, questions
# shares of a small window's remaining tokens: for code regions, and for the code that uses them
UNITS, BESIDE = 0.6, 0.4
# Tokens of code in one prompt that uses what changed: 1/CALLERS_PART of its regions, within these limits
LEAST_CALLERS, MOST_CALLERS, CALLERS_PART = 1_900, 5_000, 5
LISTED_FILES = 200  # changed files listed to a reader and a root
REST_TOKENS = 2_000  # tokens of unchanged lines of changed definitions


@dataclass(frozen=True, slots=True)
class SentPrompt:
    """One prompt, and the code regions that it asks to judge."""

    units: tuple[Unit, ...]
    prompt: Prompt
    shown: tuple[Excerpt, ...] = ()  # the code in the prompt, which is not looked up again
    beside: bool = True  # whether it shows more than the regions themselves
    notes: read.Extent = "none"  # which part of the change the model is asked to summarize
    issues: tuple[LinkedIssue, ...] = ()  # issues that the prompt asks about
    # features' questions, answered in addition to the findings
    feature_questions: tuple[ReaderQuestions, ...] = ()


def sizes(window: int | None) -> tuple[int, int]:
    """Return the tokens per prompt for code regions and for the code that uses them.

    Both are smaller if the model is known to have a small window.
    """
    if window is None:
        return 0, MOST_CALLERS
    free = window - INSTRUCTIONS - min(PART_ANSWER, window // 4)
    return min(LARGE_SCALE.most, max(LEAST_UNITS, int(free * UNITS))), max(0, min(MOST_CALLERS, int(free * BESIDE)))


@dataclass(frozen=True, slots=True)
class PromptWriter:
    """Writes one worker's prompts: code regions, the code that uses them, the owner's advice and questions."""

    survey: Survey
    window: int | None  # the model's context window in tokens; None if unknown
    may_ask: bool  # whether the model may request more code

    @property
    def _large(self) -> bool:
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
    ) -> Prompt:
        """Return the prompt for a text, with the form of its answer."""
        form = (issues.schema if issues_to_close else read.schema)(notes)
        for each in asked:
            form = read.with_field(form, each.key, each.field)
        most = self._candidates(units)
        system = render.text("prompts/worker_system.md.j2", most=most, may_ask=self.may_ask)
        return self._prompt(system, text, form, units)

    def _prompt(self, system: str, text: str, form: Schema, units: Sequence[Unit]) -> Prompt:
        paths = list(dict.fromkeys(unit.path for unit in units))
        more = f" and {render.count(len(paths) - NAMED_FILES, 'more file')}" if len(paths) > NAMED_FILES else ""
        return Prompt(
            (
                Message("system", system + language_instruction(self.survey.guidance.language)),
                Message("user", text),
            ),
            answer=form,
            max_tokens=WHOLE_ANSWER if sum(unit.tokens for unit in units) > ONE_PROMPT else PART_ANSWER,
            about=f"the change of {', '.join(paths[:NAMED_FILES])}{more}" if paths else "",
        )

    async def of_units(self, units: Sequence[Unit], question: str, notes: read.Extent, room: int) -> SentPrompt:
        """Return the prompt about these code regions. `room`: tokens for the unchanged code around them."""
        most = 0 if self._large else min(REST_TOKENS, room // 2)
        rest = rest_of_definitions(units, self.survey.files, most, self._scale.around)
        beside = await self._callers(units, rest, room)
        abroad = self.survey.consumers.beside([f"{unit.path}:{unit.name}" for unit in units]) if room else ()
        issues_to_close = self._issues_to_close(units)
        asked = self._asked(units) if not question else ()
        parts = [*map(shortened, file_diffs(units, self.survey.files, self._scale.around, rest))]
        text = render.text(
            "prompts/worker.md.j2",
            **self._common_values(unit.path for unit in units),
            parts=parts,
            files=(),
            unchanged=snippets.sections((*abroad, *beside)),
            issues=issues_to_close,
            questions=[question]
            if question
            else [render.text("prompts/question.md.j2").strip(), *(each.text for each in asked)],
            consumers=self.survey.consumers.readable[:NAMED_CONSUMERS] if self.may_ask and room else (),
        )
        return SentPrompt(
            tuple(units),
            self.of(text, units, notes, issues_to_close, asked),
            (*excerpts(parts), *beside),
            bool(room),
            notes,
            issues_to_close,
            asked,
        )

    async def _callers(
        self, units: Sequence[Unit], rest: Mapping[str, Mapping[int, str]], room: int
    ) -> tuple[Excerpt, ...]:
        """Return the code that uses what these regions change, and that the diff doesn't show."""
        in_proportion = max(LEAST_CALLERS, sum(unit.tokens for unit in units) // CALLERS_PART)
        shown = ShownLines()
        shown.lines.update((unit.path, row.number) for unit in units for row in unit.rows if row.sign in (" ", "+"))
        shown.lines.update((path, number) for path, lines in rest.items() for number in lines)
        first = [use.reference for use in self.survey.tracker.open_uses()]
        sites = callers.call_sites(units, first)
        excerpts = await callers.show(self.survey.tree, sites, shown, min(room, in_proportion))
        return snippets.mark_changes(excerpts, self.survey.files)

    def of_diff(self, units: Sequence[Unit]) -> Prompt:
        """Return a prompt with only the diff of these regions, for a reader that looks nothing up."""
        rest = rest_of_definitions(units, self.survey.files, 0 if self._large else REST_TOKENS, self._scale.around)
        diffs = file_diffs(units, self.survey.files, self._scale.around, rest)
        text = render.text(
            "prompts/worker.md.j2",
            **{**self._common_values(()), "guidance": ()},
            issues=(),
            files=self.survey.files[:LISTED_FILES],
            more_files=max(0, len(self.survey.files) - LISTED_FILES),
            parts=[*map(shortened, diffs)],
            unchanged=(),
            questions=(),
            consumers=(),
        )
        system = render.text("prompts/reader_system.md.j2", most=self._candidates(units))
        return self._prompt(system, text, read.DIFF_FORM, units)

    def _issues_to_close(self, units: Sequence[Unit]) -> tuple[LinkedIssue, ...]:
        """Return the issues to ask about, if the prompt shows the whole change."""
        return self.survey.pull.issues if len(units) == len(self.survey.tracker.units) else ()

    def _asked(self, units: Sequence[Unit]) -> tuple[ReaderQuestions, ...]:
        if not self.survey.brief.settings.requirements:
            return ()
        asked = own_checks.questions(self.survey, units)
        return (asked,) if asked is not None else ()

    def _common_values(self, paths: Iterable[str]) -> dict[str, Any]:
        """Return what every prompt repeats: the author's description and the owner's guidance.

        The description is shorter in the many prompts of a large change.
        """
        body = render.cut(self.survey.pull.body, LARGE_BODY if self._large else BODY_CHARS)
        advice = self.survey.guidance.within(self.window).of(paths)
        return {"title": self.survey.pull.title, "body": body, "guidance": advice}


def rest_of_definitions(
    units: Sequence[Unit], files: Sequence[ChangedFile], room: int, around: int | None
) -> dict[str, dict[int, str]]:
    """Return the unchanged lines of changed definitions that diffs leave out, by path and number.

    What decides about a change is often in the same function. If not all lines fit, the nearest are used. `around`:
    the unchanged lines that the diffs show next to a change; None if they show those of the regions.
    """
    lines_by_path: dict[str, dict[int, str]] = defaultdict(dict)
    added_lines = {file.path: file.added_lines for file in files}
    left_out = sorted(line for unit in units for line in _lines_left_out(unit, around)) if room else ()
    for _, path, number, text in left_out:
        if number not in added_lines.get(path, ()):
            room -= tokens(text) + 1
            if room < 0:
                break
            lines_by_path[path][number] = text
    return dict(lines_by_path)


def _lines_left_out(unit: Unit, around: int | None) -> Iterator[tuple[int, str, int, str]]:
    """Yield the lines of product code that a diff leaves out, with their distance to shown lines."""
    reach = CONTEXT_LINES if around is None else around
    changed = [at for at, diff_row in enumerate(unit.rows) if diff_row.sign in ("+", "-")]
    near = {row for at in changed for row in unit.rows[max(0, at - reach) : at + reach + 1]}
    shown_numbers = sorted(diff_row.number for diff_row in near if diff_row.sign in (" ", "+"))
    if unit.side == "base" or not is_product(unit.path) or not shown_numbers:
        return
    for number, text in enumerate(unit.text.split("\n"), unit.start):
        at = bisect_left(shown_numbers, number)
        away = min(abs(number - near) for near in shown_numbers[max(0, at - 1) : at + 1])
        if away:
            yield away, unit.path, number, text
