"""What the root's first message lists of references that were only matched by name."""

from bot import config
from bot.brief import Brief
from bot.review.agent import seed
from bot.review.coverage import CoverageTracker
from bot.review.session import Session
from bot.review.survey import Survey
from bot.values import Dependents, PullRequest, Reference
from deeprepo.impact.structs import replace
from deeprepo.impact.values import Arguments

SURE = Reference("a.py:Cart.total", "total", "b.py", 3, "    cart.total()", "f", None, "bound", arguments=Arguments())
GUESS = replace(SURE, connection="name", path="c.py", text="    thing.total()")


def told(*references: Reference) -> str:
    pull = PullRequest("t", "", "1" * 40, "2" * 40, "main", "topic", "/nowhere")
    brief, users = Brief(pull, config.resolve({}, None, config.Settings())), Dependents(references=references)
    survey = Survey(brief, (), (), users, None, CoverageTracker((), (), users))
    return seed.gather(Session(survey, None, None, None, None), alone=False)


def test_references_matched_only_by_name_are_omitted() -> None:
    """Lines matched only by name are omitted: they led to no finding and hid the ones that mattered."""
    rows = [replace(GUESS, line=line) for line in range(1, 10)]
    text = told(replace(GUESS, path="b_test.py", test=True), *rows, replace(GUESS, name="sum_up"), SURE)
    assert "- b.py:3 in f: cart.total()" in text
    assert "c.py" not in text
    assert "b_test.py" not in text


def test_line_is_listed_once_and_lock_files_are_omitted() -> None:
    """Only the strongest reference of a line is listed, and names in lock files are not."""
    text = told(
        SURE,
        replace(SURE, name="Cart", arguments=None),
        replace(GUESS, connection="probable", path="uv.lock", text="total"),
    )
    assert text.count("b.py:3") == 1
    assert "uv.lock" not in text
