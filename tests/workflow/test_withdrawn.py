import asyncio
from dataclasses import replace
from pathlib import Path

from bot import storage
from bot.storage import FindingOutcomes, FinishedReview, StoredFinding
from bot.values import Finding, PullRef, Source
from bot.workflow import learning

PULL = PullRef(7, 70, "owner", "name", 3)
FOUND = Finding(
    "src/a b.py", "q", "t", "w", "c", "high", "logic", (Source("analyser", "ruff"),), rule="S608", fingerprint="f1"
)
KNOWN = StoredFinding("f1", "new", "high", "logic", "worker a/b", "src/a b.py", "t")
DONE = FinishedReview("job", "sha", "push", 1, 0.0, 1.0, "neutral", "direct", 1, 1, 0.1, PULL, b"{}", (KNOWN,))


def test_a_withdrawn_finding_is_rejected_and_proposes_a_rule(tmp_path: Path) -> None:
    """In that person's words, and only if they may write; the words for our answer come once, until a comment shows them."""

    async def story() -> None:
        async with storage.open_store(f"sqlite:///{tmp_path}/db") as store:
            await store.reviews.keep(DONE)
            args = (PULL, FOUND, "ann", "it is\nchecked by the caller", "https://github.example/1", "en", store)
            assert await learning.withdrawn(*args, writes=False) == ("", 0)
            assert await store.rules.of(70) == ()
            assert await store.outcomes.of_repositories([70], 0.0) == (FindingOutcomes(70, rejected=1),)
            told, number = await learning.withdrawn(*args, writes=True)
            assert number == 1
            sentence, kind = told.split("\n\n")
            assert (
                "learning 1: `it is checked by the caller`, for claims about `=src/a b.py` (this path alone)"
                in sentence
            )
            assert "`S608` in `=src/a b.py` (this path alone)" in kind
            assert "`/deeprepo rules confirm 2`" in kind
            assert "👍" not in kind
            assert await learning.withdrawn(*args, writes=True) == (told, 1)
            await store.rules.show(70, number, 900, "review")
            assert await learning.withdrawn(*args, writes=True) == ("", 0)
            known, broader = await store.rules.of(70)
            assert (known.rule.kind, broader.rule.kind) == ("", "S608")
            assert (known.rule.text, known.how, known.state) == ("it is checked by the caller", "withdrawn", "proposed")

            assert "Nothing is silenced yet" in told
            guess = replace(FOUND, rule="", sources=(Source("model", "a/b", "worker"),))
            assert await learning.withdrawn(PULL, guess, *args[2:], writes=True) == ("", 0)  # the same sentence
            told, number = await learning.withdrawn(PULL, guess, "ann", "only in tests", *args[4:], writes=True)
            assert number == 3
            assert "S608" not in told
            assert "logic" not in told

    asyncio.run(story())
