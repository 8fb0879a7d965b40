"""Uses that the syntax writes without a dot: of members in case labels, patterns, initialisers and attributes; of constructors in patterns.

The other searches follow imports, receivers and calls, and such a place has none of them. The words around it say whose member is meant;
if none does, the line counts only in a file that uses the class. Nothing is proven here: such a line is open.
"""

import posixpath
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bot.dependents.budget import SearchLimits
from bot.dependents.importing import Scene
from bot.dependents.propose import globs
from bot.dependents.sites import Bindings, UseTarget, bind, classes_of, mention
from bot.languages.dotless import DotlessPlace, dotless_places
from bot.ports import Language
from bot.text.filetypes import filetype
from bot.text.lines import file_lines
from bot.values import Query, Reference
from bot.values.everyday import METHODS

WORD = re.compile(rb"[A-Za-z_$][\w$]*")
KEY_CONTRACTS = frozenset({"removed", "renamed", "value"})  # what matters to a line that writes a member as a key
ITSELF = frozenset({"Self", "self", "this", "__MODULE__"})
# The import of every member of a type, or of some by name. OWNER: the type.
MEMBERS_IMPORT = (
    r"^[ \t]*+(?:pub\s++)?(?:use|import|using)\b[^;\n]{0,300}?\bOWNER\s{0,4}(?:\.|::)\s{0,4}(?:\*|_\b|given\b|\{[^{}]{0,2000}\})"
    r"|^[ \t]*+(?:global\s++)?using\s++(?:static|enum)\s[^;\n]{0,300}\bOWNER\s{0,4};"
)


@dataclass(frozen=True, slots=True)
class _File:
    """One file that may hold such places."""

    path: str
    bindings: Bindings
    words: frozenset[str]
    text: str
    is_beside: bool  # in a folder whose files see each other


async def dotless_uses(
    scene: Scene,
    language: Language,
    targets: Sequence[UseTarget],
    references: Sequence[Reference],
    budget: SearchLimits,
    missed_uses: list[str],
) -> tuple[Reference, ...]:
    """The uses of changed members and constructors that no dot and no call shows, but those that are known."""
    obliging = [one for one in targets if one.owner and one.contract and not one.is_attribute]
    if not obliging:
        return ()
    names = {name for target in obliging if not target.constructor for name in target.shorts}
    names |= {target.owner for target in obliging if _takes_apart(target)}
    holders = await scene.head.tree.grep(Query(sorted(names), globs(language), word=True))
    paths = sorted(path for path in holders if _may_hold(scene, path, obliging))
    if len(paths) > budget.parsed_files:
        missed_uses.append(
            f"members without a dot were looked for in {budget.parsed_files} of {len(paths)} {language.NAME} files"
        )
    known_places = {
        (row.symbol, row.path, row.line) for row in references if not row.is_guessed and row.form != "import"
    }
    rows: list[Reference] = []
    for path, source in (await scene.head.tree.read_many(paths[: budget.parsed_files])).items():
        if len(source) <= budget.bytes:
            rows += _of_file(scene, language, path, source, obliging)
        else:
            missed_uses.append(
                f"{path} has more than {budget.bytes:,} bytes: members without a dot were not looked for in it"
            )
    return tuple(row for row in dict.fromkeys(rows) if (row.symbol, row.path, row.line) not in known_places)


def _may_hold(scene: Scene, path: str, targets: Sequence[UseTarget]) -> bool:
    """Whether a file may use one of the classes: it holds or imports it, or sees it without an import."""
    return path in scene.importers or any(
        path == home or path in scene.exports.mates(home) or _is_beside(path, home)
        for target in targets
        for home in target.homes
    )


def _is_beside(path: str, home: str) -> bool:
    """Whether two files are in a folder whose files see each other."""
    is_shared = filetype(home).folder_scope or filetype(home).parser == "jvm"
    return is_shared and posixpath.dirname(path) == posixpath.dirname(home)


