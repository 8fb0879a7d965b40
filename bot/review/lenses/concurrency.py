"""Can two of these run at once? Asked where threads, tasks, locks or transactions appear."""

from bot.review.lenses.words import is_about, word_pattern
from bot.values import ChangedFile, Unit

QUESTION = "lenses/concurrency.md.j2"
WORDS = word_pattern(
    r"\basync\b|\bawait\b|\bthread|\bmutex|\brwlock|\block(?:ed|s|ing)?\b|\.lock\(|synchronized|\batomic|\bvolatile\b|\bgo func\b"
    r"|\bgoroutine|\bchan\b|<-\s*\w|\bsemaphore|\bexecutor|\bcoroutine|\bspawn\(|\bPromise\.(?:all|race|any)|\bconcurren|\bfuture\b"
    r"|select_for_update|compare_and_s|\bshared_ptr\b|\bArc<|\bonce\b"
)


def wants(unit: Unit, file: ChangedFile) -> bool:  # noqa: ARG001 - the code says enough
    """The changed lines speak of things that run side by side."""
    return is_about(unit, WORDS)
