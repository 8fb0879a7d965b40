"""Code without its comments and strings, for what no query tells yet."""

import re

from bot.text.lines import without_mark

KEPT = re.compile(rb"[^\r\n]")
# An open comment or string runs to the end, so that every byte is read once.
NOISE = re.compile(
    rb"//[^\n]*|/\*(?:.*?\*/|.*)|\"\"\"(?:.*?\"\"\"|.*)|@\"(?:[^\"]|\"\")*\"?|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)


def blank(source: bytes, *, templates: bool = False) -> bytes:
    """The code with its comments, strings and byte order mark blanked out; lines and columns stay. `templates`: strings that hold code stay."""

    def out(match: re.Match[bytes]) -> bytes:
        is_template = templates and b"$" in match[0] and not match[0].startswith(b"/")
        return match[0] if is_template else KEPT.sub(b" ", match[0])

    code = NOISE.sub(out, source)
    rest = without_mark(code)
    return b" " * (len(code) - len(rest)) + rest
