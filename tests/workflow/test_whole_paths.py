"""`triggers.paths` skips a change only if it certainly touches none of these paths."""

import asyncio
from collections.abc import Awaitable, Callable

import histories
import pytest
from families import few
from whole import BASE, WORSE, Whole

PATHS = "fail_on: high\ntriggers: {paths: ['shop/**']}\n"


def newest(at: Whole, number: int) -> tuple[str | None, str]:
    """Return the conclusion and the title of the newest check."""
    last = max(at.gh.pull(number).checks, key=lambda one: one.id)
    return last.conclusion, last.title or ""


def drawn(name: str) -> Callable[[Whole], Awaitable[None]]:
    """Return a function that draws the history with this name."""

    async def draw(at: Whole) -> None:
        rows = (histories.SEVERAL_BASES | histories.ONE_BASE)[name]
        await asyncio.to_thread(histories.draw, at.repo.repository.git, rows)

    return draw


REVIEWED = {"several merge bases": drawn("crossed, with the other parent first")}


async def merged_in(at: Whole) -> None:
    """Merge main, which changes these paths repeatedly, into the feature branch twice."""
    steps: tuple[histories.Row, ...] = tuple(("main", ("main",), {"shop/step.py": f"{n}\n"}) for n in range(30))
    last: dict[str, str | None] = {"shop/step.py": "29\n"}
    rows: tuple[histories.Row, ...] = (
        ("feature", ("main",), histories.NEWS),
        *steps,
        ("feature", ("feature", "main"), last),
        *steps,
        ("feature", ("feature", "main"), {**last, "NEWS.md": "Two.\n"}),
    )
    await asyncio.to_thread(histories.draw, at.repo.repository.git, rows)


LEFT_OUT = {"the main branch merged in": merged_in}


FIRST = "request_changes: high\n"


async def draft(at: Whole, number: int) -> None:
    """Convert to a draft, and wait until running jobs have stopped."""
    await at.repo.set_draft(number, draft=True)
    await at.quiet()


async def nothing(_at: Whole, _number: int) -> None:
    """Do nothing, because the settings alone exclude the push."""


RULES: dict[str, tuple[str, Callable[[Whole, int], Awaitable[None]]]] = {
    "paths": ("triggers: {paths: ['shop/**']}\n", nothing),
    "draft": ("", draft),
    "events": ("triggers: {events: [opened]}\n", nothing),
}


@pytest.mark.parametrize("rule", few(RULES, 2))
async def test_earlier_review_is_dismissed_even_if_the_push_is_excluded(at: Whole, rule: str) -> None:
    """The request for changes is dismissed and threads are resolved, but the head counts as not reviewed."""
    settings, exclude = RULES[rule]
    await at.repo.commit("main", {".deeprepo.yml": FIRST + settings})
    number = await at.reviewed(files={**WORSE, "docs/a.md": "a\n"})
    assert [review.state for review in at.gh.pull(number).reviews] == ["CHANGES_REQUESTED"]
    await exclude(at, number)
    await at.pushed({"shop/price.py": BASE["shop/price.py"], "docs/a.md": "b\n"})
    pull = at.gh.pull(number)
    assert pull.reviews[0].state == "DISMISSED"
    assert all(one.is_resolved for one in pull.review_comments if one.reply_to is None)
    assert "⚠️ Not checked: " in at.summary(number).partition("\n\n")[0]
    ending, title = newest(at, number)
    assert ending == "neutral"
    assert "Not reviewed" in title


async def test_excluded_head_is_never_called_clean(at: Whole) -> None:
    """A push fixes the findings but adds an unreviewed fault: the summary does not say "no findings"."""
    await at.repo.commit("main", {".deeprepo.yml": FIRST})
    number = await at.reviewed(files=WORSE)
    await draft(at, number)
    await at.pushed({"shop/price.py": BASE["shop/price.py"], "shop/new.py": "def f():\n    return missing_name\n"})
    summary = at.summary(number)
    assert "✅" not in summary
    assert "⚠️ Not checked: 1 changed code region" in summary
    assert "This commit was not reviewed: it is a draft" in summary
    assert "shop/new.py" not in summary.partition("<details>")[0]
