"""Build a finding in the form in which a model reports it."""

from typing import Any


def reported(path: str, quote: str, line: int, title: str, **others: object) -> dict[str, Any]:
    """Return all required fields. Those that a test doesn't set have default values."""
    words = {
        "why": "It was so.",
        "consequence": "It fails.",
        "trigger": "f(1)",
        "severity": "high",
        "category": "logic",
    }
    return {"path": path, "quote": quote, "line": line, "title": title, **words, "evidence": [], "suggestion": None} | others  # fmt: skip
