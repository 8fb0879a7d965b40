import asyncio
from collections import Counter
from dataclasses import replace

from bot.storage import FinishedReview, Store, StoredFinding
from bot.storage.findings import addressed_share
from bot.values import Dismissal, OwnerRule, Proposal, PullRef

PULL = PullRef(7, 70, "owner", "name", 3)
BESIDE = replace(PULL, number=4)
OTHER = PullRef(8, 80, "other", "name", 3)
RULE = Proposal(OwnerRule("/a.py", "F601"), "reaction", "ann", "https://github.example/1")
FOUND = StoredFinding("f1", "new", "high", "logic", "ruff", "a.py", "Wrong sign")


def done(job: str, *findings: StoredFinding, pull: PullRef = PULL, at: float = 100.0, **more: object) -> FinishedReview:
    return FinishedReview(
        job, "sha", "push", 1, 0.0, at, "neutral", "offline", 0, 0, 0.0, pull, b"{}", findings, **more
    )  # type: ignore[arg-type]


async def test_duplicate_proposals_share_one_number(store: Store) -> None:
    """Duplicate proposals, even concurrent ones, share one number; a reason added later is stored."""
    rules = store.rules
    made = await asyncio.gather(*(rules.propose(PULL, RULE, 1.0) for _ in range(5)))
    assert {one.rule.number for one in made if one} == {1}
    second = await rules.propose(BESIDE, replace(RULE, rule=OwnerRule("/b.py", "F601")), 2.0)
    assert second is not None
    assert second.rule.number == 2
    reasoned = await rules.propose(BESIDE, replace(RULE, who="bob", rule=OwnerRule("/a.py", "F601", "old code")), 3.0)
    assert reasoned is not None
    assert (reasoned.rule.text, reasoned.who, reasoned.made) == ("old code", "bob", 1.0)
    again = await rules.propose(PULL, replace(RULE, rule=OwnerRule("/a.py", "F601", "else")), 4.0)
    assert again == reasoned
    elsewhere = await rules.propose(OTHER, RULE, 5.0)
    assert elsewhere is not None
    assert elsewhere.rule.number == 1
    assert await rules.in_force(70) == ()


async def test_finding_outcomes_are_counted_per_repository_and_period(store: Store) -> None:
    """Findings count as fixed, accepted, rejected or left, per repository and period."""
    names = ("f1", "f2", "f3", "f4")
    said = [replace(FOUND, fingerprint=name) for name in names]
    await store.reviews.save(done("one", *said))
    await store.reviews.save(done("other", FOUND, pull=OTHER))
    assert await store.outcomes.of_repositories([70, 71], 0.0) == {70: {"waiting": 4}}
    for name in ("f3", "unknown"):
        await store.people.dismiss(PULL, Dismissal(name, "", "reaction", "ann"), 110.0)
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