def _of_file(
    scene: Scene, language: Language, path: str, source: bytes, targets: Sequence[UseTarget]
) -> list[Reference]:
    bindings = bind(scene.importers.get(path, ()), scene.origins, scene.doors)
    for home in {home for target in targets for home in target.homes if path in scene.exports.mates(home)}:
        bindings.stars.setdefault(home, set()).add("")
    words = frozenset(word.decode("utf-8", "replace") for word in WORD.findall(source))
    text = source.decode("utf-8", "replace")
    lines, rows = file_lines(source), list[Reference]()
    mine = [target for target in targets if target.is_visible(path)]
    ways = {target.key: _ways(target, bindings, path) for target in mine}
    names = {name for target in mine for name in (ways[target.key] if target.constructor else target.shorts)}
    names = {name.rpartition(".")[2] for name in names}
    places = dotless_places(path, source, names, nameless=any(_takes_apart(target) for target in mine)) if names else ()
    for target in mine:
        file = _File(
            path,
            bindings,
            words,
            text,
            any(_is_beside(path, home) or path in scene.exports.mates(home) for home in target.homes),
        )
        at = {place.line: place.name for place in places if _means(target, place, file, ways[target.key])}
        at |= _bare(language, target, file, source)
        rows += [
            mention(target.key, name or target.owner, path, line, lines[line - 1].rstrip("\r"))
            for line, name in at.items()
            if line <= len(lines)
        ]
    return rows


def _ways(target: UseTarget, bindings: Bindings, path: str) -> frozenset[str]:
    """How a file can write the class, its module of Elixir included."""
    ways = set(classes_of(target, bindings, path))
    if filetype(path).parser == "elixir":
        ways |= {here for home in target.homes for here, _ in bindings.modules.get(home, ())}
        ways |= {target.owner} if path in target.homes else set()
    return frozenset(ways)


def _takes_apart(target: UseTarget) -> bool:
    """Whether a change of it may leave a value with other parts."""
    before = target.symbol.before if target.symbol is not None else None
    return target.constructor or (
        before is not None and before.kind == "variable" and filetype(before.path).parser == "c/c++"
    )


def _means(target: UseTarget, place: DotlessPlace, file: _File, ways: Collection[str]) -> bool:
    """Whether a place is one of the target, or may be."""
    if place.kind == "pattern":
        if not (_takes_apart(target) if not place.name else target.constructor):
            return False
    elif target.constructor or place.name not in target.shorts:
        return False
    if place.owner & ITSELF:
        return file.path in target.homes
    if place.owner:
        is_key_of_same = place.is_plain and place.name and not KEY_CONTRACTS & {*target.contract}
        return not is_key_of_same and _is_named(target, place, file, ways)
    in_sight = file.path in target.homes or any(way.rpartition(".")[2] in file.words for way in ways)
    if place.is_plain:
        return in_sight and (not place.name or (target.is_gone and place.name not in METHODS))
    return in_sight or (file.is_beside and target.is_gone)


def _is_named(target: UseTarget, place: DotlessPlace, file: _File, ways: Collection[str]) -> bool:
    """Whether what stands beside a place names the class; of a tag, anything of its file, whose arguments the class may be."""
    if any(one in ways or (one.rpartition(".")[2] in ways and "." in one) for one in place.owner):
        return True
    if any(f"{one}Attribute" in ways for one in place.owner):
        return True
    if place.kind != "attribute":
        return False
    here = {one.here for (home, _), every in file.bindings.locals.items() for one in every if home in target.homes}
    here |= {name for home in target.homes for name, _ in file.bindings.modules.get(home, ())}
    return any(one.partition(".")[0] in here for one in place.owner) or (
        file.path in target.homes and bool(place.owner)
    )


def _bare(language: Language, target: UseTarget, file: _File, source: bytes) -> dict[int, str]:
    """Line -> the member that is written there by its own name, because the file imports the members of its class."""
    if target.constructor or target.shorts.isdisjoint(file.words) or target.owner not in file.words:
        return {}
    pattern = MEMBERS_IMPORT.replace("OWNER", re.escape(target.owner))
    statements = [match[0] for match in re.finditer(pattern, file.text, re.MULTILINE)]
    has_members = any(
        "{" not in one or "*" in one or not target.shorts.isdisjoint(re.findall(r"\w+", one)) for one in statements
    )
    if not has_members:
        return {}
    uses = language.uses(file.path, source, target.shorts)
    own = {use.name for use in uses if use.form == "definition"}
    return {use.line: use.name for use in uses if use.form == "name" and not use.receiver and use.name not in own}
