"""Let the root's code read the diff and any file, search the tree, and find the users of a name."""

import posixpath
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from bot import globs
from bot.diff import numbered_text
from bot.errors import GitError
from bot.render import count, name
from bot.review.agent.state import RunState
from bot.review.agent.tools.ask import fields
from bot.review.context.look_ups import absent, nearest, pathspecs
from bot.values import Query, Side
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.text.paths import is_output

MAX_LINES = 2_000  # lines returned by one read
MAX_CALLERS = 200
MAX_HITS = 5_000  # matching lines returned
OVERVIEW = 200  # of which so many come first: the first lines of every file
MAX_COUNTED = 100_000  # matching lines that are counted
MAX_HIT_CHARS = 300
PATH_CHARS = 200  # characters of a pattern or name in a note

Row = tuple[str, int, str]  # path, line, text


async def diff(state: RunState, path: str | None = None) -> str:
    """Return the change of one file, or of all, with line numbers."""
    files = [file for file in state.session.files if path in {None, file.path, file.old_path}]
    if not files:
        return f"[{path} is not part of the change{nearest(str(path), (f.path for f in state.session.files))}]"
    parts = []
    for file in files:
        was = f" (was {file.old_path})" if file.old_path not in {None, file.path} else ""
        facts = "; ".join(filter(None, (file.status, file.note, file.skip and f"not reviewed: {file.skip}")))
        parts.append(f"--- {name(file.path)}{was} [{facts}]\n{numbered_text(file.hunks)}")
    return "\n\n".join(parts)


async def read(
    state: RunState,
    path: str | Sequence[str | Sequence[Any]],
    start: int = 1,
    end: int | None = None,
    base: bool = False,
) -> str:
    """Return numbered lines of any file of the tree, under its path; of several places, one after the other."""
    if isinstance(path, str):
        return await _read(state, path, start, end, base=base)
    places = [(place,) if isinstance(place, str) else tuple(place) for place in path]
    return "\n\n".join([await _read(state, *place[:3], base=base) for place in places])


async def _read(state: RunState, path: str, start: int = 1, end: int | None = None, *, base: bool) -> str:
    side: Side = "base" if base else "head"
    blob = await state.session.tree.read(path, side)
    if blob is None:
        return f"[{path} {await absent(state.session.tree, path, side)}]"
    lines = file_lines(blob)
    lines = lines[:-1] if lines[-1] == "" else lines
    first, last = max(1, int(start)), min(len(lines), int(end) if end is not None else len(lines))
    window = lines[first - 1 : min(last, first - 1 + MAX_LINES)]
    if not window:
        return f"[{path} has {count(len(lines), 'line')}]"
    state.lines.update((path, first + index) for index in range(0 if base else len(window)))
    head = f"--- {name(path)}{' (base)' if base else ''}, of {count(len(lines), 'line')} ---"
    text = "\n".join([head, *(f"{first + index:>5} {line}" for index, line in enumerate(window))])
    if first + len(window) <= last:
        rest = _call("read", path, first + len(window), last, side=side)
        text += f"\n[... {last - first - len(window) + 1} more lines: {rest}]"
    return text


async def raw(state: RunState, path: str, start: int = 1, end: int | None = None, base: bool = False) -> str:
    """Return one line of any file, or lines up to `end`, verbatim and without numbers, as report() quotes them."""
    side: Side = "base" if base else "head"
    blob = await state.session.tree.read(path, side)
    if blob is None:
        raise ValueError(f"{path} {await absent(state.session.tree, path, side)}")
    first = max(1, int(start))
    return "\n".join(file_lines(blob)[first - 1 : int(end) if end is not None else first])


async def search(
    state: RunState, pattern: str, glob: str | Sequence[str] = "*", limit: int = MAX_HITS, base: bool = False
) -> list[str]:
    """Return lines of the whole tree that match a Perl-compatible pattern, as "path:line: text"; first an overview."""
    side: Side = "base" if base else "head"
    paths = _globs(glob)
    most = max(1, min(int(limit), MAX_HITS))
    before = len(state.session.tree.stopped_searches)
    hits, note = await _matching(state, pattern, paths, side), ""
    # An invalid pattern, or one with brackets that should be literal
    if not hits and not re.fullmatch(r"[\w\s]*", pattern):
        hits, note = await _matching(state, pattern, paths, side, syntax="fixed"), "[searched as plain text]"
    if not hits and len(state.session.tree.stopped_searches) == before:
        await _note_why_no_match(state, pattern, glob, side)
    hits = _spread(hits, min(most, OVERVIEW))
    rows = [f"{name(path)}:{line}: {_shown(path, line, text, side)}" for path, line, text in hits[:most]]
    if len(hits) > most:
        rows.append(_left_out(hits, most))
    if len(state.session.tree.stopped_searches) > before:
        rows.append(f"[{state.session.tree.stopped_searches[-1]}. Use a narrower pattern or a glob]")
    return rows + ([note] if hits and note else [])


async def why_not_absent(state: RunState, pattern: str, glob: str) -> str:
    """Return why a search proves no absence, or "" if files fit the glob and none has the pattern."""
    if not await state.session.tree.grep(Query(["^"], _globs(glob), syntax="perl")):
        return f"no text file fits {glob!r}"
    found = await search(state, pattern, glob, 1)
    return f"the search finds {found[0]}" if found else ""


