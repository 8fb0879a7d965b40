"""Find broken imports of removed files, and public names that a package no longer exports.

Such an import resolves in the base tree and not in the head tree. A package's public names matter even if
nothing in the tree uses them, since installers may.
"""

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence

from deeprepo.impact import resolving
from deeprepo.impact.changes import Query, Reference
from deeprepo.impact.everyday import is_specific
from deeprepo.impact.reading.marks import CLASSES
from deeprepo.impact.reading.unreadable import Unreadable
from deeprepo.impact.resolving.namespaces import Namespaces
from deeprepo.impact.structs import replace
from deeprepo.impact.text.lines import file_lines, without_mark
from deeprepo.impact.uses.known_files import KnownFiles
from deeprepo.impact.uses.occurrences import occurrences
from deeprepo.impact.uses.reach import Reach, globs
from deeprepo.impact.uses.sites import found_by_name, last_word
from deeprepo.impact.values import MODULE, Link, Use

WORD = re.compile(rb"\w+")
APART = re.compile(r"[^a-z0-9]+")
LEAST = 4  # letters of a module's name that a package's name may end with
# A statement that always refers to a file of the tree.
RELATIVE = re.compile(
    r"['\"][./]|\brequire_relative\b|\bfrom\s++\.|\b(?:crate|self|super)::|^\s*+(?:pub(?:\([^()]*\))?\s++)?mod\b|__DIR__"
)
TYPE = rb"\b(?:class|struct|record|interface|enum|object|trait|protocol|actor|typealias)[ \t]++%s\b"
LONGEST_LINE = 400  # characters of a line
MOST_HOLDERS = 100  # files that are searched for definitions


async def lost_modules(head: Reach, base: Reach, lost_imports: Mapping[str, Sequence[Link]]) -> tuple[Reference, ...]:
    """Return the broken imports.

    `lost_imports`: file of the head tree -> its imports of removed files. Guarded imports do not count.
    """
    if not lost_imports:
        return ()
    alive = {posixpath.splitext(path)[0] for path in head.paths} | {posixpath.dirname(path) for path in head.paths}
    sources = await head.tree.read_many(sorted(lost_imports))
    references: list[Reference] = []
    shared: dict[frozenset[str], bool] = {}
    for path, source in sources.items():
        entire = head.language.whole_files
        items = lost_imports[path]
        imports_now = await head.links(path) if items else ()
        if path in head.unread:
            continue
        resolved_lines = {item.line for item in imports_now}
        uses = resolving.uses(path, source, {word for item in items for word in _import_words(item)})
        guarded_names = {use.name for use in uses if use.is_guarded and use.form == "import"}
        imported_names, meanings = frozenset[tuple[str, int]](), frozenset[str]()
        if head.declares_content:
            imported_names = frozenset((use.name, use.line) for use in uses if use.form == "import")
            own_names = (symbol.short for symbol in resolving.outline(path, source, "head").definitions)
            meanings = frozenset(own_names).union(*(item.names for item in imports_now))
        lines = file_lines(source)
        lost_items = [
            item
            for item in _one_each(items, base)
            if item.line not in resolved_lines
            and guarded_names.isdisjoint(_import_words(item))
            and item.line <= len(lines)
            and head.language.loader in lines[item.line - 1]
            and not _has_meaning(item, imported_names, meanings)
        ]
        for item in lost_items:
            is_member = await _is_member(base, item)
            if is_member and item.names not in shared:
                shared[item.names] = await _is_of_others(head, item.names)
            if (is_member and shared[item.names]) or await _is_package_now(head, base, item.target):
                continue
            missing = (entire or _stem(item.target) not in alive) and not is_member
            if missing and await _is_defined_elsewhere(head, item, path, source):
                continue
            if missing and (_is_shadowed(item, uses) or await _names_no_type(head, base, item, uses, lines)):
                continue
            missing = missing and not await _is_own_member(head, item, path, source)
            missing = missing and not await _is_package_in_place(head, item, lines[item.line - 1])
            missing = missing and not await _may_be_of_another(head, base, item, path, source, uses)
            references.append(_reference(item, path, lines, missing=missing))
    return tuple(references)


async def _is_package_now(head: Reach, base: Reach, path: str) -> bool:
    """Return whether the change adds a package with the namespace of a removed file, so that the file moved out of the tree."""
    modules = base.project.modules
    spaces = modules.spaces_of.get(path, ()) if isinstance(modules, Namespaces) else ()
    if not any(spaces):
        return False
    # imported here because few changes remove a module
    from deeprepo.impact.uses.packages import asked_packages

    now, before = [await asked_packages(head.tree, head.language, side) for side in ("head", "base")]
    return any(f"{space}.".lower().startswith(f"{name}.".lower()) for space in spaces for name in now - before)


