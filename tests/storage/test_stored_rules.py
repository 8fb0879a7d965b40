import asyncio
from dataclasses import replace

from bot import storage
from bot.storage import FindingOutcomes, FinishedReview, StoredFinding
from bot.storage.rules import MOST, WAITING
from bot.values import OwnerRule, Proposal, PullRef

PULL = PullRef(7, 70, "owner", "name", 3)
BESIDE = replace(PULL, number=4)
OTHER = PullRef(8, 80, "other", "name", 3)
RULE = Proposal(OwnerRule("/a.py", "F601"), "reaction", "ann", "https://github.example/1")
FOUND = StoredFinding("f1", "new", "high", "logic", "ruff", "a.py", "Wrong sign")


def done(job: str, *findings: StoredFinding, pull: PullRef = PULL, at: float = 100.0, **more: object) -> FinishedReview:
    return FinishedReview(
        job, "sha", "push", 1, 0.0, at, "neutral", "offline", 0, 0, 0.0, pull, b"{}", findings, **more
    )  # type: ignore[arg-type]


def test_a_proposal_is_made_once(url: str) -> None:
    """However often, by whomever and at the same moment; numbers run on, and a reason that comes later is kept."""

    async def story() -> None:
        async with storage.open_store(url) as store:
            rules = store.rules
            made = await asyncio.gather(*(rules.propose(PULL, RULE, 1.0) for _ in range(5)))
            assert {one.rule.number for one in made if one} == {1}
            second = await rules.propose(BESIDE, replace(RULE, rule=OwnerRule("/b.py", "F601")), 2.0)
            assert second is not None
            assert second.rule.number == 2
            reasoned = await rules.propose(
                BESIDE, replace(RULE, who="bob", rule=OwnerRule("/a.py", "F601", "old code")), 3.0
            )
            assert reasoned is not None
            assert (reasoned.rule.text, reasoned.who, reasoned.made) == ("old code", "bob", 1.0)
            again = await rules.propose(PULL, replace(RULE, rule=OwnerRule("/a.py", "F601", "else")), 4.0)
            assert again == reasoned
            elsewhere = await rules.propose(OTHER, RULE, 5.0)
            assert elsewhere is not None
            assert elsewhere.rule.number == 1
            assert await rules.in_force(70) == ()

    asyncio.run(story())


def test_a_rule_counts_from_its_confirmation_to_its_removal(url: str) -> None:
    """Who decided is kept; what was removed is not proposed again, and can be confirmed again under its number."""

    async def story() -> None:
        async with storage.open_store(url) as store:
            rules = store.rules
            await rules.propose(PULL, RULE, 1.0)
            await rules.decide(70, 1, "confirmed", "boss", 2.0)
            await rules.decide(70, 1, "confirmed", "late", 3.0)
            (known,) = await rules.of(70)
            assert (known.state, known.decider, known.decided) == ("confirmed", "boss", 2.0)
            assert await rules.in_force(70) == (OwnerRule("/a.py", "F601", "", 1, learned=True),)
            assert await rules.decide(71, 1, "confirmed", "boss", 2.0) is None
            await rules.decide(70, 1, "removed", "ann", 4.0)
            assert await rules.of(70) == ()
            again = await rules.propose(PULL, RULE, 5.0)
            assert again is not None
            assert again.state == "removed"
            await rules.decide(70, 1, "confirmed", "boss", 6.0, path="src/**")
            assert await rules.in_force(70) == (OwnerRule("src/**", "F601", "", 1, learned=True),)

    asyncio.run(story())


def test_proposals_wait_in_their_comments(url: str) -> None:
    """The newest that were shown and are undecided, so many at most; a repository has room for so many rules."""

    async def story() -> None:
        async with storage.open_store(url) as store:
            for number in range(MOST):
                await store.rules.propose(PULL, replace(RULE, rule=OwnerRule(f"/{number}.py", "F601")), 1.0)
            assert await store.rules.propose(PULL, RULE, 1.0) is None
            assert await store.rules.waiting(70) == ()
            for number in range(1, 15):
                await store.rules.show(70, number, 900 + number, "review")
            await store.rules.decide(70, 14, "confirmed", "boss", 2.0)
            assert await store.rules.waiting(70) == tuple((n, 900 + n, "review") for n in range(13, 13 - WAITING, -1))
            await store.forget(7, (70,))
            assert await store.rules.of(70) == ()

    asyncio.run(story())


def test_how_often_a_rule_silenced_something(url: str) -> None:
    """Each finding of a pull request counts once, however many rounds there are and however often a round is stored."""

    async def story() -> None:
        async with storage.open_store(url) as store:
            await store.rules.propose(PULL, RULE, 1.0)
            silent = replace(FOUND, state="silenced")
            for job in ("one", "one", "two"):
                await store.reviews.keep(
                    done(job, silent, replace(silent, fingerprint="f2"), by_rule={"f1": 1}, at=50.0)
                )
            await store.reviews.keep(done("three", silent, pull=BESIDE, by_rule={"f1": 1}, at=60.0))
            (known,) = await store.rules.of(70)
            assert (known.silenced, known.last) == (2, 60.0)
            assert await store.outcomes.of_repositories([70], 0.0) == ()

    asyncio.run(story())


def test_what_becomes_of_findings(url: str) -> None:
    """Fixed, accepted, rejected, left; a person's rejection stands; the period and the repositories are those asked for."""

    async def story() -> None:
        async with storage.open_store(url) as store:
            names = ("f1", "f2", "f3", "f4")
            said = [replace(FOUND, fingerprint=name) for name in names]
            await store.reviews.keep(done("one", *said))
            await store.reviews.keep(done("other", FOUND, pull=OTHER))
            assert await store.outcomes.of_repositories([70, 71], 0.0) == (FindingOutcomes(70, waiting=4),)
            await store.outcomes.reject(PULL, "f3", 110.0)
            await store.outcomes.reject(PULL, "unknown", 110.0)
            states = ("fixed", "fixed", "fixed", "open")
            ended = [replace(one, state=state) for one, state in zip(said, states, strict=True)]
            await store.reviews.keep(done("two", *ended, at=120.0, accepted=frozenset({"f2"})))
            await store.outcomes.close(PULL, 130.0)
            (found,) = await store.outcomes.of_repositories([70], 0.0)
            assert found == FindingOutcomes(70, fixed=1, accepted=1, rejected=1, left=1)
            assert found.share == 0.5
            assert await store.outcomes.of_repositories([70], 125.0) == (FindingOutcomes(70, left=1),)
            whole = FindingOutcomes.together(await store.outcomes.of_repositories(None, 0.0))
            assert whole == FindingOutcomes(0, waiting=1, fixed=1, accepted=1, rejected=1, left=1)
            await store.reviews.keep(done("three", said[3], at=140.0))
            (found,) = await store.outcomes.of_repositories([70], 0.0)
            assert (found.waiting, found.left) == (1, 0)
            assert await store.prune(130.0 + 86_400.0, 1.0) > 0
            assert await store.outcomes.of_repositories([70], 0.0) == (FindingOutcomes(70, waiting=1),)

    asyncio.run(story())


def test_nothing_decided_is_no_share() -> None:
    """Findings of open pull requests say nothing yet."""
    assert FindingOutcomes(1, waiting=3).share is None
