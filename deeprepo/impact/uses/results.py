"""Find the class of a called function's result."""

from deeprepo.impact.language import language_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.reading.results import classes_of_results
from deeprepo.impact.uses.exports import Exports
from deeprepo.impact.values import Definition


async def class_of_result(tree: Tree, exports: Exports, path: str, called: str, known: dict[Definition, str]) -> str:
    """Return the class of a called function's results, as PATH:NAME; "" if unknown.

    `known`: a cache of the classes, as their files write them.
    """
    function = await _meaning(exports, path, called)
    if function is None or function.signature is None:
        return ""
    if function not in known:
        language, source = language_of(function.path), await tree.read(function.path, function.side)
        wanted = ((function.short, function.start, function.end),)
        found = classes_of_results(language, source, wanted) if language is not None and source is not None else None
        known[function] = found[0] if found else ""
    of = await _meaning(exports, function.path, known[function])
    return f"{of.path}:{of.name}" if of is not None and of.kind == "class" else ""


async def _meaning(exports: Exports, path: str, written: str) -> Definition | None:
    """Return the definition that a name refers to, if it is unique in its file: also a member written with its class."""
    found = await exports.named(path, written) if written else None
    owner, _, member = written.replace("::", ".").rpartition(".")
    of = await exports.named(path, owner) if found is None and owner else None
    holder = found or of
    outline = await exports.outline("head", holder.path) if holder is not None else None
    name = found.name if found is not None else f"{of.name}.{member}" if of is not None else ""
    rows = [symbol for symbol in outline.definitions if symbol.name == name] if outline is not None else []
    return rows[0] if len(rows) == 1 else None
