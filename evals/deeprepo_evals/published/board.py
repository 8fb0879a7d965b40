"""The board of ReviewBench as others have quoted it: numbers alone, and what keeps them from being compared with a run of one's own."""

# Reviewer, judge, precision, recall and F1 against the labels, F1 with what the judge took for true besides, in per cent.
ROWS = (
    ("Copilot code review, Balanced", "Claude Sonnet 5", 87.8, 26.0, 40.1, 49.7),
    ("Devin AI", "Claude Sonnet 5", 84.0, 23.8, 37.1, 47.3),
    ("Qodo", "Claude Sonnet 5", 85.3, 22.1, 35.1, 44.5),
    ("Codex GPT-5.6 Sol, ultra", "Claude Sonnet 4.6", 87.0, 19.9, 32.4, 43.2),
    ("Copilot code review, Lite", "Claude Sonnet 4.6", 83.8, 17.2, 28.5, 37.2),
    ("Cubic", "Claude Sonnet 4.6", 85.5, 16.3, 27.4, 37.4),
    ("Cursor", "Claude Sonnet 5", 87.7, 9.6, 17.3, 21.7),
    ("Codex GPT-5.6 Terra, low", "Claude Sonnet 4.6", 88.5, 5.7, 10.7, 13.0),
)
HEAD = ("published (5 October 2026)", "judge", "precision", "recall", "F1", "augmented F1")
WHY = (
    "Not comparable with the figures above: the board is about all 219 pull requests, most rows are the mean of three runs, the judge is another"
    " and reads the repository with tools, it does not say whether its shares are over findings or means over pull requests,"
    " and most labels are what Copilot code review and one other model once found."
)


def lines() -> list[tuple[str, ...]]:
    """The rows as text."""
    return [
        (name, judge, *(f"{share / 100:.2f}" if share else "-" for share in shares)) for name, judge, *shares in ROWS
    ]