async def _is_package_in_place(head: Reach, item: Link, line: str) -> bool:
    """Return whether a required package has the name of the removed module, so that the import may refer to it."""
    if RELATIVE.search(line):
        return False
    # imported here because few changes remove a module
    from deeprepo.impact.uses.packages import asked_packages

    parts = [part for part in _stem(item.target).split("/") if part]
    words = {_squashed(part) for part in parts} - {""}
    # another name behind it shows that it is part of the tree
    below = re.compile(rf"[.:/\\]{re.escape(parts[-1])}\b")
    for name in sorted(await asked_packages(head.tree, head.language)):
        last = _squashed(re.split(r"[/:]", name)[-1])
        is_called_so = last in words or _squashed(name) in words
        is_ending = len(parts[-1]) >= LEAST and last.endswith(_squashed(parts[-1]))
        if (is_called_so or is_ending) and not below.search(line.replace(name, "") if "/" in name else line):
            return True
    return False


def _squashed(name: str) -> str:
    return APART.sub("", name.lower())


def _has_meaning(item: Link, imported_names: Collection[tuple[str, int]], meanings: Collection[str]) -> bool:
    """Return whether a lost import without a statement is a name that the head still provides through a namespace."""
    names = item.names - {"*"}
    return (
        bool(names) and names <= frozenset(meanings) and not any((name, item.line) in imported_names for name in names)
    )


async def _is_member(base: Reach, item: Link) -> bool:
    """Return whether a file was only used through a member, such as an extension method, whose receiver is unknown."""
    if not base.declares_content or "*" in item.names or not item.names:
        return False
    before = (await base.tree.read_many([item.target], "base")).get(item.target, b"")
    symbols = resolving.outline(item.target, before, "base").definitions
    return item.names.isdisjoint(symbol.name for symbol in symbols)


async def _names_no_type(head: Reach, base: Reach, item: Link, uses: Sequence[Use], lines: Sequence[str]) -> bool:
    """Return whether a file whose namespace imports a removed type only has members and attributes of that name.

    Such as `order.Rate`, a property, and `[Rate(2)]`, where the language lets the name omit an ending:
    `RateAttribute`.
    """
    if not base.declares_content or any(use.form == "import" and use.line == item.line for use in uses):
        return False
    before = (await base.tree.read_many([item.target], "base")).get(item.target, b"")
    types = {
        symbol.short for symbol in resolving.outline(item.target, before, "base").definitions if symbol.kind in CLASSES
    }
    if not item.names or not item.names <= types:
        return False
    used = [use for use in uses if use.name in item.names and not use.receiver and use.form != "definition"]
    bare = [use for use in used if not re.search(rf"\[[^\[\]]*\b{re.escape(use.name)}\b", lines[use.line - 1])]
    full_names = sorted({use.name + ending for use in used for ending in head.language.endings.values()})
    return not bare and (not used or bool(await head.tree.grep(Query(full_names, globs(head.language), word=True))))


def _is_shadowed(item: Link, uses: Sequence[Use]) -> bool:
    """Return whether every use of a name is that of a parameter: of a type, as in `class Box<Item>`, or of a call."""
    mine = [use for use in uses if use.name in item.names]
    inner = [f"{use.function}." for use in mine if use.form == "definition" and use.function != MODULE]
    return bool(mine) and all(
        use.form in ("definition", "key") or f"{use.function}.".startswith(tuple(inner)) for use in mine
    )


async def _may_be_of_another(
    head: Reach, base: Reach, item: Link, path: str, source: bytes, uses: Sequence[Use]
) -> bool:
    """Return whether a new package may define a name; for a name of one word, also an unknown class or any other package.

    A wildcard import may lead to such a package. A function or value may also be a member of what a block is for.
    """
    mine = [use for use in uses if use.name in item.names]
    is_written = any(use.form == "import" and use.line == item.line for use in mine)
    if not head.declares_content or is_written:
        return False
    # imported here because few changes remove a file
    from deeprepo.impact.uses.packages import may_gain_names

    outline, texts = resolving.outline(path, source, "head"), await base.tree.read_many([item.target, path], "base")
    was = resolving.outline(path, texts[path], "base") if path in texts else None
    if await may_gain_names(head.tree, head.language, outline, was):
        return True
    if any(map(is_specific, item.names)):
        return False
    before = texts.get(item.target, b"")
    kinds = {one.kind for one in resolving.outline(item.target, before, "base").definitions if one.name in item.names}
    is_of_block = bool(kinds) and kinds.isdisjoint(CLASSES) and bool(head.language.receivers.bare_members)
    if is_of_block or head.language.scope.relative_namespaces:
        return is_of_block
    known = {link.line for link in await head.links(path)}
    if any(one.star and one.line not in known for one in outline.imports):
        return True
    around = {part for use in mine for part in use.function.split(".")}
    plain = head.language.types.plain_bases
    bases = {one for name, found in outline.bases if name in around for one in found} - plain
    words = sorted({last_word(one) for one in bases})
    declared = [
        await head.tree.grep(Query([(TYPE % re.escape(word).encode()).decode()], globs(head.language), syntax="perl"))
        for word in words
    ]
    return not all(declared)


