"""Swift: files of a module see each other, other modules are imported whole, and an extension adds members to a type of any file."""

from collections.abc import Collection, Mapping

from bot.languages import queried
from bot.languages.swift.modules import SwiftModules
from bot.ports import LanguageTraits

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
__all__ = ["AMBIENT", "TRAITS", "outline", "project", "uses"]
outline = queried.outline
uses = queried.uses


def project(paths: Collection[str], configs: Mapping[str, bytes]) -> SwiftModules:
    """The resolver of one side's tree."""
    return SwiftModules(paths, configs)
