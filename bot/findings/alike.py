"""Whether two titles tell the same story. Pure."""

import re


def alike(one: str, other: str, share: float = 0.5) -> bool:
    """Titles that share this part of the telling words of the shorter one, by default half."""
    words, others = (set(re.findall(r"\w{4,}", title.lower())) for title in (one, other))
    return len(words & others) >= max(1.0, share * min(len(words), len(others)))
