"""Confirm several claims in one request.

Shared code appears only once, and each claim gets its own verdict. A claim is asked about separately if it is
the only one, if earlier comments may answer it, or if a joint answer left it out. Pure functions.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from bot import render
from bot.diff.units import ShownLines
from bot.errors import DeepRepoError
from bot.findings import claims
from bot.findings.read import FINAL, rows, strict, text, wishes
from bot.findings.verify import (
    OPEN,
    OPINIONS,
    PROPERTIES,
    OpinionQuestion,
    asking_properties,
    pull_fields,
    verdict_of,
)
from bot.values import Excerpt
from deeprepo.rlm.values import Completion, Message, Prompt, Schema, tokens

VERDICTS = "verdicts"
MOST_CLAIMS, MOST_TOKENS = 12, 16_000  # maximum per request: claims, and tokens of code
REPLY_TOKENS = 512  # tokens for each verdict
Request = tuple[OpinionQuestion, ...]


def requests(questions: Sequence[OpinionQuestion]) -> list[Request]:
    """Return the claims by request.

    Claims that may be about the same defect are next to each other. Requests are as large as possible and of
    similar size.
    """
    alone = [question for question in questions if question.precedents]
    rest = list(_order_by_line([question for question in questions if question not in alone]))
    count = -(-len(rest) // MOST_CLAIMS) or 1
    most = -(-len(rest) // count)
    groups: list[list[OpinionQuestion]] = []
    for one in rest:
        fits = groups and len(groups[-1]) < most
        if fits and sum(tokens(each.body) for each in _distinct([*groups[-1], one])) <= MOST_TOKENS:
            groups[-1].append(one)
        else:
            groups.append([one])
    return [*((question,) for question in alone), *map(tuple, groups)]


def _order_by_line(questions: Sequence[OpinionQuestion]) -> Iterator[OpinionQuestion]:
    """Yield the claims by file and line.

    Claims that quote the same line follow each other, even from different files.
    """
    left = sorted(questions, key=lambda question: (question.finding.path, question.finding.start))
    while left:
        places = _places(left[0])
        akin = [left[0], *(question for question in left[1:] if places & _places(question))]
        yield from akin
        left = [question for question in left if question not in akin]


def _places(question: OpinionQuestion) -> set[tuple[str, int]]:
    finding = question.finding
    return {(finding.path, finding.start), *(item.location for item in finding.evidence)}


def prompt(request: Request) -> Prompt:
    """Return the prompt for these claims. A single claim has its own prompt."""
    if len(request) == 1:
        return request[0].prompt
    findings = [question.finding for question in request]
    question_text = render.text(
        "prompts/verify.md.j2",
        **pull_fields(request[0].pull),
        findings=findings,
        claims=[claims.results(finding) for finding in findings],
        excerpts=list(_distinct(request)),
    )
    return Prompt(
        (
            Message("system", render.text("prompts/verify_system.md.j2", are_several=True)),
            Message("user", question_text),
        ),
        answer=schema(),
        max_tokens=REPLY_TOKENS * (len(request) + 1),
        about=f"{len(request)} claims, {_id(0)} to {_id(len(request) - 1)}",
    )


def replies(request: Request, reply: Completion | DeepRepoError) -> list[Completion | DeepRepoError]:
    """Return the answer about each claim, in the form of a separate answer.

    It has no data if the claim was left out.
    """
    if len(request) == 1 or not isinstance(reply, Completion):
        return [reply] * len(request)
    rows = _rows(reply.data)
    marks = {_id(index): question.finding.fingerprint for index, question in enumerate(request)}
    own_data = ({**opinion, "same_as": marks.get(str(opinion.get("same_as")).strip(), "")} for opinion in rows.values())
    data = dict(zip(rows, own_data, strict=True))
    return [replace(reply, text="", data=data.get(_id(at))) for at in range(len(request))]


def is_left_out(reply: Completion | DeepRepoError) -> bool:
    """Return whether an answer was given that leaves out this claim."""
    return isinstance(reply, Completion) and reply.data is None and reply.stop != "refusal"


def open_claims(data: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return the IDs of the claims that an answer gives no verdict on yet."""
    return tuple(
        name
        for name, opinion in _rows(data).items()
        if (verdict := verdict_of(opinion)) is None or verdict.is_undecided
    )


def join_answers(first: Completion, last: Completion) -> Completion:
    """Return the last answer with the verdicts that the first one already gave."""
    before, after = _rows(first.data), _rows(last.data)
    waiting = open_claims(first.data)
    rows = {**before, **{name: opinion for name, opinion in after.items() if name in waiting or name not in before}}
    return replace(last, data={**(last.data or {}), VERDICTS: [*rows.values()]})


@lru_cache(maxsize=1)
def schema() -> Schema:
    """Return the form of an answer about several claims."""
    form = VERDICTS, "Hand in a verdict on each claim."
    claim = {
        "claim": text("the ID of the claim, such as C1"),
        "same_as": text("the ID of an earlier claim about the same defect, if one edit fixes both; else empty"),
    }
    asking, last = (
        {VERDICTS: {"type": "array", "items": strict(**claim, **properties), "description": "one for each claim"}}
        for properties in (asking_properties(), PROPERTIES)
    )
    more = wishes(are_several=True)
    final = Schema(f"{FINAL}{VERDICTS}", form[1], strict(**last))
    return Schema(*form, strict(**asking, **more), final, frozenset(more))


def _rows(data: Mapping[str, Any] | None) -> dict[str, Mapping[str, Any]]:
    valid_rows = [opinion for opinion in rows(data, VERDICTS) if opinion.get("verdict") in (*OPINIONS, OPEN)]
    return {str(opinion.get("claim")).strip(): opinion for opinion in valid_rows}


def _distinct(request: Sequence[OpinionQuestion]) -> Iterator[Excerpt]:
    """Yield the code for all these claims, each line once, with the claim that it was gathered for."""
    shown_lines = ShownLines()
    for index, question in enumerate(request):
        for excerpt in question.excerpts:
            numbers = {*shown_lines.left(excerpt.path, [diff_row.number for diff_row in excerpt.rows], excerpt.side)}
            rows = tuple(diff_row for diff_row in excerpt.rows if diff_row.number in numbers)
            if any(diff_row.text.strip() for diff_row in rows):
                shown_lines.add(excerpt)
                yield replace(excerpt, rows=rows, title=f"{_id(index)}: {excerpt.title}")


def _id(at: int) -> str:
    return f"C{at + 1}"
