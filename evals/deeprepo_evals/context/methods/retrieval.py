"""BM25: the passages that share most with the question, in one call."""

from importlib.util import find_spec

from bot.errors import UsageError
from deeprepo_evals.context.methods.method_answer import MethodAnswer, answer_from
from deeprepo_evals.context.room import Room

PASSAGE, MOST = 1_000, 20  # characters of a passage, passages in the prompt


def available() -> bool:
    """Whether its library is installed."""
    return find_spec("bm25s") is not None


def demand() -> None:
    """Raise UsageError where it is not."""
    if not available():
        raise UsageError("the method bm25 needs bm25s: install deeprepo-evals, or leave it out with --method")


async def run(room: Room) -> MethodAnswer:
    """The best passages in the order of the text. Raises UsageError where the library is not installed."""
    demand()
    import bm25s

    passages = _passages(room.problem.text)
    index = bm25s.BM25()
    index.index(bm25s.tokenize(passages, show_progress=False), show_progress=False)
    asked = bm25s.tokenize(room.problem.question, show_progress=False)
    found, _ = index.retrieve(asked, k=min(MOST, len(passages)), show_progress=False)
    best = sorted(int(number) for number in found[0])
    room_for = room.window // PASSAGE
    return await answer_from(room, {f"passage {at + 1} of {len(passages)}": passages[at] for at in best[:room_for]})


def _passages(text: str) -> list[str]:
    """The text in passages that end at line ends."""
    passages, start = [], 0
    while start < len(text):
        cut = text.rfind("\n", start, start + PASSAGE) + 1 if start + PASSAGE < len(text) else len(text)
        end = cut if cut > start else start + PASSAGE
        passages.append(text[start:end])
        start = end
    return passages
