"""Names that a file hands on of a library, and that mean something else of it, or of another one, after the change.

`from datetime import datetime` becomes `import datetime`, `export { debounce } from "lodash"` names another package: nobody here knows what
either holds, so that nothing is compared, and who takes the name from the file is open.
"""

import re
from collections.abc import Iterable, Sequence

from bot.dependents.symbols import ChangedSource
from bot.ports import NamedImports
from bot.text.paths import is_test
from bot.values import Import, Outline

STAR = "*"
ALIAS = re.compile(r"(?<![=!<>])=\s*+([A-Za-z_$][\w$]*+)(?:\.[\w$]++)*+\s*+;?\s*+\Z")  # `export const client = axios;`


def other_library_names(source: ChangedSource, former: Sequence[Import], imports: Sequence[Import]) -> frozenset[str]:
    """The names on both sides of a file that stand for another thing of a library now; `*` for what it hands on unnamed.

    `former`, `imports`: what the file takes of the tree on both sides, which is compared by its definitions.
    """
    path = source.file.path
    if source.file.status in ("added", "deleted") or is_test(path) or not isinstance(source.language, NamedImports):
        return frozenset()
    before, after = map(source.language.import_bindings, (source.before, source.after))
    tree_names = _names_of(former) & _names_of(imports)
    library_names = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)} - tree_names
    if not library_names:
        return frozenset()
    old, new = dict(source.old.exports), dict(source.new.exports)
    names = {
        name
        for name in old.keys() & new.keys()
        for was, now in ((old[name] or name, new[name] or name),)
        if (was in library_names and was in before) or (was == now and _is_alias(source, was, library_names))
    }
    return frozenset(names | ({STAR} & library_names & before.keys()))


def _names_of(items: Iterable[Import]) -> set[str]:
    """The names that imports of the tree bind."""
    pairs = [(name, dict(item.aliases)) for item in items for name in item.names]
    return {here.get(name, name) for name, here in pairs}


def _is_alias(source: ChangedSource, name: str, library_names: set[str]) -> bool:
    """Whether a definition is another name of what an import brings, and nothing else."""
    roots = {_root(text, outline, name) for text, outline in ((source.before, source.old), (source.after, source.new))}
    return len(roots) == 1 and not roots.isdisjoint(library_names)


def _root(text: bytes, outline: Outline, name: str) -> str:
    symbol = next((one for one in outline.symbols if one.name == name and one.kind == "variable"), None)
    if symbol is None or symbol.start != symbol.end:
        return ""
    lines = text.split(b"\n")
    line = lines[symbol.start - 1].decode("utf-8", "replace") if symbol.start <= len(lines) else ""
    match = ALIAS.search(line)
    return match[1] if match is not None else ""
