"""Whether a reply begins by rejecting a finding: "won't fix", "not a bug", "by design". Anything else is a remark, which a model answers. Pure."""

import re

from bot.commands.reading import own_lines, plain_lines

LONGEST = 300  # characters of a reason
REJECTS = re.compile(
    r"(?:(?:thanks|thank you|no|danke|gracias|merci)[,.!]*\s+)?"
    r"(?:(?:findings?\s+)?#?\d{1,4}(?:(?:,|\s+and)\s+#?\d{1,4})*(?::|\s+is|\s+are)?\s+)?"
    r"(?:(?:it|this|that|das|es|esto|ce|c')(?:'s|\s+is|\s+works|\s+ist|\s+es|est|\s+n'est)?\s*)?"
    r"(?:wo'?n'?t\s+fix|wontfix|will\s+not\s+(?:be\s+)?fix|not\s+a\s+bug|false\s+(?:positive|alarm)|by\s+design|intended|intentional|as\s+intended|on\s+purpose"
    r"|wird\s+nicht\s+behoben|kein\s+(?:fehler|bug)|fehlalarm|absicht|gewollt"
    r"|no\s+es\s+un\s+(?:error|bug)|falso\s+positivo|intencionado|a\s+propósito"
    r"|pas\s+un\s+bug|pas\s+une\s+erreur|faux\s+positif|voulu)\b",
    re.IGNORECASE,
)


def reason(body: str) -> str:
    """The writer's own words on one line, if they begin with a rejection and their first sentence asks nothing; else nothing."""
    own = " ".join(" ".join(own_lines(plain_lines(body))).replace("\u2019", "'").split())
    first = re.split(r"(?<=[.!?])\s", own, maxsplit=1)[0]
    return own[:LONGEST] if REJECTS.match(own) and not first.endswith("?") else ""
