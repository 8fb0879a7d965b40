"""Ask about failures and cleanup, if errors are handled or resources are opened."""

from bot.review.lenses.words import asked_of, word_pattern

QUESTION = "lenses/errors.md.j2"
WORDS = word_pattern(
    r"\btry\b|\bexcept\b|\bcatch\b|\bfinally\b|\braise\b|\bthrow\b|\berr\s*!=\s*nil|\bunwrap\(|\?\s*;|\bResult<|\bdefer\b|\bpanic\b"
    r"|\bopen\(|\bclose\(|\bwith\s|\bsocket|\bconnect\(|\btimeout|\bretry|\bstream|\bfd\b|\bmalloc\b|\bfree\(|\brelease\(|\bdispose"
    r"|\bcleanup|\bon\(['\"]error"
)
wants = asked_of(WORDS)  # The changed lines raise, catch, open or close something.
