"""Find anything in a comment that GitHub would act on."""

import re

from markdown_it import MarkdownIt

SEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u3164\u115f\U000e0000-\U000e01ef]")  # fmt: skip
TAGS = re.compile(r"<(?!/?(h2|h3|h4|b|p|em|strong|table|thead|tbody|tr|th|td|ul|li|br|sub|details|summary|blockquote|hr)\b)[^>]*>?")  # fmt: skip
LIVE = re.compile(r"@\w|#\d|GH-\d|https?://|\bwww\.|:[a-z_+]+:|<li>\s*(<p>)?\[[ xX]\]")
COMMAND = re.compile(r"^\s*[/!]\w", re.MULTILINE)


def harm(page: str) -> str | None:
    """Return the first text that GitHub acts on: HTML, mention, link, reference, task or command."""
    html = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(page)
    outside = re.sub(r"<(code|pre)[^>]*>.*?</\1>", "", html, flags=re.DOTALL)
    words = re.sub(r"&#8203;|\u200b", "\0", re.sub(r"<!-- deeprepo:.*? -->", "", outside))
    found = TAGS.search(words) or LIVE.search(words) or COMMAND.search(_unfenced(page))
    return found[0] if found else None


def _unfenced(page: str) -> str:
    """Return the page without its fenced code blocks, where no line is a command."""
    return re.sub(r"^(`{3,})[^\n]*\n.*?^\1$", "", page, flags=re.DOTALL | re.MULTILINE)
