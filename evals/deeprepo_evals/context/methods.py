"""Ways to answer a question about a long text."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec

from bot.errors import DeepRepoError, UsageError
from bot.review.context import file_questions
from bot.review.context.file_questions import Sight
from deeprepo.rlm.errors import BudgetSpent, ProviderDown
from deeprepo.rlm.loop.root import RootRun
from deeprepo.rlm.values import Completion, Message, Prompt
from deeprepo.texts import dialogue as roots
from deeprepo_evals import words
from deeprepo_evals.context.problems import Problem
from deeprepo_evals.context.room import Room
from deeprepo_evals.context.score import NOT_FOUND, is_not_found

PASSAGE, MOST = 1_000, 20  # characters of a passage, passages in the prompt
FOUND = 10  # passages of one search by a root
NOTES = 16_000  # characters that a window keeps free for notes
MOST_CALLS = 200  # that vote
MAX_TOKENS = 4_096  # of an answer; models that think first need room


@dataclass(frozen=True, slots=True)
class MethodAnswer:
    """An answer, the turns that a root took for it, and what went wrong on the way."""

    answer: str
    turns: int = 0
    note: str = ""


async def _answer_from(room: Room, passages: Mapping[str, str], *, cut: int = 0) -> MethodAnswer:
    """The root's answer from these passages, and from nothing else."""
    return _said(await room.calls.complete(room.root, _prompt(room, passages, cut=cut), "root"))


def _prompt(room: Room, passages: Mapping[str, str], *, cut: int, attempt: int = 1) -> Prompt:
    """The question with these passages, as far as they fit."""
    over = sum(map(len, passages.values())) - room.window
    if over > 0:
        passages, cut = _first(passages, room.window), cut + over
    given = {"passages": passages, "cut": cut, "attempt": attempt}
    text = words.text("context/answer.md.j2", question=room.problem.question, **given)
    return Prompt((Message("user", text),), max_tokens=MAX_TOKENS)


def _said(reply: Completion) -> MethodAnswer:
    return MethodAnswer(reply.text.strip(), note="the model declined" if reply.stop == "refusal" else "")


def _first(passages: Mapping[str, str], size: int) -> dict[str, str]:
    """The first `size` characters of them."""
    kept: dict[str, str] = {}
    for label, text in passages.items():
        kept[label] = text[:size]
        size -= len(kept[label])
    return {label: text for label, text in kept.items() if text}


def _end_of_run(root_run: RootRun) -> MethodAnswer:
    """What a root's run came to. Raises what the model's provider or a cap has done to them."""
    if root_run.outcome == "provider":
        raise ProviderDown(root_run.why)
    if root_run.outcome == "budget":
        raise BudgetSpent(root_run.why)
    note = "" if root_run.outcome == "answered" else f"the root's run ended by {root_run.outcome}"
    return MethodAnswer(root_run.summary, len(root_run.turns), note)


def _nothing() -> MethodAnswer:
    """All of the text was read, and it holds nothing."""
    return MethodAnswer(NOT_FOUND)


async def direct(room: Room) -> MethodAnswer:
    """One call with the beginning of the text, as much as fits: what a plain use of a model comes to."""
    return _said(await room.calls.complete(room.root, _plain(room), "root"))


def _plain(room: Room, attempt: int = 1) -> Prompt:
    text = room.problem.text
    return _prompt(room, {"text": text[: room.window]}, cut=max(0, len(text) - room.window), attempt=attempt)


async def majority(room: Room) -> MethodAnswer:
    """As many plain calls as cost what the root over the same problem has cost, and the answer that most of them give."""
    calls, allowed = room.calls, room.allowed
    answers = [(await direct(room)).answer]
    one = calls.budget.cost()
    share = allowed.usd / one.usd if allowed.usd and one.usd else allowed.tokens / (one.usage.input + one.usage.output)
    prompts = [_plain(room, attempt) for attempt in range(2, min(int(share), MOST_CALLS) + 1)]
    for reply in await calls.many(room.root, prompts, "root"):
        if isinstance(reply, DeepRepoError):
            raise reply
        answers.append(_said(reply).answer)
    best, votes = Counter(answers).most_common(1)[0]
    return MethodAnswer(best, note=f"{votes} of {len(answers)} calls say so")


