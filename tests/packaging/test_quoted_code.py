"""Code of the project that its own benchmarks quote: a rename would leave them without the line that they change."""

from pathlib import Path

from benchmarks import conversation

ROOT = Path(__file__).parents[2]


def test_the_conversation_quotes_lines_that_exist() -> None:
    """`make bench-conversation` changes one line of the budget, and its finding quotes another as evidence."""
    held = (ROOT / conversation.CHANGED).read_text(encoding="utf-8")
    assert held.count(conversation.BEFORE) == 1
    assert all(
        evidence.quote in (ROOT / evidence.path).read_text(encoding="utf-8")
        for evidence in conversation.FINDING.evidence
    )
