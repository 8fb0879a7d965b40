"""Find imports, names, members and calls in new lines that do not match the repository's code."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from deeprepo.impact.language import Language, language_of
from deeprepo.impact.reading.marks import CLASSES
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.resolving.calls import misfit
from deeprepo.impact.resolving.classes import constructors, has_member, lineage, members
from deeprepo.impact.resolving.index import Index
from deeprepo.impact.resolving.namespaces import Namespaces
from deeprepo.impact.resolving.resolve import ABSENT, OPEN, Answer, called, is_declared, named, names_of, offered, taken
from deeprepo.impact.resolving.seen import Seen, Typed
from deeprepo.impact.resolving.wholes import builds, parts_of, types_of, wanted_parts
from deeprepo.impact.structs import replace
from deeprepo.impact.values import Arguments, Definition, Facts, Import, Parameter, Place, Rule, Use, positional

ALIKE = 0.72  # minimum similarity of a suggestion, from 0 to 1
BESIDE = 0.06  # how far below the best suggestion's similarity another one may be
NEAR = 3  # suggestions
LIBRARY = "unknown: no module of this tree, or one that a build may create"
UNWRITTEN = "unknown: it may exist without being written"


def places(index: Index, change: Mapping[str, Collection[int]]) -> tuple[Place, ...]:
    """Return the places in added lines that name something missing. Places with the same cause are merged."""
    found: dict[tuple[str, str, str, str, str], Place] = {}
    for path, lines in change.items():
        for place in _of_file(index, path, frozenset(lines)):
            key = place.path, place.rule, place.name, place.home, place.says
            first = found.setdefault(key, place)
            if place.line != first.line:
                found[key] = replace(first, also=tuple(sorted({*first.also, place.line})))
    return tuple(sorted(found.values(), key=lambda one: (one.path, one.line)))


def _of_file(index: Index, path: str, lines: Collection[int]) -> Iterator[Place]:
    language, facts = language_of(path), index.facts(path)
    modules = index.modules(language) if language is not None else None
    if language is None or facts is None or modules is None:
        return
    seen = index.seen(path, lines)
    if seen is None:
        return
    file = _File(index, language, modules, path, facts, seen)
    yield from file.of_literals(lines)
    if language.search_only:
        return
    for item in facts.imports:
        yield from file.of_import(item, lines)
    for use in seen.uses:
        yield from file.of_use(use)


class _File:
    """Checks one changed file."""

    def __init__(
        self, index: Index, language: Language, modules: Resolver, path: str, facts: Facts, seen: Seen
    ) -> None:
        self._index, self._language, self._modules = index, language, modules
        self._path, self._facts, self._seen = path, facts, seen

    def of_import(self, item: Import, lines: Collection[int]) -> Iterator[Place]:
        """Yield the names that an import takes although they do not exist."""
        mine = [bound for bound in item.names if bound.line in lines]
        if item.guarded or item.of_type or not item.spec or not (item.line in lines or mine):
            return
        files = (
            self._modules.files(self._path, item) if is_declared(self._index, self._modules, self._path, item) else None
        )
        if files is None and self._language.inline_modules:
            yield from self._above(item)
        if files is None or self._path in files:
            self._conclude(item.line, item.spec, LIBRARY)
            return
        if not files:
            if item.line in lines:
                near = self._modules.near(self._path, item)
                yield self._place(item.line, item.spec, "missing-module", (), near=near, asked=item.spec)
            return
        made = re.compile(f"{self._language.scope.generated_names or '(?!)'}|{self._language.scope.implicit_names}")
        for bound in mine:
            self._conclude(bound.line, bound.there, _meaning(self._name_of(item, bound.there)))
            if not made.fullmatch(bound.there) and self._name_of(item, bound.there) is ABSENT:
                below = replace(item, spec=self._language.below(item.spec, bound.there))
                modules = [
                    spec.rpartition(self._language.scope.separator)[2] for spec in self._modules.near(self._path, below)
                ]
                near = _near(bound.there, [*names_of(self._index, files), *modules])
                place = self._place(bound.line, bound.there, "missing-name", files, near=near, asked=item.spec)
                yield replace(place, here=bound.here)

    def _above(self, item: Import) -> Iterator[Place]:
        """Yield a module that is neither a file nor a name in its parent module."""
        spec = item.spec
        files: tuple[str, ...] | None = None
        name = ""
        while not files and (parts := spec.rpartition(self._language.scope.separator))[0]:
            spec, _, name = parts
            files = self._modules.files(self._path, replace(item, spec=spec))
        outer = replace(item, spec=spec)
        if not files or self._modules.inner(self._path, outer, name) != ():
            return
        if offered(self._index, files, name) is ABSENT:
            whole = self._language.below(spec, name)
            near = _near(name, names_of(self._index, files))
            yield self._place(item.line, whole, "missing-module", files, near=near, asked=spec)

    def _conclude(self, line: int, name: str, says: str) -> None:
        """Note what is known about a name, for `explain`."""
        if self._index.conclusions is not None:
            self._index.conclusions[self._path, line, name] = says

    def _name_of(self, item: Import, name: str) -> Answer:
        return taken(self._index, self._modules, self._path, item, name)

    def of_literals(self, lines: Collection[int]) -> Iterator[Place]:
        """Yield unknown members that a new literal sets."""
        known = parts_of(self._index, self._path) if builds(self._language) else None
        happens = self._language.fails.get("build", "does not compile")
        for whole in known.wholes if known is not None else ():
            is_new = whole.kind == "build" and whole.of and any(line in lines for _, line in whole.parts)
            types = types_of(self._index, self._path, whole.of) if is_new else []
            every = wanted_parts(self._index, types[0], "build", every=True) if len(types) == 1 else None
            for name, line in whole.parts if every else ():
                if line in lines and name not in (every or ()) and not has_member(self._index, *types[0], name):
                    home, short = types[0][0], types[0][1].rpartition(".")[2]
                    near, written = _near(name, every or ()), f"{short}.{name}"
                    place = self._place(line, written, "missing-member", (home,), near=near, asked=short)
                    yield replace(place, home=home, owner=short, happens=happens)

    def of_use(self, use: Use) -> Iterator[Place]:
        """Yield what is wrong with one reference."""
        if use.is_guarded:
            self._conclude(use.line, _written(use), "not checked: the code around it handles its failure")
        elif use.receiver:
            yield from self._member(use)
        else:
            yield from self._plain(use)

    def _member(self, use: Use) -> Iterator[Place]:
        typed = self._seen.typed(use.receiver, use.line)
        self._conclude(use.line, _written(use), "unknown: nothing says what its receiver is")
        if typed is not None:
            self._conclude(use.line, _written(use), f"a member of {typed.name}, as far as that class is known")
            yield from self._of_instance(use, typed)
            return
        first = use.receiver.partition(".")[0]
        if self._seen.binds(first, use.line) and not self._is_own(first):
            return
        module = called(self._index, self._path, use.receiver)
        if module is None:
            yield from self._of_class(use)
            return
        item, files = module
        if self._path in files or re.search(self._language.scope.implicit_names, use.name):
            return
        answer = offered(self._index, files, use.name)
        self._conclude(use.line, _written(use), _meaning(answer))
        if answer is ABSENT and not self._is_submodule(use, item) and not self._has_other_spelling(files, use.name):
            near = _near(use.name, names_of(self._index, files))
            yield self._place(use.line, _written(use), "missing-member", files, near=near, asked=item.spec)
        elif answer.state == "found":
            yield from self._misfit(use, answer)

    def _of_class(self, use: Use) -> Iterator[Place]:
        """Yield a missing class member."""
        is_hidden = any(_may_hide(one, use.receiver) for one in self._facts.definitions)
        if is_hidden or not re.match(self._language.types.classes, use.receiver):
            return
        found = self._class(use.receiver)
        if found is None or re.search(self._language.types.implicit_members or "^$", use.name):
            return
        is_space = isinstance(self._modules, Namespaces) and self._modules.is_namespace(self._path, use.receiver)
        if (
            is_space
            or self._inherits(use.receiver)
            or (self._language.receivers.free_functions and self._may_extend(use.name))
        ):
            return
        self._conclude(use.line, _written(use), f"a member of {use.receiver}, as far as that class is known")
        path, line = found
        names = [row.short for home, name in line for _, row in members(self._index, home, name)]
        if self._language.is_respelled(use.name, names):
            return
        if use.name in names and use.arguments is not None and not self._language.has_self_parameter:
            rows = tuple(
                row for home, name in line for row in members(self._index, home, name) if row[1].short == use.name
            )
            yield from self._misfit(use, Answer("found", rows))
        elif names and use.name not in names and not self._has_other_spelling([home for home, _ in line], use.name):
            near = _near(use.name, names)
            place = self._place(use.line, _written(use), "missing-member", (path,), near=near, asked=use.receiver)
            yield replace(place, home=path, owner=line[0][1])

    def _of_instance(self, use: Use, typed: Typed) -> Iterator[Place]:
        """Yield a missing member of an instance."""
        name = typed.name
        found = self._class(name) if not self._seen.binds(name, use.line) or self._is_own(name) else None
        hidden = f"{self._language.types.implicit_members or '^$'}|{self._language.types.object_members or '^$'}"
        is_hidden = self._language.extends_any_object or use.name in self._seen.stores or re.search(hidden, use.name)
        if found is None or is_hidden:
            return
        path, line = found
        rows = [row for home, owner in line for row in members(self._index, home, owner)]
        mine = tuple(row for row in rows if row[1].short == use.name)
        if mine and use.arguments is not None:
            nearest = tuple(row for row in mine if self._language.types.overloads or row[1].owner == mine[0][1].owner)
            yield from self._misfit(use, Answer("found", nearest))
        elif (
            rows
            and not mine
            and not typed.is_own
            and not self._is_extended(use.name)
            and not self._has_other_spelling([home for home, _ in line], use.name)
        ):
            near = _near(use.name, [row.short for _, row in rows])
            place = self._place(use.line, _written(use), "missing-member", (path,), near=near, asked=name)
            yield replace(place, home=path, owner=line[0][1])

    def _may_extend(self, name: str) -> bool:
        """Return whether a function of that name outside the class is visible, as it may be an extension."""
        if self._is_imported(name):
            return True
        stars = [self._modules.files(self._path, item) or () for item in self._facts.imports if item.star]
        seen = {self._path, *self._modules.visible_files(self._path), *(path for files in stars for path in files)}
        known = [self._index.facts(path) for path in sorted(seen)]
        rows = [one for facts in known if facts is not None for one in facts.definitions]
        holders = {one.name for one in rows if one.kind == "holder"}
        return None in known or any(one.short == name and (one.extends or one.owner in holders) for one in rows)

    def _is_extended(self, name: str) -> bool:
        """Return whether an extension may add a member of that name to any object."""
        if not self._language.has_extensions:
            return False
        stars = [self._modules.files(self._path, item) for item in self._facts.imports if item.star]
        return not all(stars) or self._may_extend(name)

    def _inherits(self, name: str) -> bool:
        """Return whether a class of this file may inherit a member that hides the class of this name.

        Example: `User` in a controller of ASP.NET.
        """
        rules = self._language.receivers
        if not rules.bare_members:
            return False
        for one in self._facts.definitions:
            line = lineage(self._index, self._path, one.name) if one.bases and not one.owner else ()
            if line is None and rules.capital_members:
                return True
            if any(_may_hide(row, name) for home, owner in line or () for _, row in members(self._index, home, owner)):
                return True
        return False

    def _has_other_spelling(self, files: Collection[str], name: str) -> bool:
        """Return whether a file in another language has a different spelling of the name.

        Example: `val limit` is `getLimit()` there.
        """
        for path in files:
            forms = "|".join(map(re.escape, self._modules.other_spellings(self._path, path, name)))
            if forms and re.search(rf"\b(?:{forms})\b".encode(), self._index.sources.get(path, b"")):
                return True
        return False

    def _class(self, name: str) -> tuple[str, tuple[tuple[str, str], ...]] | None:
        """Return the file of the only class with this name, and the class with all its bases."""
        rows = named(self._index, self._path, name).definitions
        if len(rows) != 1 or rows[0][1].kind not in ("class", "type"):
            return None
        line = lineage(self._index, rows[0][0], rows[0][1].name)
        return (rows[0][0], line) if line is not None else None

    def _is_submodule(self, use: Use, module: Import) -> bool:
        is_imported = any(item.whole.startswith(f"{use.receiver}.{use.name}") for item in self._facts.imports)
        return is_imported or self._modules.inner(self._path, module, use.name) != ()

    def _plain(self, use: Use) -> Iterator[Place]:
        if self._seen.binds(use.name, use.line) and not self._is_own(use.name):
            self._conclude(use.line, use.name, "not checked: the code around it binds this name")
            return
        answer, language = named(self._index, self._path, use.name), self._language
        is_known = answer.state == "found"
        member = self._member_around(use, has_inherited=not (is_known and language.lexical_scope))
        meant = answer if member is ABSENT else OPEN if is_known else member
        self._conclude(use.line, use.name, _meaning(meant))
        if meant.state == "found":
            yield from self._misfit(use, meant)
        elif member is ABSENT and not self._is_imported(use.name):
            yield from self._lost(use)

    def _member_around(self, use: Use, *, has_inherited: bool) -> Answer:
        """Return the member of a class around a name that the name may refer to, without a receiver.

        In a language without a complete scope, the member counts as absent.
        """
        language, rows = self._language, list[tuple[str, Definition]]()
        is_class = re.match(language.types.classes, use.name) is not None
        if is_class or not (language.complete_scope and language.receivers.bare_members):
            return ABSENT
        around = [one for one in self._facts.definitions if one.start <= use.line <= one.end]
        classes = [one.name for one in around if one.kind in CLASSES]
        lines = [lineage(self._index, self._path, name) if has_inherited else ((self._path, name),) for name in classes]
        for line in lines:
            every = [row for home, owner in line or () for row in members(self._index, home, owner)]
            mine = [row for row in every if row[1].short == use.name]
            rows += [row for row in mine if language.types.overloads or row[1].owner == mine[0][1].owner]
        if rows:
            return Answer("found", tuple(rows))
        is_open = None in lines or any(one.extends for one in around) or (classes and self._is_extended(use.name))
        return OPEN if has_inherited and is_open else ABSENT

    def _is_own(self, name: str) -> bool:
        """Return whether a name's only binding is one definition in this file."""
        return name in self._seen.defined and sum(one.is_named(name) for one in self._facts.definitions) == 1

    def _is_imported(self, name: str) -> bool:
        items = self._facts.imports
        is_bound = any(bound.here == name for item in items for bound in item.names)
        return is_bound or any(name in (item.whole, item.whole.partition(".")[0]) for item in items)

    def _lost(self, use: Use) -> Iterator[Place]:
        """Yield a name that nothing provides in a file whose names are all known."""
        is_private = self._language.is_private(use.name)  # an import cannot provide it
        stars = [item for item in self._facts.imports if item.star and not is_private]
        files = self._modules.visible_files(self._path, use.name) or (self._path,)
        known = [facts for path in files if (facts := self._index.facts(path)) is not None]
        is_open = len(known) < len(files) or any(facts.may_offer(use.name) for facts in known)
        names = [one.name for facts in known for one in facts.definitions if not one.owner]
        is_explained = use.name in names or use.name in self._language.ambient
        if not self._language.complete_scope or is_open or is_explained:
            return
        if not all(self._lacks(item, use.name) for item in stars):
            return
        self._conclude(use.line, use.name, "missing")
        names += [name for item in stars for name in names_of(self._index, self._behind(item, ""))]
        yield self._place(use.line, use.name, "missing-name", files, near=_near(use.name, names), asked=use.name)

    def _lacks(self, item: Import, name: str) -> bool:
        """Return whether a wildcard import doesn't provide a name: its files, or the names of its library, are known."""
        if names := self._language.library_names(item.spec):
            return name not in names
        files = self._behind(item, name)
        return bool(files) and offered(self._index, files, name) is ABSENT

    def _behind(self, item: Import, name: str) -> tuple[str, ...]:
        """Return the files behind a wildcard import; () if they are unknown."""
        files = self._modules.files(self._path, item, name) or ()
        return files if self._path not in files else ()

    def _misfit(self, use: Use, answer: Answer) -> Iterator[Place]:
        """Yield a call that does not match the definition it refers to."""
        rows = answer.definitions
        if use.arguments is None or not rows or (len(rows) > 1 and not self._language.types.overloads):
            return
        if len(rows) == 1 and rows[0][1].kind == "class":
            rows = constructors(self._index, *rows[0]) or rows
        wrong = [self._wrong(use, *row) for row in rows]
        if all(wrong) and (len(wrong) == 1 or self._language.types.overloads):
            (path, one), says = rows[0], wrong[0]
            place = self._place(use.line, _written(use), "arguments", (path,), asked=one.short)
            yield replace(place, says=says, definition=one, source=path, near=_keyword(use, one, says))

    def _wrong(self, use: Use, path: str, one: Definition) -> str:
        """Return what is wrong with a call of a definition; "" if it matches or if that is unknown."""
        facts, language = self._index.facts(path), language_of(path)
        if use.arguments is None or one.takes is None or facts is None or one.short in facts.opaque:
            return ""
        if language is None or language.name not in self._language.comparable:
            return ""
        return _in_words(one.takes, use.arguments, self._language)

    def _place(
        self, line: int, name: str, rule: Rule, files: tuple[str, ...], *, near: tuple[str, ...] = (), asked: str
    ) -> Place:
        source, definition = self._definition(files, near)
        return Place(
            path=self._path,
            line=line,
            name=name,
            rule=rule,
            certainty="proven",
            home=self._home(files, rule),
            near=near,
            asked=asked,
            happens=self._language.fails.get(rule, ""),
            definition=definition,
            source=source,
        )

    def _home(self, files: tuple[str, ...], rule: Rule) -> str:
        is_folder = self._language.scope.unit == "folder" and rule in ("missing-name", "missing-member")
        return "" if not files else posixpath.dirname(files[0]) if is_folder else files[0]

    def _definition(self, files: tuple[str, ...], near: tuple[str, ...]) -> tuple[str, Definition | None]:
        """Return the definition of the best suggestion."""
        for path in files if near else ():
            facts = self._index.facts(path)
            for one in facts.definitions if facts is not None else ():
                if one.name == near[0] and not one.owner:
                    return path, one
        return "", None


