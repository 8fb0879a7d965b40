"""Swift: files of a module see each other, other modules are imported whole, and an extension adds members to a type of any file."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from bot.languages import syntax, typed_receivers
from bot.languages.lexical import is_telling
from bot.languages.swift.modules import SwiftModules
from bot.languages.swift.outline import UNKNOWN_BASE, outline_of, root
from bot.languages.swift.uses import READING
from bot.languages.syntax import text
from bot.languages.unreadable import check_nesting, finds, outlines
from bot.ports import LanguageTraits
from bot.values import Outline, Side, SomeUses, Use

TRAITS = LanguageTraits()
# Functions of the standard library, of C and of Foundation, and members that every object or collection has.
GIVEN = (
    "abs acos asin assert assertionFailure atan atan2 cbrt ceil close cos debugPrint description dump encode exit exp exp2 fabs "
    "fatalError fmod floor fopen free getenv hash hashValue hypot init isKnownUniquelyReferenced joined log log10 log2 malloc map max "
    "memcpy memset min numericCast open pow precondition preconditionFailure print random read readLine remove round self sequence "
    "sin sleep sqrt stride swap tan time trunc type unsafeBitCast usleep withUnsafeBytes withUnsafePointer write zip"
)
# Members of every text, number and collection.
MEMBERS = (
    "allSatisfy bigEndian bitWidth byteSwapped compactMap compactMapValues debugDescription dropFirst dropLast endIndex enumerated "
    "firstIndex flatMap forEach hasPrefix hasSuffix isEmpty lastIndex littleEndian localizedDescription lowercased mapValues popLast "
    "rawValue removeAll removeFirst removeLast removeValue replaceSubrange reserveCapacity startIndex uppercased withUnsafeBufferPointer "
    "withUnsafeMutableBytes"
)
AMBIENT = frozenset(f"{GIVEN} {MEMBERS}".split())
TELLING = 2  # words of a name that hardly a base of another module has

__all__ = ["AMBIENT", "TRAITS", "outline", "project", "uses"]


def project(paths: Collection[str], configs: Mapping[str, bytes]) -> SwiftModules:
    """The resolver of one side's tree."""
    return SwiftModules(paths, configs)


@outlines
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file and what the files of its module, or those that import it, can ask of it."""
    return outline_of(path, source, side)


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The identifiers of a file that are spelt like one of the names."""
    if not syntax.any_of(frozenset(names)).search(source):
        return ()
    check_nesting(source)

    def bare(name: str, classes: Sequence[str]) -> tuple[str, ...]:
        members, bases = _members(path, source)
        having = next((one for one in classes if (one, name) in members), "")
        if having or not classes:
            return (having,) if having else ()
        is_vague = not is_telling(name, TELLING) and any(bases.get(one) for one in classes)
        return syntax.UNKNOWN if is_vague else ()

    tree = root(source)
    return typed_receivers.uses(tree, source, names, READING, bare)


@lru_cache(maxsize=64)
def _members(path: str, source: bytes) -> tuple[frozenset[tuple[str, str]], dict[str, frozenset[str]]]:
    """The members of a file with their types, and what each type names as its bases."""
    file_outline = outline(path, source, "head")
    owners = ((symbol.name.rpartition(".")[0].rpartition(".")[2], symbol.short) for symbol in file_outline.symbols)
    return frozenset(owners), {name: frozenset(bases) - {UNKNOWN_BASE} for name, bases in file_outline.bases}
