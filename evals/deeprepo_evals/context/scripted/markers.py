"""What is between the markers of a prompt, and the question behind it. Pure."""

import re

_PASSAGE = re.compile(r"^--- (.+?) ---\n(.*?)\n?^--- end ---$", re.MULTILINE | re.DOTALL)
_QUESTION = re.compile(r"^(?:(?:Question|Task)[^:\n]*: )?((?:What|Which|How often|In the lines) .+\?)$", re.MULTILINE)


def passages(text: str) -> dict[str, str]:
    """The sections of a prompt by their labels."""
    return dict(_PASSAGE.findall(text))


def question(text: str) -> str:
    """The question, which is outside of every section; "" if the prompt has no question."""
    found = _QUESTION.search(_PASSAGE.sub("", text))
    return found[1] if found else ""
