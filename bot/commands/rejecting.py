"""Whether a reply in plain words rejects a finding: "won't fix", "not a bug", "by design", in the languages that comments have. Pure.

A sentence counts if it begins with that, asks, conditions and reports nothing, and does not deny it. Quotes and code are somebody else's words.
"""

import re

from bot.commands.statements import asks, is_conditional, reports, sentences

MOST, MOST_WORDS, LONGEST = 2_000, 6, 300  # characters looked at, words before the rejection, characters of a reason
_SAYS = re.compile(
    r"\b(?:wo'?n'?t|will not|not going to|no need to) (?:be )?fix(?:ed|ing)?\b|\bwontfix\b"
    r"|\b(?:not a|isn't a|is no|no) (?:bug|defect|problem|issue)\b|\bfalse positive\b|\bfalse alarm\b"
    r"|\b(?:by|as) design(?:ed)?\b|\bworks? as intended\b|\b(?:this|that|it) ?(?:'s|is) (?:intended|intentional|deliberate|on purpose)\b"
    r"|\bkein (?:bug|fehler|problem)\b|\bfehlalarm\b|\bwird nicht (?:behoben|gefixt)\b|\b(?:so gewollt|mit absicht|absichtlich)\b"
    r"|\bno es un (?:error|bug|problema)\b|\bfalso positivo\b|\bno se (?:va a arreglar|arreglará|corregirá)\b|\b(?:por diseño|a propósito|es intencionado)\b"
    r"|\b(?:pas un bug|pas une erreur|pas un problème)\b|\bfaux positif\b|\bne sera pas corrigé\b|\b(?:par conception|c'est voulu|fait exprès)\b",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:not|never|\w+n't|if|unless|whether|maybe|why|but|nicht|wenn|falls|ob|aber|no|si|pero|pas|mais)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"`[^`\n]*`")
_PARTS = re.compile(r"(?<=;)\s+|\n+")


def reason(body: str) -> str:
    """The whole reply on one line, if a sentence of it rejects the finding; else nothing."""
    own = [sentence for block in sentences(body[:MOST]) for sentence in block]
    if not any(_rejects(sentence) for sentence in own):
        return ""
    return " ".join(" ".join(own).split())[:LONGEST]


def _rejects(sentence: str) -> bool:
    plain = _CODE.sub(" ", sentence)
    return not asks(plain) and not is_conditional(plain) and any(map(_begins, _PARTS.split(plain)))


def _begins(part: str) -> bool:
    match = _SAYS.search(part)
    before = part[: match.start()] if match else ""
    return match is not None and len(before.split()) <= MOST_WORDS and not _DOUBT.search(before) and not reports(before)
