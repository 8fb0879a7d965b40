"""Send the prompts of pairs in parallel to the workers, and take over the answers afterwards."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from bot import render
from bot.findings.quotes import first_line, fold
from bot.review import foresight
from bot.review.context.packing import ONE_PROMPT
from bot.review.guidance import language_instruction
from bot.review.pairs.altered_definitions import Pair, pairs
from bot.review.pairs.packing import MOST_CALLS, PROMPT_TOKENS, pack
from bot.review.session import Session, admit
from bot.values import Finding, Source, Unit
from deeprepo.rlm.values import Completion, Message, Model, Prompt

BODY_CHARS = 400  # characters of the pull request's description
ANSWER = 4_096  # tokens
PART = 4  # all calls together use at most 1/PART of the review's remaining budget
BADLY_READ = "some references to changed code were not compared: {why}"


@dataclass(frozen=True, slots=True)
class PairFindings:
    """The results of comparing pairs."""

    findings: tuple[Finding, ...] = ()
    doubts: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()  # the prompts that were answered
    notes: tuple[str, ...] = ()
    count: int = 0  # number of compared pairs


@asynccontextmanager
async def beside(session: Session, most: int = MOST_CALLS) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Have the pairs read while other work runs.

    Call the yielded function once that work is done, to add the answers to the session. A change that fits
    into one prompt has no pairs, because its definitions and uses are already seen together. The number of
    calls (at most `most`) is fixed at the start, from the review's whole budget.
    """
    model, units = session.root, session.tracker.unread()
    parts = sum(unit.tokens for unit in units) > ONE_PROMPT
    calls = (
        foresight.affordable_calls(session.calls, model, PROMPT_TOKENS, "pairs", PART, most) if model and parts else 0
    )
    reading = asyncio.create_task(_read(session, model, units, calls)) if model and calls else None

    async def wait_for_pairs() -> None:
        if reading is not None:
            await _take(session, await reading)

    try:
        yield wait_for_pairs
    finally:
        if reading is not None:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


def prompts(session: Session, groups: Sequence[Sequence[Pair]]) -> list[Prompt]:
    """Return the prompt for each group of pairs."""
    system = Message("system", render.text("prompts/pairs_system.md.j2") + language_instruction(session.language))
    from bot.review.pairs import answers

    return [
        Prompt(
            (
                system,
                Message(
                    "user",
                    render.text(
                        "prompts/pairs.md.j2",
                        title=session.pull.title,
                        body=render.cut(session.pull.body, BODY_CHARS),
                        pairs=group,
                    ),
                ),
            ),
            answer=answers.schema(),
            max_tokens=ANSWER,
        )
        for group in groups
    ]


async def _read(session: Session, model: Model, units: Sequence[Unit], calls: int) -> PairFindings:
    """Find the pairs and ask about them."""
    from bot.review.pairs import answers

    pairs_found = await pairs(session.survey, units)
    groups, left = pack(pairs_found, calls)
    pair_prompts = [*zip(prompts(session, groups), groups, strict=True)]
    if not pair_prompts:
        return PairFindings()
    session.say(f"comparing {render.count(len(pairs_found) - len(left), 'changed definition')} with their references")
    replies = await session.calls.many(model, [prompt for prompt, _ in pair_prompts], "pairs")
    source = Source("model", model.name, "root", view="pairs")
    findings_placed: list[Finding] = []
    doubts: list[str] = []
    texts: list[str] = []
    notes: dict[str, None] = {}
    count = 0
    for (prompt, group), reply in zip(pair_prompts, replies, strict=True):
        if not isinstance(reply, Completion):
            notes.setdefault(BADLY_READ.format(why=reply))
            continue
        findings, open_ones = answers.parse_reply(reply.data, source)
        findings_placed += [_place(finding, group) for finding in findings]
        doubts += open_ones
        texts.append(prompt.messages[-1].text)
        count += len(group)
    return PairFindings(tuple(findings_placed), tuple(doubts), tuple(texts), tuple(notes), count)


async def _take(session: Session, reading: PairFindings) -> None:
    """Add the answers to the session in the order of the prompts.

    Their findings are checked like any other.
    """
    for text in reading.texts:
        session.tracker.saw(text, str(Source("model", session.root.name, "root")) if session.root else "")
    session.results.notes += reading.notes
    session.results.doubts += reading.doubts
    for finding in reading.findings:
        await admit(session, finding)


def _place(finding: Finding, group: Sequence[Pair]) -> Finding:
    """Return the finding with the line that was shown to the model.

    A quote such as `return None` can occur more than once in a file.
    """
    pair_rows = (diff_row for pair in group if pair.path == finding.path for diff_row in pair.rows)
    line_numbers = {
        (use.path, fold(diff_row.text)): diff_row.number for pair in group for use in pair.uses for diff_row in use.rows
    }
    evidence = tuple(
        replace(item, line=line_numbers.get((item.path, fold(item.quote)), 0)) for item in finding.evidence
    )
    return replace(finding, start=first_line(finding.quote, pair_rows), evidence=evidence)
