"""Ask about external compatibility, if routes, public interfaces, settings or formats change."""

from bot.review.lenses.words import is_about, word_pattern
from bot.values import ChangedFile, Unit

QUESTION = "lenses/api.md.j2"
PATHS = word_pattern(
    r"openapi|swagger|\.proto$|\.graphql$|\.d\.ts$|(^|/)(?:api|routes?|endpoints?|public)(/|\.)|(^|/)__init__\.py$|(^|/)cli(/|\.)"
)
WORDS = word_pattern(
    r"@(?:app|router|api)\.(?:get|post|put|patch|delete|route)|\bjsonify|res\.(?:json|send|status)\(|\bdeprecat|\bpublic\s++\w.{0,200}\("
    r"|@(?:Get|Post|Put|Delete|Request)Mapping|add_argument\(|environ|process\.env|\bpub fn\b|\bexport (?:default|function|class|const|interface|type)\b"
)


def wants(unit: Unit, file: ChangedFile) -> bool:
    """Return whether a public interface loses or changes lines. Pure additions break nothing."""
    return bool(file.removed_lines) and is_about(unit, WORDS, PATHS)