async def _is_of_others(head: Reach, names: Collection[str]) -> bool:
    """Return whether a member may be that of another class: its name is ordinary, or another file declares it."""
    if not all(map(is_specific, names)):
        return True
    either = "|".join(map(re.escape, sorted(names)))
    pattern = rf"\b({either})\s*(<[^<>]*>)?\s*\("
    rows = await head.tree.grep_lines(Query([pattern], globs(head.language), syntax="perl"))
    files = KnownFiles(await head.tree.read_many(sorted({path for path, _, _ in rows})))
    return any(files.way(name, *row) for row in rows for name in names if name in row[2])


async def _is_defined_elsewhere(head: Reach, item: Link, path: str, source: bytes) -> bool:
    """Return whether an unchanged file provides what an import needs, since a path need not match the content."""
    language = head.language
    if (word := language.module_word) and (names := {name for name in _last_words(item) if name.isidentifier()}):
        either = "|".join(map(re.escape, sorted(names)))
        pattern = rf"^\s*{word}\s+([\w.]+\.)?({either})(?![\w.])"
        return bool(await head.tree.grep(Query([pattern], [f"*{end}" for end in language.suffixes], syntax="perl")))
    before = (await head.tree.read_many([item.target], "base")).get(item.target, b"")
    words = resolving.outline(item.target, before, "base").names
    line = source.split(b"\n")[item.line - 1][:LONGEST_LINE]
    words &= item.names | {word.decode("utf-8", "replace") for word in WORD.findall(line)}
    if not words or not head.declares_content:
        return False
    holders = (await occurrences(head.tree, language, words)).files
    paths = sorted({one for mine in holders.values() for one in mine} - {path})[:MOST_HOLDERS]
    project = resolving.project(language, head.paths, {})
    for one, text in (await head.tree.read_many(paths)).items():
        outline = resolving.outline(one, text, "head")
        if any(word not in outline.names and _declares(text, word) for word in item.names):
            return True  # a definition that the grammar does not recognize
        if not words.isdisjoint(outline.names) and project.declares_content:
            project.register(one, text)
    try:
        imports = project.links(path, without_mark(source), words)
    except Unreadable:
        return True
    return any(other.line == item.line or not item.names.isdisjoint(other.names) for other in imports)


async def _is_own_member(head: Reach, item: Link, path: str, source: bytes) -> bool:
    """Return whether a class of this file, or another part of it, has a member with the name of the removed type.

    So the uses of the name may mean the member: `Table.Get()`, where `Table` is a property.
    """
    if not head.declares_content or "*" in item.names:
        return False
    own = {one.name for one in resolving.outline(path, source, "head").definitions if one.kind in CLASSES}
    holders = (await occurrences(head.tree, head.language, item.names)).files
    paths = sorted({one for mine in holders.values() for one in mine})[:MOST_HOLDERS]
    return any(
        one.short in item.names and one.name.rpartition(".")[0] in own
        for holder, text in (await head.tree.read_many(paths)).items()
        for one in resolving.outline(holder, text, "head").definitions
    )


def _declares(text: bytes, name: str) -> bool:
    """Return whether a file seems to declare a type of this name."""
    return re.search(TYPE % re.escape(name).encode(), text) is not None


def _one_each(items: Sequence[Link], base: Reach) -> list[Link]:
    """Return one import for each namespace, since a removed package counts once."""
    distinct_imports: list[Link] = []
    for item in sorted(items, key=lambda item: (item.line, item.target)):
        if not any(
            item.line == other.line and item.target in base.visible_files(other.target) for other in distinct_imports
        ):
            distinct_imports.append(item)
    return distinct_imports


def _stem(path: str) -> str:
    return posixpath.splitext(path)[0].removesuffix("/__init__").removesuffix("/index")


def _import_words(item: Link) -> frozenset[str]:
    """Return the words in an import."""
    here = {part for _, name in item.aliases for part in name.split(".")}
    return (item.names - {"*"}) | here | {posixpath.basename(_stem(item.target))}


def _last_words(item: Link) -> frozenset[str]:
    """Return the names of a module in an import, without its parents, which may still exist."""
    here = {name.rpartition(".")[2] for _, name in item.aliases}
    return (item.names - {"*"}) | here | {posixpath.basename(_stem(item.target))}


def _reference(item: Link, path: str, lines: Sequence[str], *, missing: bool) -> Reference:
    """Return the reference to a removed file.

    Without `missing`, another file may take its place or be generated.
    """
    name, text = posixpath.basename(_stem(item.target)), lines[item.line - 1].rstrip("\r")
    line_named = found_by_name(f"{item.target}:{MODULE}", name, path, item.line, text, unique=False)
    return replace(line_named, connection="bound", target_state="lost" if missing else "unknown", form="import")
