"""Java, Kotlin and Scala: one family, because they use each other."""

from dataclasses import replace

from bot.languages import queried
from bot.languages.jvm.packages import JvmPackages, facade_of
from bot.ports import LanguageTraits
from bot.values import Outline, Side
from impact.language import languages

TRAITS = LanguageTraits()
AMBIENT = languages()[".java"].ambient
project = JvmPackages
uses = queried.uses


def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file; Java calls what is in no class of Kotlin by a class that the file is to it."""
    file_outline = queried.outline(path, source, side)
    kinds = ("function", "variable")
    is_reached = any("." not in one.name and one.is_exported and one.kind in kinds for one in file_outline.symbols)
    facade = facade_of(path, source) if is_reached else ""
    return replace(file_outline, exports=(*file_outline.exports, (facade, ""))) if facade else file_outline
