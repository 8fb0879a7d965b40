"""Java, Kotlin and Scala: one family, because they use each other."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache

from bot.languages import queried, syntax, typed_receivers
from bot.languages.constructions import with_constructions
from bot.languages.jvm import scala
from bot.languages.jvm.packages import JvmPackages, facade_of, imported_names
from bot.languages.unreadable import finds, outlines
from bot.ports import LanguageTraits
from bot.values import Outline, Side, Use

TRAITS = LanguageTraits()
# Members of every object, and the languages' own functions: what loses a definition of such a name still has one.
KOTLIN = (
    "also apply arrayOf buildString check checkNotNull component1 component2 copy error forEach getOrElse invoke let lazy listOf map "
    "mapOf maxOf minOf name ordinal plus print println repeat require requireNotNull run setOf takeIf takeUnless to use "
    "valueOf values with"
)
SCALA = "assert assume classOf flatMap foreach identity implicitly locally main none summon synchronized"
TEXT = (  # members of every text
    "charAt codePointAt endsWith equalsIgnoreCase getBytes indexOf isBlank isEmpty lastIndexOf replaceAll replaceFirst startsWith "
    "toCharArray toLowerCase toUpperCase"
)
AMBIENT = frozenset(f"{KOTLIN} {SCALA} {TEXT}".split()) | scala.OF_EVERY_CASE_CLASS

__all__ = ["AMBIENT", "TRAITS", "outline", "project", "uses"]


project = JvmPackages


@outlines
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file and what an importer can ask of it."""
    if not path.endswith(".scala"):
        return _with_facade(path, source, queried.outline(path, source, side))
    return scala.outline(path, source, side)


def _with_facade(path: str, source: bytes, file_outline: Outline) -> Outline:
    """Java calls what is in no class of Kotlin by a class that the file is to it."""
    kinds = ("function", "variable")
    is_reached = any("." not in one.name and one.is_exported and one.kind in kinds for one in file_outline.symbols)
    facade = facade_of(path, source) if is_reached else ""
    return replace(file_outline, exports=(*file_outline.exports, (facade, ""))) if facade else file_outline


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The identifiers of a file that are spelt like one of the names."""
    if not path.endswith(".scala"):
        return queried.uses(path, source, names)

    def bare(name: str, classes: Sequence[str]) -> tuple[str, ...]:
        owners, bases = _members(path, source)
        having = next((one for one in classes if one in owners.get(name, ())), "")
        if having or not classes or name in _import_words(path, source):
            return (having,) if having else ()
        open_to = any(bases.get(one) for one in classes)
        return syntax.UNKNOWN if open_to else ()

    root = scala.root(source)
    own_uses = typed_receivers.uses(root, source, names, scala.READING, bare)
    return with_constructions(root, own_uses, scala.CLASSES, scala.constructions)


@lru_cache(maxsize=64)
def _members(path: str, source: bytes) -> tuple[dict[str, set[str]], dict[str, tuple[str, ...]]]:
    """Member -> the classes of the file that define it, and what each class inherits."""
    file_outline = outline(path, source, "head")
    owners: dict[str, set[str]] = {}
    for symbol in file_outline.symbols:
        owner = symbol.name.rpartition(".")[0]
        if owner:
            owners.setdefault(symbol.short, set()).add(owner.rpartition(".")[2])
    return owners, dict(file_outline.bases)


@lru_cache(maxsize=64)
def _import_words(path: str, source: bytes) -> frozenset[str]:
    return frozenset(one.name.rpartition(".")[2] for one in imported_names(path, source))
