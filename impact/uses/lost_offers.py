"""Public names that published packages have no more. Nobody in the tree has to use them: who installed the package may."""

import re
from collections.abc import Iterable, Sequence

from impact.changes import ChangedFile, ChangedSymbol, LostOffer
from impact.ports import Language, Offering, Tree
from impact.uses.exports import Exports
from impact.uses.packages import offer_of
from impact.values import Definition

HANDS_ON = re.compile(
    r"\s*+(?:export|import|from|pub|use|module\.exports|[\w*, ]*+[,)}])"
)  # a line by which a door may offer a name
MOST_DOORS = 40  # of the packages that hold a changed file
RELEASED = re.compile(r"v?(\d{1,3})\.(\d+)(?:\.\d+)*")  # neither a candidate of a release nor a year


async def lost_offers(
    tree: Tree, language: Language, exports: Exports, files: Sequence[ChangedFile], symbols: Iterable[ChangedSymbol]
) -> tuple[LostOffer, ...]:
    """The public definitions that are gone from the doors of the packages whose files change, each with the version that it asks for."""
    is_less = any(item.change in ("removed", "renamed") and not item.symbol.owner for item in symbols)
    removed = (line.text for file in files for hunk in file.hunks for line in hunk.lines if line.kind == "-")
    if language.packaging is None or not (is_less or any(HANDS_ON.match(text) for text in removed)):
        return ()
    languages = {language.NAME: language}
    paths = {file.old_path for file in files if file.old_path}
    packages = [one for one in await offer_of(tree, languages, "base", paths) if any(map(one.holds, paths))]
    versions = {one.name: one.version for one in await offer_of(tree, languages, "head", paths)} if packages else {}
    found: list[LostOffer] = []
    for package in packages:
        asks = _asks(package.version, versions.get(package.name, ""))
        for door in package.doors[:MOST_DOORS] if asks else ():
            source = (await tree.read(door, "base") or b"").decode("utf-8", "replace")
            for name in sorted(await exports.gone_names(door)):
                is_said = not isinstance(language.packaging, Offering) or language.packaging.offers(source, name)
                meant = await exports.meaning(door, name, side="base") if is_said and name[0] != "_" else "unknown"
                if isinstance(meant, Definition) and meant.visible in ("", "anywhere") and meant.kind != "module":
                    found.append(LostOffer(package.name, name, door, package.version, asks))
    return tuple({(one.package, one.name): one for one in found}.values())


def _asks(before: str, after: str) -> str:
    """The version that may lack a public name, after one that is released; "" if the change goes to such a version, or nobody can know."""
    was, now = RELEASED.fullmatch(before), RELEASED.fullmatch(after)
    if was is None or now is None:
        return ""
    old, new = ((int(one[1]), int(one[2])) for one in (was, now))
    if new[0] > old[0] or (not old[0] and new > old):
        return ""
    return f"{new[0] + 1}.0.0" if new[0] else f"0.{new[1] + 1}.0"
