"""The last door of the log: what looks like a secret, or is one of the server's own, is masked with stars."""

import base64
import re
from collections.abc import Callable, Iterable

STARS = "***"
SHORTEST = 6  # a shorter value is a word that stands everywhere
KEY_LINE = 32  # of a private key's body, a line of which gives part of it away
_FORMS = re.compile(
    r"""
    -----BEGIN[ A-Z0-9]*PRIVATE[ ]KEY-----.*?(?:-----END[ A-Z0-9]*PRIVATE[ ]KEY-----|\Z)
    | \b(?:gh[a-z]_|github_pat_)[A-Za-z0-9_.-]+          # GitHub's tokens, of any length
    | \beyJ(?:(?!-eyJ)[\w-]){8,}+\.[\w-]++(?:\.[\w-]*+)?  # a signed token such as the App's own
    | \bsk-[A-Za-z0-9_-]{16,}                            # of model providers
    | (?<=://)[^\s/@:]*+:[^\s/@]*+(?=@)                  # name and password in an address
    | (?i:(?<=\bbearer\s)|(?<=\bbasic\s)|(?<=\btoken\s))[A-Za-z0-9_.~+/=-]{8,}
    | (?i:(?<=[?&]token=)|(?<=[?&]code=)|(?<=[?&]state=))[^\s&"']+
    """,
    re.VERBOSE | re.DOTALL,
)


def redactor(secrets: Iterable[str]) -> Callable[[str], str]:
    """What makes a text fit for the log, given the secrets that this process knows."""
    forms = {form for secret in secrets for form in _forms(secret) if len(form) >= SHORTEST}
    ours = re.compile("|".join(map(re.escape, sorted(forms, key=len, reverse=True)))) if forms else None

    def redact(text: str) -> str:
        return _FORMS.sub(STARS, ours.sub(STARS, text) if ours else text)

    return redact


def _forms(secret: str) -> Iterable[str]:
    """The forms in which a secret may turn up: as it is, in a header of its own, line by line, as JSON writes it."""
    text = secret.strip()
    yield text
    if "\n" in text:
        yield text.replace("\n", "\\n")
        yield from (line for line in text.split("\n") if len(line) >= KEY_LINE and not line.startswith("-----"))
    else:
        yield base64.b64encode(text.encode()).decode().rstrip("=")