def _spread(rows: Sequence[Row], most: int) -> list[Row]:
    """Return the first lines of every file, as many as fit, file by file, and then the others.

    Lines of files that programs write, such as lock files, come last.
    """
    turns: Counter[str] = Counter()
    ranks = list[tuple[bool, int]]()
    for path, _, _ in rows:
        turns[path] += 1
        ranks.append((is_output(path), turns[path]))
    best = sorted(range(len(rows)), key=ranks.__getitem__)
    first = sorted(best[:most], key=lambda at: (ranks[at][0], at))
    return [rows[at] for at in (*first, *best[most:])]


def _call(function: str, *arguments: object, side: Side) -> str:
    """Return a call for the root to continue with."""
    return f"{function}({', '.join(map(repr, arguments))}{', base=True' if side == 'base' else ''})"


def _shown(path: str, line: int, text: str, side: Side = "head") -> str:
    """Return a line, or of a long one the beginning and the call that returns all of it."""
    return text if len(text) <= MAX_HIT_CHARS else f"{text[:MAX_HIT_CHARS]} [... {_call('raw', path, line, side=side)}]"


def _left_out(rows: Sequence[Row], most: int) -> str:
    folders = Counter(posixpath.dirname(path) or "." for path, _, _ in rows[most:]).most_common(3)
    least = "at least " if len(rows) >= MAX_COUNTED else ""
    where = ", ".join(f"{number} in {name(folder)}" for folder, number in folders)
    return f"[... {least}{count(len(rows) - most, 'more line')} ({where}): narrow the glob or the pattern]"


async def _matching(
    state: RunState, pattern: str, paths: Sequence[str], side: Side, syntax: Literal["perl", "fixed"] = "perl"
) -> Sequence[Row]:
    try:
        query = Query([pattern], paths, syntax=syntax, side=side, limit=MAX_COUNTED)
        return await state.session.tree.grep_lines(query)
    except GitError:
        return ()


async def _note_why_no_match(state: RunState, pattern: str, glob: str | Sequence[str], side: Side) -> None:
    paths = _globs(glob)
    call_text = _call("search", pattern[:PATH_CHARS], *([glob] if paths else []), side=side)
    if paths and not await state.session.tree.grep(Query(["^"], paths, syntax="perl", side=side)):
        unsearched = await _unsearched(state, glob, side)
        state.note(f"{call_text}: no text file fits the glob{unsearched and f', only {unsearched}'}")
    if "\n" in pattern or r"\n" in pattern:
        state.note(f"{call_text}: a search looks at one line at a time, and the pattern has a line break")
    elif r"\|" in pattern:
        state.note(rf"{call_text}: in these patterns \| is a bar in the text; alternatives are written a|b")
    loose = [("without the glob", await _matching(state, pattern, (), side))] if paths else []
    loose += [("ignoring case", await _matching(state, f"(?i){pattern}", paths, side))]
    for how, rows in loose:
        if rows:
            path, line, _ = rows[0]
            state.note(f"{call_text}: no line matches; {how} {count(len(rows), 'line')} would, as {name(path)}:{line}")


async def _unsearched(state: RunState, glob: str | Sequence[str], side: Side) -> str:
    """Return what fits a glob and is never searched."""
    patterns = [one for pattern in ([glob] if isinstance(glob, str) else glob) for one in globs.braces(pattern)]
    entries = (await state.session.tree.entries(side)).items()
    fits = [entry for path, entry in entries if globs.matches(patterns, path)]
    if not fits:
        return ""
    first = fits[0]
    kind = "no text" if first.kind == "file" else first.kind
    more = f" and {len(fits) - 1:,} more" if len(fits) > 1 else ""
    return f"{name(first.path)} ({'its content is missing in this clone' if first.size < 0 else kind}){more}"


async def callers(state: RunState, symbol: str) -> list[dict[str, object]]:
    """Return where a function, method or class is written as code: calls first, then mentions, imports, definitions."""
    found = await state.session.callers(symbol)
    if not found:
        await _elsewhere(state, symbol)
    elif len(found) >= MAX_CALLERS:
        state.note(f"callers({symbol!r}): only the first; search() finds others")
    return [
        fields(one, "path", "line", "function", "form", "test")
        | {"text": _shown(one.path, one.line, one.text.rstrip())}
        for one in found
    ]


async def _elsewhere(state: RunState, symbol: str) -> None:
    call_text, word = (
        f"callers({symbol[:PATH_CHARS]!r})",
        re.split(r"\.|::|->|#", symbol.strip().removesuffix("()"))[-1],
    )
    if not re.fullmatch(r"[\w$-]+", word):
        state.note(f"{call_text}: that is no name; search() takes patterns")
        return
    rows = await state.session.tree.grep_lines(Query([word], syntax="fixed", word=True, limit=MAX_CALLERS))
    if rows:
        places = ", ".join(f"{name(path)}:{line}" for path, line, _ in rows[:3])
        state.note(f"{call_text}: no place in code; search() finds the word in {count(len(rows), 'line')}: {places}")


def _globs(glob: str | Sequence[str]) -> list[str]:
    """Return the globs as Git pathspecs, as many as one search takes."""
    patterns = [glob] if isinstance(glob, str) else glob
    return [one for pattern in patterns for one in pathspecs(pattern)][: globs.MOST_EXPANDED]
