"""Types that have what others have: a structure those of the types that it embeds, an alias those of the type that it names."""

from impact.uses.exports import Exports

DEPTH = 8  # types between one and the last that it has something from
Type = tuple[str, str]  # a file that declares it, and its name


async def declared(exports: Exports, path: str, written: str) -> Type | None:
    """The type of the tree that a file means by a name, alone or behind that of a package; None where that is not known."""
    package, _, name = written.rpartition(".")
    homes = (
        [item.target for item in await exports.imports(path) if dict(item.aliases).get("*") == package]
        if package
        else [path, *exports.mates(path)]
    )
    found = [home for home in sorted(homes) if await _defines(exports, home, name)]
    return (found[0], name) if len(found) == 1 else None


async def is_member(exports: Exports, path: str, owner: str, name: str, depth: int = DEPTH) -> bool:
    """Whether a type has a member after the change, itself or by what it embeds or names."""
    own = f"{owner}.{name}"
    if any([await _defines(exports, home, own) for home in (path, *sorted(exports.mates(path)))]):
        return True
    above = [await declared(exports, path, one) for one in await exports.bases(path, owner) or ()]
    return depth > 0 and any([one is not None and await is_member(exports, *one, name, depth - 1) for one in above])


async def embeds(exports: Exports, path: str, heir: str, one: Type) -> bool:
    """Whether a structure embeds a type and writes no member of its own in front of what that has."""
    bases = await exports.bases(path, heir) or ()
    homes = {one[0], *exports.mates(one[0])}
    above = [await declared(exports, path, base) for base in bases if base.rpartition(".")[2] == one[1]]
    return any(found is not None and found[0] in homes for found in above)


async def _defines(exports: Exports, path: str, name: str) -> bool:
    outline = await exports.outline("head", path)
    return outline is not None and any(symbol.name == name for symbol in outline.definitions)
