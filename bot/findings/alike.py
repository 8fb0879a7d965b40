"""Whether two titles tell the same story. Pure."""

import re


def alike(one: str, other: str) -> bool:
    """Titles that share most of their telling words."""
    words, others = (set(re.findall(r"\w{4,}", title.lower())) for title in (one, other))
    return bool(words and others) and len(words & others) >= 0.5 * min(len(words), len(others))
