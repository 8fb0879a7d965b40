"""The changed line that an error in a log comes from: one that the log names, or the definition of a name that the change altered."""

import re
from collections.abc import Iterator, Sequence

from bot.masking.masks import Masks
from bot.review.ci.logs import LINE, LogError, first_error, is_exit, one_line
from bot.text import lines
from bot.text.paths import is_test
from bot.values import ChangedFile, CIFailure, CIJobLog, DiffLine, Side

Place = tuple[str, int, Side]
MOST_NAMES = 12  # of one error that are looked for in the change
MOST_TOKENS, MOST_HITS, BESIDE, MOST_LEARNED = 60, 6, 12, 128 << 10  # of a log in which secrets are looked for
_TOKEN = re.compile(r"[^\s\"'`=:,;()\[\]{}<>]{6,200}")
_QUOTED = re.compile(r"[\"'`\u2018-\u201d]([\w$.:@/-]{2,80})[\"'`\u2018-\u201d]")
_CALLED = re.compile(r"(?<![\w$])([A-Za-z_$][\w$]{1,80})\(\)")  # `total() takes 1 argument`
_WORD = re.compile(r"[A-Za-z_$][\w$]{2,80}")
_CODE = re.compile(r"_|\d|[a-z][A-Z]")  # of a word that is no word of a language


def explain(log: CIJobLog, files: Sequence[ChangedFile]) -> CIFailure:
    """Find out what a job failed of. Secrets are masked: what the log has around the words of the error tells what is one."""
    error = _error(log)
    place = trace(error, files) if error is not None else None
    path, line, side = place or ("", 0, "head")
    message = error.message if error else ""
    job = CIFailure(log.id, log.name, log.ending, message, path, line, side, log.on_base, log.log)
    masks = Masks()
    masks.learn(_around(log.text, f"{log.name} {message}"))
    masks.learn("\n".join((log.name, *(text for text, _, _ in log.notes))))
    return masks.cover(job, guesses=True)


def _around(text: str, message: str) -> str:
    """The lines of a log that hold a word of what is shown, with those beside them: a secret of which nothing is shown needs no mask."""
    words = tuple(dict.fromkeys(_TOKEN.findall(message)))[:MOST_TOKENS]
    rows = text.split("\n")
    hits: set[int] = set()
    for word in words:
        of_word = [at for at, row in enumerate(rows) if word in row[:LINE]]
        hits.update(of_word[:MOST_HITS], of_word[-MOST_HITS:])
    near = sorted({one for at in hits for one in range(at - BESIDE, at + BESIDE + 1)} & set(range(len(rows))))
    return "\n".join(rows[at][:LINE] for at in near)[:MOST_LEARNED]


def _error(log: CIJobLog) -> LogError | None:
    """The first error among the annotations that states more than an exit, else the one of the log."""
    for text, path, line in log.notes:
        message = one_line(text)
        if message and not is_exit(message):
            below = first_error(text)
            return LogError(message, ((path, line), *(below.places if below else ())))
    return first_error(log.text) if log.text.strip() else None


def trace(error: LogError, files: Sequence[ChangedFile]) -> Place | None:
    """The changed line that an error comes from, None if it names none."""
    places = [(file, line) for path, line in error.places if (file := _file(path, files)) is not None]
    exact: list[Place] = [(file.path, line, "head") for file, line in places if line in file.added_lines]
    product: list[Place] = [place for place in exact if not is_test(place[0])]
    near = (place for file, line in places if (place := _beside(file, line)) is not None)
    looks: tuple[Iterator[Place], ...] = (iter(product), _of_names(error.message, files), iter(exact), near)
    return next((place for look in looks for place in look), None)


def _file(path: str, files: Sequence[ChangedFile]) -> ChangedFile | None:
    """The changed file that a log means: it may name it from another folder on."""
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    if not parts:
        return None
    name = "/".join(parts)
    fits = [one for one in files if one.path == name]
    fits = fits or [one for one in files if f"/{name}".endswith(f"/{one.path}")]
    fits = fits or [one for one in files if one.path.endswith(f"/{name}")]
    longest = max(fits, key=lambda one: len(one.path), default=None)
    return longest if len(fits) == 1 or (longest is not None and len(longest.path) <= len(name)) else None


def _beside(file: ChangedFile, line: int) -> Place | None:
    """The changed line of a hunk that holds a line: the nearest one."""
    for hunk in file.hunks:
        if not hunk.new_start <= line < hunk.new_start + hunk.new_lines:
            continue
        new_lines = [one.new for one in hunk.lines if one.kind == "+" and one.new is not None]
        if new_lines:
            return file.path, min(new_lines, key=lambda number: abs(number - line)), "head"
        old_lines = [one.old for one in hunk.lines if one.kind == "-" and one.old is not None]
        return (file.old_path or file.path, old_lines[0], "base") if old_lines else None
    return None


def _of_names(message: str, files: Sequence[ChangedFile]) -> Iterator[Place]:
    """The lines of the change about a name of the message: its definition, then where it was removed, then where it came."""
    names_quoted = [word for name in _QUOTED.findall(message) for word in (name, *_WORD.findall(name))]
    words = [word for word in _WORD.findall(message) if _CODE.search(word)]
    names = list(dict.fromkeys([*names_quoted, *_CALLED.findall(message), *words]))[:MOST_NAMES]
    rows = [(file, one) for file in files for hunk in file.hunks for one in hunk.lines if one.kind != " "]
    for kind in ("+", "-"):  # a definition that was altered has both sides: the new one is shown
        for name in names:
            for file, one in rows:
                if one.kind == kind and lines.defines(one.text, name, file.path) and _was_there(name, rows):
                    yield _place(file, one)
    for kind in ("-", "+"):
        for name in names:
            whole = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
            hits = [(file, one) for file, one in rows if name in one.text and whole.search(one.text)]
            if (
                hits
                and {one.kind for _, one in hits} == {kind}
                and not lines.is_comment(hits[0][1].text, hits[0][0].path)
            ):
                yield _place(*hits[0])


def _was_there(name: str, rows: Sequence[tuple[ChangedFile, DiffLine]]) -> bool:
    """Whether the change removes a line that defines the name: it took it away, or altered it."""
    return any(one.kind == "-" and lines.defines(one.text, name, file.path) for file, one in rows)


def _place(file: ChangedFile, row: DiffLine) -> Place:
    if row.kind == "+":
        return file.path, row.new or 0, "head"
    return file.old_path or file.path, row.old or 0, "base"
