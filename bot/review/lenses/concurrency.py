"""Ask about races, if threads, tasks, locks or transactions appear."""

from bot.review.lenses.words import asked_of, word_pattern

QUESTION = "lenses/concurrency.md.j2"
WORDS = word_pattern(
    r"\basync\b|\bawait\b|\bthread|\bmutex|\brwlock|\block(?:ed|s|ing)?\b|\.lock\(|synchronized|\batomic|\bvolatile\b|\bgo func\b"
    r"|\bgoroutine|\bchan\b|<-\s*\w|\bsemaphore|\bexecutor|\bcoroutine|\bspawn\(|\bPromise\.(?:all|race|any)|\bconcurren|\bfuture\b"
    r"|select_for_update|compare_and_s|\bshared_ptr\b|\bArc<|\bonce\b"
)
wants = asked_of(WORDS)  # The changed lines mention concurrency.
