"""What the common code of Kotlin expects of each platform, and what a platform has for it: two declarations of one name and one package.

If one of the two changes, the other is left behind: `expect fun now(): Long` is in one folder, `actual fun now(): Long` in another.
"""

import re

from bot.dependents.implementations import namespaces
from bot.dependents.importing import Scene
from bot.dependents.overrides import KeyedSymbols
from bot.dependents.symbols import ChangedSource
from bot.text.filetypes import filetype
from bot.text.paths import is_test
from bot.values import ChangedSymbol, Query, Symbol

MARK = re.compile(r"(?:\s*+@[^\n]*+\n)*+[^\n=({]{0,80}?\b(expect|actual)\s")
OTHER = {"expect": "actual", "actual": "expect"}
MOST = 60  # declarations of one name


async def counterparts(scene: Scene, missed_uses: list[str]) -> KeyedSymbols:
    """Each changed declaration with those on the other side, as they are left."""
    rows: list[tuple[str, Symbol]] = []
    for source in scene.sources:
        path = source.file.path
        if not filetype(path).platform_marks or is_test(path) or source.new.unread:
            continue
        for item in scene.symbols.get(path, ()):
            word = _mark(source, item)
            if word:
                key = f"{item.symbol.path}:{item.symbol.name}"
                rows += [(key, one) for one in await _others(scene, source, item, OTHER[word], missed_uses)]
    return tuple(dict.fromkeys(rows))


def _mark(source: ChangedSource, item: ChangedSymbol) -> str:
    """How a declaration, or the outermost class around it, was marked; "" if it was not, or if nothing that counts changed."""
    before = item.before
    if before is None or {"removed", "renamed", "parameters", "types"}.isdisjoint(item.contract):
        return ""
    if before.path != (source.file.old_path or source.file.path):
        return ""
    outer = before.name.partition(".")[0]
    holders = [before, *(one for one in source.old.symbols if one.name == outer)]
    marks = [match[1] for one in holders if (match := MARK.match(source.lines(one)))]
    is_own_member = before.name != outer and "actual" in marks[-1:] and not MARK.match(source.lines(before))
    return "" if not marks or is_own_member else marks[0]


async def _others(
    scene: Scene, source: ChangedSource, item: ChangedSymbol, word: str, missed_uses: list[str]
) -> list[Symbol]:
    """The declarations of that name with the other mark, in the same package."""
    before = item.before or item.symbol
    outer = before.name.partition(".")[0]
    pattern = rf"\b{word}\s[^\n=(]{{0,80}}\b{re.escape(outer)}\b"
    lines = await scene.head.tree.grep_lines(
        Query([pattern], [f"*{suffix}" for suffix in filetype(before.path).suffixes], syntax="perl", limit=MOST)
    )
    if len(lines) >= MOST:
        missed_uses.append(
            f"more than {MOST} declarations of {outer} may stand for it on a platform: not all were compared"
        )
    others: list[Symbol] = []
    now = [one for one in source.new.symbols if one.name == before.name]
    for path in sorted({one for one, _, _ in lines if not is_test(one)} - {source.file.path}):
        outline = await scene.exports.outline("head", path)
        own = [one for one in outline.symbols if one.name == before.name] if outline is not None else []
        others += [
            one
            for one in own
            if namespaces(one) == namespaces(before) and not any(_is_same(one, other) for other in now)
        ]
    return others


def _is_same(one: Symbol, other: Symbol) -> bool:
    """Whether two declarations take the same, as far as the number of parameters tells."""
    if one.signature is None or other.signature is None:
        return one.kind == other.kind
    return len(one.signature.parameters) == len(other.signature.parameters)
