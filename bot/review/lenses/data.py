"""Ask about stored data and caches, if schemas, migrations, queries or storage formats change."""

from bot.review.lenses.words import asked_of, word_pattern

QUESTION = "lenses/data.md.j2"
PATHS = word_pattern(r"(^|/)migrations?/|(^|/)alembic/|schema|\.sql$|\.prisma$|(^|/)models?(/|\.py$)")
WORDS = word_pattern(
    r"\b(?:create|alter|drop)\s+(?:table|index|column)|\b(?:insert\s+into|delete\s+from|update\s++\w++\s++set|select\s.{1,300}?\sfrom)\b"
    r"|add_column|remove_column|\bon_delete\b|\.objects\.|\bbulk_|\bcommit\(|rollback|\btransaction|\bserializ|\bdeserializ|pickle"
    r"|\bcache(?:d|_key|Key)?\b|localStorage|\bTTL\b|\bpersist"
)
wants = asked_of(WORDS, PATHS)  # The changed lines or the path concern stored data.
