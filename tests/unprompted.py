"""A comment without its prompts for coding agents, which repeat every finding."""

import re

_PROMPT = re.compile(r"\n<details>\n<summary>[^\n]*</summary>\n\n(`{3,})text\n.*?\n\1\n\n</details>\n", re.DOTALL)


def unprompted(page: str) -> str:
    """The page without them."""
    return _PROMPT.sub("", page)