def _may_hide(member: Definition, name: str) -> bool:
    """Return whether code sees this member instead of a class of that name; a constructor only names its class."""
    return bool(member.owner) and member.short == name and member.kind != "constructor"


def _written(use: Use) -> str:
    return f"{use.receiver}.{use.name}" if use.receiver else use.name


def _meaning(answer: Answer) -> str:
    """Return in words what a name refers to."""
    if answer.state == "open":
        return UNWRITTEN
    places = [f"{path}:{one.line}" for path, one in answer.definitions] or [*answer.modules]
    return (
        f"refers to {' and '.join(places) or 'something that is re-exported'}" if answer.state == "found" else "missing"
    )


def _near(name: str, names: Collection[str]) -> tuple[str, ...]:
    """Return similar names, best first, without those that are clearly less similar than the best."""
    rows = [(_likeness(name, other), other) for other in dict.fromkeys(names) if other != name]
    best = max((ratio for ratio, _ in rows), default=0.0)
    near = [row for row in rows if row[0] >= max(ALIKE, best - BESIDE)]
    return tuple(other for _, other in sorted(near, key=lambda row: (-row[0], row[1]))[:NEAR])


def _likeness(one: str, other: str) -> float:
    """Return how similar two names are, from 0 to 1; differences in case and underscores count half."""
    plain = SequenceMatcher(None, one.lower().replace("_", ""), other.lower().replace("_", "")).ratio()
    return (plain + SequenceMatcher(None, one, other).ratio()) / 2


def _in_words(parameters: Sequence[Parameter], given: Arguments, language: Language) -> str:
    """Return what is wrong with a call, as the end of a sentence that begins with "it".

    Return "" if the call matches or if that is unknown.
    """
    found, places = misfit(language, given, parameters), positional(parameters)
    if found is None or found.kind == "order":
        return ""
    if found.kind == "surplus":
        least = sum(one.is_required for one in places)
        takes = str(len(places)) if least == len(places) else f"{least} to {len(places)}"
        return f"takes {takes} {'argument' if takes == '1' else 'arguments'}, not {given.positional}"
    names = " and ".join(map(repr, found.names))
    return {"keyword": f"has no parameter {names}", "twice": f"gets {names} twice", "missing": f"is missing {names}"}[
        found.kind
    ]


def _keyword(use: Use, one: Definition, says: str) -> tuple[str, ...]:
    """Return the parameter that an unknown keyword was probably intended for."""
    if "no parameter" not in says or use.arguments is None or one.takes is None:
        return ()
    wrong = next(word for word in use.arguments.keywords if f"'{word}'" in says)
    free = [row.name for row in one.takes if row.name not in use.arguments.keywords]
    return _near(wrong, free)
