"""Terraform and OpenTofu: a module is a folder. Variables, local values, calls, resources and outputs."""

import json
import posixpath

from bot.dependents.declarations import SUFFIXES, hcl
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

META = frozenset(
    {"source", "version", "providers", "count", "for_each", "depends_on"}
)  # of a call, for Terraform itself
_FORMER = frozenset({"moved", "removed", "import"})  # blocks that name what is not there any more, or not yet
_MODULE_OUTPUT, _DATA = 3, 3  # names of module.x.output and of data.type.name
_UNDERSCORE = "_"


def read(path: str, text: str, paths: Paths) -> DataReading:
    """What one file of a module declares and uses. Raises `UnreadableDataError`."""
    folder = posixpath.dirname(path)
    reading = DataReading(scopes={Scope(kind, folder) for kind in MODULE_KINDS})
    reading.mates = _files(folder, paths)
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
