"""A finding as a scripted model reports it."""

from typing import Any


def reported(path: str, quote: str, line: int, title: str, **others: object) -> dict[str, Any]:
    """All fields that a model has to fill in: those that a test does not name are plain."""
    words = {
        "why": "It was so.",
        "consequence": "It fails.",
        "trigger": "f(1)",
        "severity": "high",
        "category": "logic",
    }
    return {"path": path, "quote": quote, "line": line, "title": title, **words, "evidence": [], "claims": [], "suggestion": None} | others  # fmt: skip