async def compaction(room: Room) -> MethodAnswer:
    """Notes that are written anew with each window of the text, and a call that answers from the last ones."""
    text, question = room.problem.text, room.problem.question
    size = max(room.window // 2, room.window - NOTES)
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    notes = ""
    for at, piece in enumerate(pieces, 1):
        told = words.text(
            "context/compact.md.j2", number=at, parts=len(pieces), text=piece, notes=notes, question=question
        )
        reply = await room.calls.complete(room.root, Prompt((Message("user", told),), max_tokens=MAX_TOKENS), "root")
        notes = "" if is_not_found(reply.text) else reply.text
    return await _answer_from(room, {"notes about the whole text": notes}) if notes else _nothing()


async def chunked(room: Room) -> MethodAnswer:
    """Notes about each piece of one window, and a call that puts them together: no overlap, no quotes, nothing is checked."""
    text, size = room.problem.text, room.window
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    prompts = [
        words.text("context/part.md.j2", number=at, parts=len(pieces), text=piece, question=room.problem.question)
        for at, piece in enumerate(pieces, 1)
    ]
    asked = [Prompt((Message("user", one),), max_tokens=MAX_TOKENS) for one in prompts]
    replies = await room.calls.many(room.reader.model, asked, "worker")
    notes = {
        f"notes about part {at} of {len(pieces)}": reply.text
        for at, reply in enumerate(replies, 1)
        if not isinstance(reply, DeepRepoError) and not is_not_found(reply.text)
    }
    return await _answer_from(room, notes) if notes else _nothing()


def has_bm25() -> bool:
    """Whether its library is installed."""
    return find_spec("bm25s") is not None


def demand_bm25() -> None:
    """Raise UsageError where it is not."""
    if not has_bm25():
        raise UsageError("the method bm25 needs bm25s: install deeprepo-evals, or leave it out with --method")


async def bm25(room: Room) -> MethodAnswer:
    """The passages that share most with the question, in one call. Raises UsageError where the library is not installed."""
    passages, find = _index(room.problem.text)
    best = sorted(find(room.problem.question, MOST))[: room.window // PASSAGE]
    return await _answer_from(room, {f"passage {at + 1} of {len(passages)}": passages[at] for at in best})


def searching(problem: Problem) -> Callable[[str], list[str]]:
    """Make the function by which a root's code finds passages of a text that it does not hold. Raises UsageError."""
    passages, find = _index(problem.text)

    def bm25_search(query: str) -> list[str]:
        """Find the passages that share most with the query, the best first (BM25)."""
        return [passages[at] for at in find(query, FOUND)]

    return bm25_search


@lru_cache(maxsize=1)
def _index(text: str) -> tuple[list[str], Callable[[str, int], list[int]]]:
    demand_bm25()
    import bm25s

    passages = _passages(text)
    index = bm25s.BM25()
    index.index(bm25s.tokenize(passages, show_progress=False), show_progress=False)

    def find(query: str, most: int) -> list[int]:
        asked = bm25s.tokenize(query, show_progress=False)
        found, _ = index.retrieve(asked, k=min(most, len(passages)), show_progress=False)
        return [int(number) for number in found[0]]

    return passages, find


def _passages(text: str) -> list[str]:
    """The text in passages that end at line ends."""
    passages, start = [], 0
    while start < len(text):
        cut = text.rfind("\n", start, start + PASSAGE) + 1 if start + PASSAGE < len(text) else len(text)
        end = cut if cut > start else start + PASSAGE
        passages.append(text[start:end])
        start = end
    return passages


async def codeact(room: Room) -> MethodAnswer:
    """A root that is shown the text, as far as it fits, or finds passages of it: what it writes into a prompt it has seen before."""
    problem, turns = room.problem, room.calls.budget.limits.turns
    shown = "" if room.inquiry.question.tools else problem.text[: room.window]
    given = {"question": problem.question, "text": shown, "length": len(problem.text), "turns": turns}
    async with roots.open_dialogue(room.inquiry) as dialogue:
        return _end_of_run(await dialogue.ask(words.text("context/codeact.md.j2", **given), turns))


async def rlm_only(room: Room) -> MethodAnswer:
    """The form of the paper: the root sees how long the text is and both its ends, and decides what workers read; at depth 0 it has none."""
    async with roots.open_dialogue(room.inquiry) as dialogue:
        return _end_of_run(await roots.put(dialogue, room.inquiry.question))


async def fanout(room: Room) -> MethodAnswer:
    """Workers read every piece, code finds their quotes, and one call answers from these. Where every piece was read and none holds anything, nobody is asked to say so."""
    sight = await _read(room)
    quoted = _facts(sight)
    if not quoted:
        return _nothing() if sight.is_found is False else MethodAnswer("", note=sight.error)
    listed = "\n".join(f"{path}:{line}: {quote}" for path, line, quote in quoted)
    said = await _answer_from(room, {f"{len(quoted)} lines that readers of the whole text have quoted": listed})
    return MethodAnswer(said.answer, note=said.note or sight.error)


async def _read(room: Room) -> Sight:
    """Every file from its first line to its last."""
    plans = [file_questions.plan({path: text}) for path, text in room.files.items()]
    parts = [one for prompts, _ in plans for one in prompts]
    return file_questions.together(
        await asyncio.gather(*(room.reader.answer(one, room.problem.question) for one in parts))
    )


def _facts(sight: Sight) -> list[tuple[str, int, str]]:
    """The quoted lines with their places, each place once, in the order of the text."""
    return sorted({(item.path, item.line, item.quote.strip()) for item in sight.quotes})


async def rlm(room: Room) -> MethodAnswer:
    """Workers read every piece first; then the root goes on in the REPL with the lines that they quoted."""
    sight, turns = await _read(room), room.calls.budget.limits.turns
    seen = words.text("context/sight.md.j2", sight=sight, facts=_facts(sight))
    async with roots.open_dialogue(room.inquiry) as dialogue:
        return _end_of_run(
            await dialogue.ask(roots.first_message(room.inquiry, room.inquiry.question, turns) + seen, turns)
        )


# How far below itself a root asks others; (): as it was asked for.
DEPTHS: Mapping[str, tuple[int, ...]] = {
    "codeact": (0,),
    "codeact-calls": (1,),
    "codeact-bm25": (0,),
    "rlm-only": (),
    "rlm": (),
}
METHODS: Mapping[str, Callable[[Room], Awaitable[MethodAnswer]]] = {
    "direct": direct,
    "chunked": chunked,
    "bm25": bm25,
    "codeact": rlm_only,
    "rlm-only": rlm_only,
    "fanout": fanout,
    "rlm": rlm,
    "compaction": compaction,
    "codeact-calls": codeact,
    "codeact-bm25": codeact,
    "majority": majority,  # the last one: it spends what the one that it is compared with has spent
}
USUAL = tuple(METHODS)[:7]  # where none is named
NEEDS_BM25 = ("bm25", "codeact-bm25")
WITHOUT_TEXT = ("codeact-calls", "codeact-bm25")  # whose REPL does not hold it
COMPARED = ("rlm-only", "rlm")
