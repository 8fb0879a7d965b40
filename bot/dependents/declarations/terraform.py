"""Terraform and OpenTofu: a module is a folder. Variables, local values, calls, resources and outputs."""

import json
import posixpath
import re
from itertools import islice

from bot.dependents.declarations import SUFFIXES, VALUES, hcl
from bot.dependents.declarations.kinds import MODULE_KINDS
from bot.dependents.declarations.reading import (
    CallSite,
    DataReading,
    Declaration,
    NameUse,
    Paths,
    Scope,
    UnreadableDataError,
    beside,
)
from bot.text.lines import line_number

META = frozenset(
    {"source", "version", "providers", "count", "for_each", "depends_on"}
)  # of a call, for Terraform itself
_FORMER = frozenset({"moved", "removed", "import"})  # blocks that name what is not there any more, or not yet
_MODULE_OUTPUT, _DATA = 3, 3  # names of module.x.output and of data.type.name
_UNDERSCORE = "_"
MOST_BELOW = 5_000  # files below a module among which those of values are looked for
SETTING = re.compile(
    r"^([A-Za-z_][\w-]*+)[ \t]*+=(?!=)", re.MULTILINE
)  # at the outermost level, as formatters indent it


def read(path: str, text: str, paths: Paths) -> DataReading:
    """What one file of a module declares and uses. Raises `UnreadableDataError`."""
    folder = posixpath.dirname(path)
    if path.endswith(VALUES):
        return _values(path, text, _home(folder, paths), paths)
    reading = DataReading(scopes={Scope(kind, folder) for kind in MODULE_KINDS})
    reading.mates = _files(folder, paths) | _value_files(folder, paths)
    if path.endswith(".json"):
        _read_json(reading, path, folder, text)
        return reading
    blocks, chains = hcl.read(text)
    for block in blocks:
        _declare(reading, block, path, folder)
        if block.kind == "module" and block.labels:
            _call(reading, block, path, folder, paths)
    for chain in chains:
        if chain.block not in _FORMER:
            _use(reading, chain, path, folder)
    return reading


def _files(folder: str, paths: Paths) -> frozenset[str]:
    return paths.group("terraform", folder, lambda: (one for one in paths.inside(folder) if one.endswith(SUFFIXES)))


def _value_files(folder: str, paths: Paths) -> frozenset[str]:
    """The files of values in a module's folder, and in folders below it that are no modules."""
    below = (one for one in islice(paths.below(folder), MOST_BELOW) if one.endswith(VALUES))
    return paths.group(
        "values", folder, lambda: (one for one in below if _home(posixpath.dirname(one), paths) == folder)
    )


def _home(folder: str, paths: Paths) -> str | None:
    """The nearest module, in a folder or in one around it."""
    while not _files(folder, paths):
        if not folder:
            return None
        folder = posixpath.dirname(folder)
    return folder


def _values(path: str, text: str, home: str | None, paths: Paths) -> DataReading:
    """What a file of values sets: variables of the nearest module, if it is meant for that one."""
    reading = DataReading(is_foreign=home is None)
    if home is not None:
        reading.mates = _files(home, paths)
        names = ((match[1], line_number(text, match.start())) for match in SETTING.finditer(text))
        reading.uses = [NameUse(Scope("variable", home), name, path, line, "hint") for name, line in names]
    return reading


def _declare(reading: DataReading, block: hcl.HclBlock, path: str, folder: str) -> None:
    if block.kind in ("variable", "output", "module") and block.labels:
        is_required = block.kind == "variable" and "default" not in block.attributes
        scope = Scope(block.kind, folder)
        reading.declarations.append(Declaration(scope, block.labels[0], path, block.line, is_required))
    elif block.kind == "locals":
        scope = Scope("local", folder)
        reading.declarations += [Declaration(scope, name, path, line) for name, (line, _) in block.attributes.items()]
    elif block.kind in ("resource", "data", "ephemeral") and len(block.labels) > 1:
        name = ".".join([*([] if block.kind == "resource" else [block.kind]), *block.labels[:2]])
        reading.declarations.append(Declaration(Scope("resource", folder), name, path, block.line))


def _call(reading: DataReading, block: hcl.HclBlock, path: str, folder: str, paths: Paths) -> None:
    """A call of another module: what it gives, if its source is a folder of the tree."""
    name = block.labels[0]
    outputs = Scope("output", f"{folder}#{name}")
    line, source = block.attributes.get("source", (block.line, None))
    target = beside(folder, source) if source is not None and source.startswith(("./", "../", ".")) else None
    if source is None or target is None:
        reading.doubts[outputs] = "its source is out of sight"
        return
    files = _files(target, paths)
    there = Scope("module folder", "")
    reading.scopes.add(there)
    reading.uses.append(NameUse(there, target or ".", path, line, "removed"))
    reading.aliases[outputs] = Scope("output", target)
    if not files:
        return
    home = min(files)
    reading.declarations.append(Declaration(there, target or ".", home, 1))
    reading.needs.add(home)
    variables = Scope("variable", target)
    names = {key: place for key, (place, _) in block.attributes.items() if key not in META}
    reading.uses += [NameUse(variables, key, path, place) for key, place in names.items()]
    reading.calls.append(CallSite(variables, frozenset(names), path, block.line, f"module.{name}"))


def _use(reading: DataReading, chain: hcl.Chain, path: str, folder: str) -> None:
    root, name, *rest = chain.names
    if root in ("var", "local"):
        kind = "variable" if root == "var" else "local"
        reading.uses.append(NameUse(Scope(kind, folder), name, path, chain.line))
    elif root == "module":
        reading.uses.append(NameUse(Scope("module", folder), name, path, chain.line))
        if rest:
            reading.uses.append(NameUse(Scope("output", f"{folder}#{name}"), rest[0], path, chain.line))
    elif root in ("data", "ephemeral") and rest:
        reading.uses.append(
            NameUse(Scope("resource", folder), ".".join([root, name, rest[0]]), path, chain.line, "removed")
        )
    elif _UNDERSCORE in root:  # a type of a provider; what a loop calls so was no resource before
        reading.uses.append(NameUse(Scope("resource", folder), f"{root}.{name}", path, chain.line, "removed"))


def _read_json(reading: DataReading, path: str, folder: str, text: str) -> None:
    """The declarations of a file in JSON; its expressions are texts and are not read."""
    try:
        value = json.loads(text) if text else {}
    except (ValueError, RecursionError) as error:
        raise UnreadableDataError("it is not JSON") from error
    for kind in ("variable", "output", "module", "locals", "resource", "data"):
        rows = value.get(kind) if isinstance(value, dict) else None
        for row in rows if isinstance(rows, list) else [rows]:
            for name, inner in row.items() if isinstance(row, dict) else ():
                if kind in ("resource", "data"):
                    start = "" if kind == "resource" else "data."
                    names = [f"{start}{name}.{one}" for one in inner] if isinstance(inner, dict) else []
                    reading.declarations += [Declaration(Scope("resource", folder), one, path, 1) for one in names]
                else:
                    scope = Scope("local" if kind == "locals" else kind, folder)
                    is_required = kind == "variable" and not (isinstance(inner, dict) and "default" in inner)
                    reading.declarations.append(Declaration(scope, name, path, 1, is_required))
                    if kind == "module":
                        reading.doubts[Scope("output", f"{folder}#{name}")] = "its call is written in JSON"
