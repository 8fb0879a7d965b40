"""What the paths of both trees say of a change, before any file of it is read."""

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate

from bot.dependents.links import FollowedLinks, follow
from bot.machine.concurrency import together
from bot.ports import Language, Tree
from bot.text.filetypes import configs_of, has_common_name, names_any_file
from bot.values import ChangedFile, Query, Side, TreeEntry

PORTION = 1_000  # names that one search looks for


@dataclass(frozen=True, slots=True)
class Trees:
    """The paths of both sides, links followed."""

    links: Mapping[Side, FollowedLinks]
    retargets: frozenset[str]  # paths that mean a file on one side alone, or another one on each
    moves: Mapping[str, str]  # renamed file -> where it is after the change
    words: frozenset[str]  # names of links that come, go or lead elsewhere
    dead_ends: frozenset[str]  # submodules, and links out of the tree, that do
    here: frozenset[str]  # of these, the ones of the head
    foreign: frozenset[str]  # languages in which some file names a path of `turned` that no language reads


async def compare_trees(tree: Tree, files: Sequence[ChangedFile], languages: Mapping[str, Language]) -> Trees:
    """Compare the paths of both sides."""
    head, base, holds, held = await together(
        tree.entries("head"), tree.entries("base"), tree.links("head"), tree.links("base")
    )
    after = frozenset(path for path, entry in head.items() if entry.kind == "file")
    before = frozenset(path for path, entry in base.items() if entry.kind == "file")
    now = follow(holds, after)
    was = now if holds == held and after == before else follow(held, before)
    links: dict[Side, FollowedLinks] = {"head": now, "base": was}
    meant = {path: path for path in after - before} | dict(now.real)
    meant_before = {path: path for path in before - after} | dict(was.real)
    both = after & before
    turned = frozenset(
        path
        for path in meant.keys() | meant_before.keys()
        if path not in both and meant.get(path) != meant_before.get(path)
    )
    opened = {path for path in holds.keys() | held.keys() if holds.get(path) != held.get(path)}
    dead_ends = {path for path in opened if path in now.dead_ends or path in was.dead_ends}
    dead_ends |= _submodules(head) ^ _submodules(base)
    suffixes = tuple(suffix for language in languages.values() for suffix in language.SUFFIXES)
    others = import_names(path for path in turned if not path.endswith(suffixes))
    foreign = await _foreign(tree, others, languages) if others else frozenset()
    moves = {file.old_path: file.path for file in files if file.status == "renamed" and file.old_path}
    words = frozenset(posixpath.basename(path).partition(".")[0] for path in opened) - {""}
    return Trees(links, turned, moves, words, frozenset(dead_ends), frozenset(dead_ends & head.keys()), foreign)


def affected_languages(
    trees: Trees, files: Sequence[ChangedFile], entries: Mapping[str, TreeEntry], languages: Mapping[str, Language]
) -> list[Language]:
    """The languages of the tree whose imports may mean another file, although no file of theirs is compared."""
    names = {posixpath.basename(path) for file in files for path in (file.path, file.old_path) if path}
    asked = []
    for language in languages.values():
        patterns = configs_of(language.NAME)
        configured = bool(patterns) and any(map(re.compile("|".join(map(translate, patterns))).match, names))
        turned = any(path.endswith(language.SUFFIXES) for path in trees.retargets)
        if configured or turned or trees.dead_ends or trees.words or language.NAME in trees.foreign:
            asked.append(language)
    there = {posixpath.splitext(path)[1].lower() for path in entries} if asked else set()
    return [language for language in asked if not there.isdisjoint(language.SUFFIXES)]


def import_names(paths: Iterable[str]) -> frozenset[str]:
    """What an import that means one of these files must write: its name, of a JSON file without the ending, of an index its folder."""
    found = set()
    for path in paths:
        folder, name = posixpath.split(path)
        stem, suffix = posixpath.splitext(name)
        found.add(stem if suffix == ".json" else name)
        if has_common_name(path):
            found.add(posixpath.basename(folder))
    return frozenset(found - {""})


def _submodules(entries: Mapping[str, TreeEntry]) -> set[str]:
    return {path for path, entry in entries.items() if entry.kind == "submodule"}


async def _foreign(tree: Tree, words: Collection[str], languages: Mapping[str, Language]) -> frozenset[str]:
    """The languages in whose files one of the names occurs."""
    able = [language for language in languages.values() if names_any_file(language.NAME)]
    specs = [f"*{suffix}" for language in able for suffix in language.SUFFIXES]
    found = await naming_files(tree, words, specs) if specs else frozenset()
    return frozenset(language.NAME for language in able if any(path.endswith(language.SUFFIXES) for path in found))


async def naming_files(tree: Tree, words: Collection[str], specs: Sequence[str]) -> frozenset[str]:
    """Return the files of these pathspecs in which one of the names occurs."""
    ordered = sorted(words)
    found = [await tree.grep(Query(ordered[at : at + PORTION], specs)) for at in range(0, len(ordered), PORTION)]
    return frozenset().union(*found)
