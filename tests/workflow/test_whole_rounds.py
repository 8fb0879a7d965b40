"""An open finding keeps its number, quote and evidence over all reviews of a pull request."""

import re
from pathlib import Path

import pytest
from unprompted import unprompted
from whole import BROKEN, WORSE, Whole, whole

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply

QUOTE = "return total(items, 0.2)"
# A finding's heading, or its single line if a comment in the diff has the details.
TOLD = re.compile(r"^(?:#### 🔴 |- 🔴 \*\*)High · (\d+)\. ([^*\n]+)", re.MULTILINE)
NAMELESS = {"shop/name.py": "def name():\n    return first_name\n"}


def titles(at: Whole, number: int) -> list[str]:
    """Return the titles of the newest check run's annotations, sorted."""
    return sorted(row["title"] for row in at.gh.pull(number).checks[-1].annotations)


async def test_open_finding_keeps_its_number_quote_and_evidence(at: Whole) -> None:
    """After an unrelated push, a finding is unchanged in the summary, the check run and for commands."""
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
async def test_full_review_repeats_all_open_findings(at: Whole) -> None:
    """Earlier findings are repeated unchanged with the same number, without a second comment in the diff."""
    number = await at.reviewed(files=WORSE)
    first = at.summary(number)
    await at.pushed({"NEWS.md": "one\n"})
    await at.said(number, "/deeprepo full review")
    full = at.summary(number)

    told = TOLD.findall(first)
    assert [number for number, _ in told] == ["1", "2"]
    assert TOLD.findall(full) == told
    assert [QUOTE in one.body for one in at.gh.pull(number).review_comments] == [True, False]


@pytest.mark.slow
async def test_finding_number_is_never_reused(at: Whole) -> None:
    """A fixed finding's number is not reused and is restored if it returns, even after a force push."""
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
async def test_refused_key_is_reported_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The summary and the check run start with the problem and what to do; static findings follow below."""
    async with doubles.openai_server(Reply("no", status=401)) as model:
        monkeypatch.setenv("DEEPREPO_WORKER", "openai/reader")
        monkeypatch.setenv("DEEPREPO_BASE_URL", model.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended")
        async with whole(tmp_path) as at:
            number = await at.reviewed()
            check, summary = at.gh.pull(number).checks[-1], at.summary(number)

            assert summary.split("\n")[1] == "## deeprepo: ⚠️ Wrong key or model, so no model reviewed this change"
            assert summary.split("\n")[3].startswith("**openai refused the key (status 401). Check that it is set")
            assert summary.count("refused the key") == 1
            assert QUOTE in summary
            assert (check.title or "").startswith(
                "Wrong key or model, so no model reviewed this change: openai refused the key (status 401)"
            )
            assert check.conclusion == "neutral"
