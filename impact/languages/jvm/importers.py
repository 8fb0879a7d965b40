"""Who may use a file of Java, Kotlin or Scala, and what a file of Kotlin is called in Java."""

from dataclasses import replace

from impact import reader
from impact.importers_by_namespace import KnownNamespaces
from impact.language import language_of
from impact.languages.jvm import Modules, facade
from impact.offers import outline as read_outline
from impact.values import Facts, Side


class JvmPackages(KnownNamespaces[Modules]):
    """The packages of one tree. Satisfies `ports.Project`, `ports.SharedScope` and `ports.SelfDescribed`."""

    RESOLVER = Modules


project = JvmPackages


def outline(path: str, source: bytes, side: Side) -> Facts:
    """The definitions of a file; Java calls what is in no class of Kotlin by a class that the file is to it."""
    file_outline = read_outline(path, source, side)
    kinds = ("function", "variable")
    language = language_of(path)
    facts = reader.facts(language, source) if language is not None else None
    is_reached = any("." not in one.name and not one.private and one.kind in kinds for one in file_outline.definitions)
    called = facade(path, facts) if is_reached and facts is not None else ""
    return replace(file_outline, exports=(*file_outline.exports, (called, ""))) if called else file_outline
