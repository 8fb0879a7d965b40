"""Swift: files of a module see each other, other modules are imported whole, and an extension adds members to a type of any file."""

from collections.abc import Collection, Mapping

from bot.languages import queried
from bot.languages.swift.modules import SwiftModules

outline = queried.outline
uses = queried.uses


def project(paths: Collection[str], configs: Mapping[str, bytes]) -> SwiftModules:
    """The resolver of one side's tree."""
    return SwiftModules(paths, configs)
