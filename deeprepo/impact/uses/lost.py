"""Find broken imports of removed files. Such an import resolves in the base tree and not in the head tree."""

import posixpath
import re
from collections.abc import Mapping, Sequence

from deeprepo.impact import resolving
from deeprepo.impact.changes import Query, Reference
from deeprepo.impact.structs import replace
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.uses.reach import Reach
from deeprepo.impact.uses.sites import found_by_name
from deeprepo.impact.values import MODULE, Link

# A statement that always refers to a file of the tree.
RELATIVE = re.compile(
    r"['\"][./]|\brequire_relative\b|\bfrom\s++\.|\b(?:crate|self|super)::|^\s*+(?:pub(?:\([^()]*\))?\s++)?mod\b|__DIR__"
)


async def lost_modules(head: Reach, base: Reach, lost_imports: Mapping[str, Sequence[Link]]) -> tuple[Reference, ...]:
    """Return the broken imports.

    `lost_imports`: file of the head tree -> its imports of removed files. Guarded imports do not count.
    """
    if not lost_imports:
        return ()
    alive = {posixpath.splitext(path)[0] for path in head.paths} | {posixpath.dirname(path) for path in head.paths}
    references: list[Reference] = []
    for path, source in (await head.tree.read_many(sorted(lost_imports))).items():
        resolved_lines = {item.line for item in await head.links(path)}
        if path in head.unread:
            continue
        # if imports name what a file declares, these names are gone as well
        is_by_path = bool(head.language.loader) or not head.declares_content
        items = [item for item in lost_imports[path] if is_by_path]
        uses = resolving.uses(path, source, {word for item in items for word in _import_words(item)})
        guarded_names = {use.name for use in uses if use.is_guarded and use.form == "import"}
        lines = file_lines(source)
        for item in _one_each(items, base):
            is_lost = item.line not in resolved_lines and item.line <= len(lines)
            is_expected = not guarded_names.isdisjoint(_import_words(item))
            if is_lost and not is_expected and head.language.loader in lines[item.line - 1]:
                missing = head.language.whole_files or _stem(item.target) not in alive
                missing = missing and not await _may_be_package(head, item, lines[item.line - 1])
                references.append(_reference(item, path, lines, missing=missing))
    return tuple(references)


async def _may_be_package(head: Reach, item: Link, line: str) -> bool:
    """Return whether a manifest has the name of the removed module, so that a package may provide it now."""
    packaging, word = head.language.packaging, posixpath.basename(_stem(item.target))
    if packaging is None or RELATIVE.search(line):
        return False
    is_first = re.search(rf"(?<![\w./:\\]){re.escape(word)}(?!\w)", line, re.IGNORECASE) is not None
    return is_first and bool(await head.tree.grep(Query([word], packaging.MANIFESTS, word=True)))


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


def _reference(item: Link, path: str, lines: Sequence[str], *, missing: bool) -> Reference:
    """Return the reference to a removed file.

    Without `missing`, another file may take its place or be generated.
    """
    name, text = posixpath.basename(_stem(item.target)), lines[item.line - 1].rstrip("\r")
    line_named = found_by_name(f"{item.target}:{MODULE}", name, path, item.line, text, unique=False)
    return replace(line_named, connection="bound", target_state="lost" if missing else "unknown", form="import")
