"""Ask about attacks, if the code handles input, secrets, permissions or commands."""

from bot.review.lenses.words import asked_of, word_pattern

QUESTION = "lenses/security.md.j2"
WORDS = word_pattern(
    r"password|passwd|secret|credential|api_?key|\btoken(?!iz)|\bauth|permission|privilege|\bsession|\bcookie|\bcsrf|\bcors\b|\bjwt\b"
    r"|\bhmac|encrypt|decrypt|\bcrypt|\bcipher|certificate|\bverify(?:_ssl|=)|subprocess|os\.system|\bexec\(|\beval\(|shell=|pickle"
    r"|yaml\.load|innerHTML|dangerously|v-html|\{\{\{|\bsafe\b\s*\}|mark_safe|\bsanitiz|\bescape|\bredirect|\.\./|path\.join\(|\bupload"
    r"|raw\(|execute\(|unsafe\b|getRuntime"
)
PATHS = word_pattern(r"auth|login|permission|security|crypt|session|token|payment")
wants = asked_of(WORDS, PATHS)  # The changed lines or the path are relevant to an attacker.
