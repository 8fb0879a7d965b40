import asyncio
from collections import Counter
from dataclasses import replace

from bot.storage import FinishedReview, Store, StoredFinding
from bot.storage.findings import addressed_share
from bot.values import Dismissal, OwnerRule, PullRef

PULL = PullRef(7, 70, "owner", "name", 3)
BESIDE = replace(PULL, number=4)
OTHER = PullRef(8, 80, "other", "name", 3)
SENTENCE = OwnerRule("/a.py", "", "Weights are checked in the form.")
FOUND = StoredFinding("f1", "new", "high", "logic", "ruff", "a.py", "Wrong sign")


def done(job: str, *findings: StoredFinding, pull: PullRef = PULL, at: float = 100.0, **more: object) -> FinishedReview:
    return FinishedReview(
        job, "sha", "push", 1, 0.0, at, "neutral", "offline", 0, 0, 0.0, pull, b"{}", findings, **more
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


async def test_finding_outcomes_are_counted_per_repository_and_period(store: Store) -> None:
    """Findings count as fixed, accepted, rejected or left, per repository and period."""
    names = ("f1", "f2", "f3", "f4")
    said = [replace(FOUND, fingerprint=name) for name in names]
    await store.reviews.save(done("one", *said))
    await store.reviews.save(done("other", FOUND, pull=OTHER))
    assert await store.outcomes.of_repositories([70, 71], 0.0) == {70: {"waiting": 4}}
    for name in ("f3", "unknown"):
        await store.people.dismiss(PULL, Dismissal(name, "", "withdrawn", "ann"), 110.0)
    states = ("fixed", "fixed", "fixed", "open")
    ended = [replace(one, state=state) for one, state in zip(said, states, strict=True)]
    await store.reviews.save(done("two", *ended, at=120.0, accepted=frozenset({"f2"})))
    await store.outcomes.close(PULL, 130.0)
    found = (await store.outcomes.of_repositories([70], 0.0))[70]
    assert found == {"fixed": 1, "accepted": 1, "rejected": 1, "left": 1}
    assert addressed_share(found) == 0.5
    assert await store.outcomes.of_repositories([70], 125.0) == {70: {"left": 1}}
    every = await store.outcomes.of_repositories(None, 0.0)
    assert sum(every.values(), Counter()) == {"waiting": 1, "fixed": 1, "accepted": 1, "rejected": 1, "left": 1}
    await store.reviews.save(done("three", said[3], at=140.0))
    found = (await store.outcomes.of_repositories([70], 0.0))[70]
    assert (found["waiting"], found["left"]) == (1, 0)
    assert await store.prune(130.0 + 86_400.0, 1.0) > 0
    assert await store.outcomes.of_repositories([70], 0.0) == {70: {"waiting": 1}}
