"""Resolve names: what a module exports, through re-exports, and what a name refers to inside a file."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from deeprepo.impact.language import language_of
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.resolving.index import Index
from deeprepo.impact.resolving.namespaces import Namespaces
from deeprepo.impact.structs import Struct, replace
from deeprepo.impact.values import Definition, Facts, Import

DEPTH = 8  # re-exports that are followed


class Answer(Struct, frozen=True):
    """Whether a module exports a name. `open`: unknown."""

    state: Literal["found", "absent", "open"]
    definitions: tuple[tuple[str, Definition], ...] = ()  # pairs of path and definition, if known
    modules: tuple[str, ...] = ()  # the files of the module, if the name is a module
    # for a re-exported name that could not be resolved: whether its source has it
    beyond: Literal["", "absent", "open"] = ""


OPEN, ABSENT = Answer("open"), Answer("absent")


def offered(index: Index, files: Iterable[str], name: str, depth: int = DEPTH) -> Answer:
    """Return what a name of a module refers to; a module may consist of several files."""
    answers = [_once(index, path, name, depth) for path in files]
    found = [answer for answer in answers if answer.state == "found"]
    if found:
        modules = dict.fromkeys(path for answer in found for path in answer.modules)
        return Answer("found", tuple(row for answer in found for row in answer.definitions), tuple(modules))
    return ABSENT if answers and all(answer.state == "absent" for answer in answers) else OPEN


def _once(index: Index, path: str, name: str, depth: int) -> Answer:
    """Return what a name of a file refers to.

    Results are cached, because files that re-export each other form very many paths.
    """
    key = path, name, depth
    if key not in index.answers:
        answer = _of_file(index, path, name, depth)
        index.answers[key] = answer
        return answer
    found: Answer = index.answers[key]
    return found


def _of_file(index: Index, path: str, name: str, depth: int) -> Answer:
    language, facts = language_of(path), index.facts(path)
    modules = index.modules(language) if language is not None else None
    if language is None or modules is None or depth == 0:
        return OPEN
    if facts is None:
        source = index.sources.get(path)  # a file that is too large to parse is only searched for the word
        return ABSENT if source is not None and language_of(path) and name.encode() not in source else OPEN
    own = tuple((path, one) for one in facts.definitions if one.is_named(name) and not one.private)
    is_whole = isinstance(modules, Namespaces) and modules.is_whole(path, name)
    if own or is_whole:  # if the file also re-exports another definition of that name, a condition may decide
        is_either = own and any(
            one.here == name for item in facts.imports if item.hands_on and item.spec for one in item.names
        )
        return OPEN if is_either else Answer("found", own, (path,) if is_whole else ())
    through = _handed_on(index, modules, path, facts, name, depth)
    if through is not ABSENT:
        return through
    if language.scope.exports and not any(not one.by_query.common and not one.private for one in facts.definitions):
        # it exports nothing, or only an object as its default
        is_script = not any(item.hands_on for item in facts.imports)
        is_open = name == "default" or (is_script and all(one.private for one in facts.definitions))
        return OPEN if is_open or facts.may_offer(name) else ABSENT
    return OPEN if facts.may_offer(name) else ABSENT


def _handed_on(index: Index, modules: Resolver, path: str, facts: Facts, name: str, depth: int) -> Answer:
    is_open = False
    for item in facts.imports:
        if not item.hands_on:
            continue
        for bound in item.names:
            if bound.here == name:
                return _followed(index, modules, path, facts, item, bound.there, depth)
        if item.whole and name in (item.whole, item.whole.partition(".")[0]):
            return Answer("found", (), modules.files(path, item) or () if item.whole == name else ())
        if item.star:
            files = modules.files(path, item, name)
            answer = offered(index, files, name, depth - 1) if files and path not in files else OPEN
            # not visible outside that file's folder
            is_hidden = any(one.visible == "below" for _, one in answer.definitions)
            if answer.state == "found" and not is_hidden:
                return answer
            is_open = is_open or is_hidden or answer.state == "open"
    return OPEN if is_open else ABSENT


def _followed(index: Index, modules: Resolver, path: str, facts: Facts, item: Import, there: str, depth: int) -> Answer:
    if not item.spec:  # an alias of a name in this file
        own = tuple((path, one) for one in facts.definitions if one.is_named(there))
        return Answer("found", own)
    answer = taken(index, modules, path, item, there, depth - 1)
    # the missing source is reported elsewhere
    return answer if answer.state == "found" else Answer("found", beyond=answer.state)


def taken(index: Index, modules: Resolver, path: str, item: Import, name: str, depth: int = DEPTH) -> Answer:
    """Return what an imported name refers to: a module, or what the module exports under this name."""
    inner = modules.inner(path, item, name)
    if inner:
        return Answer("found", (), inner)
    files = modules.files(path, item, name)
    if not files:
        return ABSENT if inner is not None and files is not None else OPEN
    answer = offered(index, files, name, depth) if path not in files else OPEN
    return answer if inner is not None or answer.state == "found" else OPEN


def called(index: Index, path: str, receiver: str) -> tuple[Import, tuple[str, ...]] | None:
    """Return the import that binds a name to a module, with the module's files.

    Return None if there is none or it is ambiguous.
    """
    facts, language = index.facts(path), language_of(path)
    modules = index.modules(language) if language is not None else None
    if facts is None or language is None or modules is None:
        return None
    found: list[tuple[Import, tuple[str, ...]]] = []
    for item in facts.imports:
        files = () if item.names or item.star else modules.files(path, item) or ()
        module_name = item.whole or next((one.module for home in files if (one := index.facts(home)) is not None), "")
        if module_name == receiver:
            found.append((item, files))
        for bound in item.names:
            if bound.here == receiver:
                answer = taken(index, modules, path, item, bound.there) if not item.inside else OPEN
                whole = replace(item, spec=language.below(item.spec, bound.there))
                found.append((whole, answer.modules if not answer.definitions else ()))
    return found[0] if len(found) == 1 and found[0][1] else None


def named(index: Index, path: str, name: str) -> Answer:
    """Return what a plain name refers to in a file: its own definition or an import."""
    facts, language = index.facts(path), language_of(path)
    modules = index.modules(language) if language is not None else None
    if facts is None or modules is None or language is None:
        return OPEN
    if language.scope.definition_lines:
        known = [(home, index.facts(home)) for home in index.homes(language, language.scope.definition_lines, name)]
        types = [(home, one) for home, facts in known if facts is not None for one in facts.definitions]
        types = [row for row in types if row[1].name == name and row[1].kind in ("class", "type")]
        if types:
            return Answer("found", tuple(types))
    found = of_visible_files(index, modules.visible_files(path, name) or (path,), name)
    rows = [(item, bound) for item in facts.imports for bound in item.names if bound.here == name]
    if any(name in (item.whole, item.whole.partition(".")[0]) for item in facts.imports):
        return OPEN  # a module has the same name
    if not rows and found.state != "found":
        return by_star(index, modules, path, facts, name)
    if found.state == "found" or len(rows) != 1 or rows[0][0].inside:
        return OPEN if rows else found
    item, bound = rows[0]
    return taken(index, modules, path, item, bound.there)


def named_by(index: Index, path: str, written: str) -> Answer:
    """Return what a name refers to that may be qualified: `order::Order`, `ship.Order`."""
    answer = _behind_module(index, path, written)
    if answer.state == "open":  # it may be used without an import statement
        homes = [item.target for item in index.links(path) if written in item.names]
        return offered(index, homes[:1], written)
    return answer


def _behind_module(index: Index, path: str, written: str) -> Answer:
    language = language_of(path)
    separator = "." if language is None or "." in written else language.scope.separator
    receiver, _, name = written.rpartition(separator)
    if not receiver or language is None:
        return named(index, path, written)
    module, modules = called(index, path, receiver), index.modules(language)
    if module is None and modules is not None and re.fullmatch(language.scope.whole_paths, receiver):
        return taken(index, modules, path, Import(receiver, 0), name)
    return offered(index, module[1], name) if module is not None else OPEN


def by_star(index: Index, modules: Resolver, path: str, facts: Facts, name: str) -> Answer:
    """Return what a name refers to that only a wildcard import can bind; known if exactly one provides it."""
    stars = [modules.files(path, item, name) for item in facts.imports if item.star]
    answers = [offered(index, files, name) for files in stars if files and path not in files]
    found = [answer for answer in answers if answer.state == "found"]
    return found[0] if len(found) == 1 else OPEN


def of_visible_files(index: Index, visible_files: Sequence[str], name: str) -> Answer:
    """Return what a name refers to among files that share names without imports."""
    known = [(path, index.facts(path)) for path in visible_files]
    if any(facts is None for _, facts in known):
        return OPEN
    rows = [
        (path, one)
        for path, facts in known
        for one in (facts.definitions if facts is not None else ())
        if one.is_named(name)
    ]
    return Answer("found", tuple(rows)) if rows else OPEN


def names_of(index: Index, files: Iterable[str]) -> tuple[str, ...]:
    """Return the names that a module writes itself, for suggestions."""
    names: dict[str, None] = {}
    for path in files:
        facts = index.facts(path)
        if facts is None:
            continue
        names.update(dict.fromkeys(one.name for one in facts.definitions if not one.owner and not one.private))
        for item in facts.imports:
            if item.hands_on:
                names.update(dict.fromkeys(bound.here for bound in item.names))
    return tuple(name for name in names if name != "default")
