"""What becomes of findings over the rounds of one pull request: each keeps its number, its quote and its evidence while it is open."""

import re
from pathlib import Path

import pytest
from unprompted import unprompted
from whole import BROKEN, WORSE, Whole, whole

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply

QUOTE = "return total(items, 0.2)"
# A finding's heading, or its one line when a comment in the diff tells the rest.
TOLD = re.compile(r"^(?:#### 🔴 |- 🔴 \*\*)High · (\d+)\. ([^*\n]+)", re.MULTILINE)
NAMELESS = {"shop/name.py": "def name():\n    return first_name\n"}


def titles(at: Whole, number: int) -> list[str]:
    """The annotations of the newest check run."""
    return sorted(row["title"] for row in at.gh.pull(number).checks[-1].annotations)


async def test_an_open_finding_keeps_number_quote_and_evidence(at: Whole) -> None:
    """In the round after a push that has nothing to do with it: in the summary, in the check run, and for commands."""
    number = await at.reviewed()
    await at.pushed({"NEWS.md": "one\n"})
    summary = unprompted(at.summary(number))

    assert "1 finding (1 high)" in summary
    assert "No new findings." in summary
    assert QUOTE in summary
    assert "shop/price.py:1`]" in summary  # its evidence
    assert "High · 1. " in summary
    assert [title[:10] for title in titles(at, number)] == ["High · 1. "]
    assert QUOTE in await at.said(number, "/deeprepo explain 1")


@pytest.mark.slow
async def test_a_full_review_repeats_everything_that_is_open(at: Whole) -> None:
    """What an earlier round has found is told as it was then, under the same number, and its comment is not written twice."""
    number = await at.reviewed(files=WORSE)
    first = at.summary(number)
    await at.pushed({"NEWS.md": "one\n"})
    await at.said(number, "/deeprepo full review")
    full = at.summary(number)

    told = TOLD.findall(first)
    assert [number for number, _ in told] == ["1", "2"]
    assert TOLD.findall(full) == told
    assert unprompted(full).count(QUOTE) == 1
    assert len(at.gh.pull(number).review_comments) == 1


@pytest.mark.slow
async def test_a_number_is_never_given_to_another_finding(at: Whole) -> None:
    """The number of what was fixed stays empty, what is new gets the next one, what comes back has its own; a force push changes nothing."""
    number = await at.reviewed(files=WORSE)
    one, two = titles(at, number)
    await at.pushed({**BROKEN, **NAMELESS})
    after = titles(at, number)
    await at.pushed(WORSE)
    again = titles(at, number)
    await at.repo.force_push("feature", {**WORSE, **NAMELESS, "NEWS.md": "one\n"})
    await at.quiet()

    kept = one if "undefined" not in one and "rounding" not in one else two
    assert len(after) == 2
    assert kept in after
    assert any(title.startswith("High · 3. `first_name`") for title in after)
    assert set(again) == {one, two, *after}
    assert "review 2" not in at.summary(number)
    assert titles(at, number) == again


@pytest.mark.slow
async def test_a_refused_key_is_said_before_all_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Headline of the summary, first words of the check run: the problem and what to do; what code has found stands below."""
    async with doubles.openai_server(Reply("no", status=401)) as model:
        monkeypatch.setenv("DEEPREPO_WORKER", "openai/reader")
        monkeypatch.setenv("DEEPREPO_BASE_URL", model.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended")
        async with whole(tmp_path) as at:
            number = await at.reviewed()
            check, summary = at.gh.pull(number).checks[-1], at.summary(number)

            assert summary.split("\n")[1] == "## deeprepo: ⚠️ Wrong key or model: no model reviewed this change"
            assert summary.split("\n")[3].startswith("**openai refused the key (status 401). Check that it is set")
            assert summary.count("refused the key") == 1
            assert QUOTE in summary
            assert (check.title or "").startswith(
                "Wrong key or model, so no model reviewed this change: openai refused the key (status 401)"
            )
            assert check.conclusion == "neutral"


async def test_a_review_with_an_old_finding_is_not_counted_as_clean(at: Whole) -> None:
    """The list and the counters say what its check says."""
    await at.reviewed()
    await at.pushed({"NEWS.md": "one\n"})
    counted = at.server.metrics.tell({}, {}).decode()
    assert [row.state for row in (await at.server.store.listing.page(None, 9)).rows] == ["findings", "findings"]
    assert 'deeprepo_reviews_total{conclusion="findings"} 2.0' in counted
