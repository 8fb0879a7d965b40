import asyncio
from dataclasses import replace

from bot.storage import FinishedReview, Store, StoredFinding
from bot.values import OwnerRule, PullRef

PULL = PullRef(7, 70, "owner", "name", 3)
BESIDE = replace(PULL, number=4)
OTHER = PullRef(8, 80, "other", "name", 3)
SENTENCE = OwnerRule("/a.py", "", "Weights are checked in the form.")
FOUND = StoredFinding("f1", "new", "high", "logic", "ruff", "a.py", "Wrong sign")


def done(job: str, *findings: StoredFinding, **more: object) -> FinishedReview:
    return FinishedReview(
        job, "sha", "push", 1, 0.0, 100.0, "neutral", "offline", 0, 0, 0.0, PULL, b"{}", findings, **more
    )  # type: ignore[arg-type]


async def test_same_sentence_taught_twice_has_one_number(store: Store) -> None:
    """The same sentence, even taught concurrently or again after its removal, keeps its number."""
    rules = store.rules
    made = await asyncio.gather(
        *(rules.remember(PULL, SENTENCE, "ann", "https://github.example/1", 1.0) for _ in range(5))
    )
    assert {one.number for one in made if one} == {1}
    second = await rules.remember(BESIDE, replace(SENTENCE, path="/b.py"), "bob", "", 2.0)
    elsewhere = await rules.remember(OTHER, SENTENCE, "ann", "", 3.0)
    assert (second and second.number, elsewhere and elsewhere.number) == (2, 1)
    removed = await rules.remove(70, 1, "bob", 4.0)
    assert removed is not None
    assert [one.number for one in await rules.in_force(70)] == [2]
    await rules.remember(PULL, SENTENCE, "ann", "", 5.0)
    assert [(one.number, one.text) for one in await rules.in_force(70)] == [(1, SENTENCE.text), (2, SENTENCE.text)]
    assert await rules.remove(70, 99, "bob", 6.0) is None
