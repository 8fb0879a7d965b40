from pathlib import Path

from bot import config
from bot.findings import rank
from bot.values import Verdict

PAGE = (Path(__file__).parents[2] / "docs/using.md").read_text()


def test_the_page_holds_the_numbers_of_the_code() -> None:
    """The page names the numbers of `bot.findings.rank` and of the verdicts."""
    levels = ", ".join(str(rank.SEVERITY[name]) for name in ("critical", "high", "medium", "low"))
    assert f"| proven by code | {Verdict.PROVEN.points} |" in PAGE
    assert f"with a concrete trigger | {Verdict.CONFIRMED.points} |" in PAGE
    assert f"in a further file | {rank.ELSEWHERE} |" in PAGE
    assert f"source reports the same | {rank.AGREEMENT} |" in PAGE
    assert f"| critical, high, medium, low | {levels} |" in PAGE
    assert f"**Quota**: {config.DEFAULTS['quota']} findings" in PAGE
