"""Remove the prompts for coding agents from a comment; they repeat every finding."""

import re

_PROMPT = re.compile(r"\n<details>\n<summary>[^\n]*</summary>\n\n(`{3,})text\n.*?\n\1\n\n</details>\n", re.DOTALL)


def unprompted(page: str) -> str:
    """Return the page without these prompts."""
    return _PROMPT.sub("", page)
