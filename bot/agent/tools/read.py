"""What the root's code can look up: the diff, lines of any file, a search over the tree, who uses a name."""

from collections.abc import Iterable, Sequence

from bot.agent.state import RunState
from bot.diff import numbered
from bot.errors import GitError
from bot.paths import nearest
from bot.render import name
from bot.values import Reference, Side

MAX_LINES = 2_000  # of one read
MAX_HITS = 200
MAX_HIT_CHARS = 300


async def diff(state: RunState, path: str | None = None) -> str:
    """The change of one file, or of all, with line numbers."""
    files = [file for file in state.session.files if path in {None, file.path, file.old_path}]
    if not files:
        return f"[{path} is not part of the change{nearest(str(path), (f.path for f in state.session.files))}]"
    parts = []
    for file in files:
        was = f" (was {file.old_path})" if file.old_path not in {None, file.path} else ""
        facts = "; ".join(filter(None, (file.status, file.note, file.skip and f"not reviewed: {file.skip}")))
        parts.append(f"--- {name(file.path)}{was} [{facts}]\n{numbered(file.hunks)}")
    return "\n\n".join(parts)


async def read(state: RunState, path: str, start: int = 1, end: int | None = None, base: bool = False) -> str:
    """Numbered lines of any file of the tree."""
    side: Side = "base" if base else "head"
    blob = await state.session.tree.read(path, side)
    if blob is None:
        return f"[{path} {await absent(state, path, side)}]"
    lines = blob.decode("utf-8", "replace").split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    first, last = max(1, int(start)), min(len(lines), int(end) if end is not None else len(lines))
    shown = lines[first - 1 : min(last, first - 1 + MAX_LINES)]
    text = "\n".join(f"{first + at:>5} {line}" for at, line in enumerate(shown))
    if first + len(shown) <= last:
        text += f"\n[... {path} goes on to line {last}: read(path, {first + len(shown)}, {last})]"
    return text or f"[{path} has {len(lines)} lines]"


async def search(
    state: RunState, pattern: str, glob: str | Sequence[str] = "*", limit: int = MAX_HITS, base: bool = False
) -> list[str]:
    """Lines of the whole tree that match a Perl-compatible pattern, as "path:line: text"."""
    side: Side = "base" if base else "head"
    most = max(1, min(int(limit), MAX_HITS))
    globs = _globs([glob] if isinstance(glob, str) else glob)
    tree, note = state.session.tree, ""
    before = len(tree.stopped)
    try:
        found = await tree.grep_lines([pattern], globs, syntax="perl", side=side, limit=most + 1)
    except GitError:  # no valid pattern: what was typed is meant as it stands
        found, note = (
            await tree.grep_lines([pattern], globs, syntax="fixed", side=side, limit=most + 1),
            "[searched as plain text]",
        )
    rows = [f"{path}:{line}: {text.strip()[:MAX_HIT_CHARS]}" for path, line, text in found[:most]]
    if len(found) > most:
        rows.append(f"[... more than {most} lines match: narrow the pattern, or give a glob such as 'src/*.py']")
    if len(tree.stopped) > before:
        rows.append(f"[{tree.stopped[-1]}. Use a narrower pattern or a glob]")
    return rows + ([note] if note else [])


async def callers(state: RunState, symbol: str) -> list[dict[str, object]]:
    """Where a function, method or class is written as code: calls first, then mentions, imports, definitions."""
    return [
        {**_place(row), "function": row.function, "form": row.form, "test": row.test}
        for row in (await state.session.callers(symbol))[:MAX_HITS]
    ]


async def readers(state: RunState, name: str) -> list[dict[str, object]]:
    """The places that read an attribute, key, constant, setting or other name that nobody calls, the likeliest reader first."""
    return [{**_place(row), "kind": row.function} for row in (await state.session.readers(name))[:MAX_HITS]]


def _place(row: Reference) -> dict[str, object]:
    return {"path": row.path, "line": row.line, "text": row.text.strip()[:MAX_HIT_CHARS]}


def _globs(given: Iterable[str]) -> list[str]:
    """Git's own form: a plain pattern matches in every folder, one with ** as shells do."""
    wanted = [glob.strip() for glob in given if glob.strip() not in {"", "*", "**", "**/*"}]
    return [f":(glob){glob}" if "**" in glob else glob.lstrip(":") for glob in wanted]


async def absent(state: RunState, path: str, side: Side) -> str:
    """Why a file cannot be read, and which one may have been meant."""
    entries = await state.session.tree.entries(side)
    why = "is too large or no text file" if path in entries else f"does not exist on the {side} side"
    return f"{why}{nearest(path, entries)}"
