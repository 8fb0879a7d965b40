"""`python -P -m deeprepo.impact explain BASE..HEAD PATH:LINE`: how one line was judged, and why.

An old line is followed from the changed definition to the rule that decided, or to the step that lost it. A new line
is judged by what its names refer to (`new_lines`). Each answer is printed with the place in the code that gave it.
"""

import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby

from deeprepo.impact.changes import ChangedSymbol, Dependents, UsePlace
from deeprepo.impact.git import GitTree
from deeprepo.impact.language import Language, language_of
from deeprepo.impact.reading.arguments import arguments as read_arguments
from deeprepo.impact.reading.arguments import parameters as read_parameters
from deeprepo.impact.reading.patterns import patterns
from deeprepo.impact.reading.reader import imports
from deeprepo.impact.reading.spots import spots
from deeprepo.impact.reading.unreadable import Unreadable
from deeprepo.impact.resolving.calls import misfit
from deeprepo.impact.resolving.importers import Project, statements
from deeprepo.impact.resolving.namespaces import Namespaces
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.breaks import BROKEN
from deeprepo.impact.uses.budget import LISTED, listed
from deeprepo.impact.uses.find import by_language, find, with_doubts
from deeprepo.impact.uses.lacking import lacking_parts
from deeprepo.impact.uses.lost import lost_modules
from deeprepo.impact.uses.reach import Reach
from deeprepo.impact.uses.reexports import add_reexports
from deeprepo.impact.uses.search import Search, SearchedFiles
from deeprepo.impact.uses.sites import match
from deeprepo.impact.uses.steps import Step, Trace, reason
from deeprepo.impact.uses.symbols import changed_contract, changed_symbols
from deeprepo.impact.uses.targets import Bindings, bind, bindings_of, exported_as, is_imported, searched_names
from deeprepo.impact.uses.texts import also_says
from deeprepo.impact.values import MODULE, Arguments, Definition, Link, Place, Report, Use

# The questions about the name of a definition, which don't arise if the change leaves it.
ABOUT_REMOVALS = ("removed", "probably removed")
PACKAGE = "deeprepo.impact."
NOT_COMPARED = "No reference to a changed definition was compared on this line."
# The rules that compare the arguments of a call with parameters.
BY_PARAMETERS = ("fits", "never_matched", "no_longer_matches")
DEFS = ("defs", "objects")  # the queries that capture definitions
IMPORTS = ("imports", "names")  # the queries that capture imports
USES = ("uses", "bindings", "receivers", "imports")  # the queries that capture references


class NoSuchLineError(ValueError):
    """The head doesn't have the line that is to be explained."""


async def old_line(tree: GitTree, trace: Trace, users: Dependents, path: str, line: int) -> list[str]:
    """Return how each definition that the line may refer to changes, and the answer to each question about it.

    Raises `NoSuchLineError` if the head doesn't have the line.
    """
    source = await tree.read(path)
    if source is None:
        raise NoSuchLineError(f"{path} is not a file of the head, or can't be read")
    many = source.count(b"\n") + (not source.endswith(b"\n"))
    if not 1 <= line <= many:
        raise NoSuchLineError(f"{path} has no line {line}: its last one is {many}")
    explained = _Line(tree, trace, users, path, line, source)
    steps = [step for step in trace.steps if step.place[1:] == (path, line)]
    if not steps:
        by_text = {row.symbol for row in users.references if (row.path, row.line) == (path, line)}
        found = [f"Compared with {key}: its name is in the text, found by {_place(also_says)}" for key in by_text]
        return sorted(found) or [NOT_COMPARED, *[f"  {says}" async for says in explained.lost()]]
    said = [*dict.fromkeys(explained.identifiers())]

    def target_of(step: Step) -> str:
        return trace.promoted.get(step.place[0], step.place[0])

    for target, of_target in groupby(sorted(steps, key=target_of), target_of):
        answers = [*of_target]
        said += [f"Compared with {target}:", *[f"  {says}" async for says in explained.compared(target)]]
        said += dict.fromkeys(_answers(answers, users.by_key().get(target)))
        said += explained.dropped({*(step.place for step in answers), (target, path, line)}, answers)
    return said


def _answers(steps: Sequence[Step], symbol: ChangedSymbol | None) -> Iterator[str]:
    """Yield the answers; that an identifier is no reference only if none on the line is one."""
    steps = [step for step in steps if step.rule != "unrelated"] or steps
    is_gone = symbol is None or not {"removed", "renamed"}.isdisjoint(symbol.contract)
    for step in steps:
        if is_gone or step.question not in ABOUT_REMOVALS or step.answer != "no":
            yield f"  {step.question}: {step.answer}, decided by {step.rule} in {step.module.removeprefix(PACKAGE)}"
            yield f"    the rule: {step.reason}"
            if step.passed:
                yield f"    rules before it that did not decide: {', '.join(step.passed)}"
            if step.rule in BY_PARAMETERS:
                yield f"    the arguments were compared with the parameters by {_place(misfit)}"


class _Line(Struct):
    """A line of the head, and what the search did."""

    tree: GitTree
    trace: Trace
    users: Dependents
    path: str
    line: int
    source: bytes

    @property
    def uses(self) -> Sequence[Use]:
        """The identifiers on the line that may refer to a changed definition."""
        return tuple(dict.fromkeys(self.trace.uses.get((self.path, self.line), ())))

    @property
    def search(self) -> Search | None:
        """The search in the language of the file."""
        languages = {one.scene.head.language.folder: one for one in self.trace.searches}
        language = language_of(self.path)
        return languages.get(language.folder) if language is not None else None

    def identifiers(self) -> Iterator[str]:
        """Yield the identifiers of the line that have a searched name, each with the pattern that captures it."""
        bound = self.trace.bound.get(self.path, Bindings())
        for use in self.uses:
            where = patterns(self.path, self.source, USES, self.line, use.name)
            by_name = f"captured by no pattern of {_queries(self.path, USES[:1])}, read by {_place(spots)}"
            captured = _captured(where) if where else by_name
            yield f"Identifier {use.name}{_passed(use.arguments)}, {captured}"
            lines = [line for name, line in sorted(bound.assignments) if name == use.name and line != self.line]
            yield from (f"  it is assigned in line {line}, followed by {_place(Bindings.follow)}" for line in lines)

    async def compared(self, key: str) -> AsyncIterator[str]:
        """Yield how a definition changes, which parts of its contract do, and how the file imports it."""
        symbol = self.users.by_key().get(key)
        if symbol is not None:
            sides = [side for side in (symbol.before, symbol.after) if side is not None]
            heads = dict.fromkeys(side.head or side.name for side in sides)
            where, parameters = await self._patterns(sides[-1])
            yield f"the definition: {' -> '.join(heads)}, {_captured(where)}"
            if symbol.change == "signature" and sides[-1].signature is not None:
                yield f"  its parameters: {listed(parameters) or f'none in {_queries(sides[-1].path, DEFS)}'}, read by {_place(read_parameters)}"
            yield f"the change: {symbol.change}, found by {_place(changed_symbols)}"
            if symbol.change == "added":
                yield f"the contract: new for code that must provide it, found by {_place(lacking_parts)}"
            else:
                same = "not compared, as only tests use it" if is_test(symbol.symbol.path) else "unchanged"
                yield f"the contract: {' and '.join(symbol.contract) or same}, decided by {_place(changed_contract)}"
        if key in self.trace.doubts:
            yield f"its signature proves nothing: {self.trace.doubts[key]}, found by {_place(with_doubts)}"
        changed, search = key.rpartition(":")[0], self.search
        if key.endswith(f":{MODULE}"):
            yield f"the imported file was removed, found by {_place(lost_modules)}"
        if self.path == changed or search is None:
            return
        if self.path not in search.importers.links:
            yield f"the file: found by {_place(Search.run)}, by its name or namespace"
            return
        yield f"the file: found by {_place(Reach.importers)}, by an import"
        for link, names in self._binding(search, changed):
            where = patterns(self.path, self.source, IMPORTS, link.line)
            yield f"the import: line {link.line}, {_captured(where)}" if where else "the import: none is needed"
            through = f", which hands on {changed} by {_place(add_reexports)}" if link.target != changed else ""
            by, binds = self._resolver(search, link.line, link.target), listed(sorted(names)).replace("*", "all names")
            yield f"  it leads to {link.target}, by {by}{through}, and binds {binds}, by {_place(bind)}"

    def _binding(self, search: Search, changed: str) -> list[tuple[Link, set[str]]]:
        """Return the imports that lead to a changed file, with the names that they bind: only those used on the line.

        If none is used there, all imports are returned.
        """
        importers, bound = search.importers, self.trace.bound.get(self.path, Bindings())
        words = {word for use in self.uses for word in (use.name, use.receiver, use.receiver.partition(".")[0])}
        synonyms = [{one.here for one in every} for every in bound.locals.values()]
        words = words.union(*(names for names in synonyms if not words.isdisjoint(names)))
        found = list[tuple[Link, set[str]]]()
        for link in sorted(importers.links[self.path], key=lambda link: link.line):
            handed_on = (one for every in importers.reexports.get(link.target, {}).values() for one, _ in every)
            if changed in (link.target, *importers.behind.get(link.target, ()), *handed_on):
                found.append((link, {dict(link.aliases).get(name, name) for name in link.names}))
        used = [(link, names & words) for link, names in found if names & words]
        return [row for row in used if row[0].line == self.line] or used or found

    async def _patterns(self, one: Definition) -> tuple[str, list[str]]:
        """Return which patterns capture a definition, and each of its parameters."""
        source = await self.tree.read(one.path, one.side) or b""

        def where(word: str) -> str:
            found = (patterns(one.path, source, DEFS, line, word) for line in range(one.line, one.end + 1))
            return next((places for places in found if places), "")

        return where(one.short), [f"{item.name} ({where(item.name)})" for item in one.parameters if item.name]

    def dropped(self, places: set[UsePlace], answers: Sequence[Step]) -> Iterator[str]:
        """Yield the step that dropped a reference after the search had found it."""
        questions = {step.question for step in answers}
        if "connection" not in questions or BROKEN in questions:
            return
        left = {row.use_place for row in self.users.references}
        steps = {self.trace.dropped.get(place, find) for place in places if place not in left}
        for step in steps if places.isdisjoint(left) else ():
            yield f"  dropped: by {_place(step)}"
            yield f"    the rule: {reason(step)}"

    async def lost(self) -> AsyncIterator[str]:
        """Yield at which step the search lost the line, and where that step is decided."""
        language, search = language_of(self.path), self.search
        files = [file.old_path or file.path for file in await self.tree.changed()]
        if language is None:
            yield f"lost: no language reads the file, so {_place(also_says)} only searches its text"
            return
        files = [path for path in files if path.endswith(language.suffixes)]
        if not files:
            yield f"lost: no changed file is written in the language of the file ({language.name}), says {_place(by_language)}"
            return
        searched = [
            one for one in self.users.symbols if one.change != "added" and one.symbol.path.endswith(language.suffixes)
        ]
        names = [*dict.fromkeys((one.before or one.symbol).short for one in searched)]
        yield f"searched for: {listed(names) or 'nothing'}, found by {_place(changed_symbols)}"
        if not searched:
            for path in files[:LISTED]:
                yield f"  {path}: {self._unchanged(path)}"
        elif search is None or self.path not in {*search.importers.links, *self.trace.names, *self.trace.proposed}:
            tried = listed([f"`{one}`" for one in sorted(self.trace.patterns)])
            yield "lost: no search found the file"
            yield f"  none of its lines matches {tried}, from {_method(language, 'clues')}, searched by {_place(Reach.importers)}"
            yield f"  it has no member that {_place(Search.run)} looks up by its name"
        elif self.path not in {*search.importers.links, *self.trace.names}:
            yield "lost: no import of the file leads to a changed file"
            for says in self._imports(search):
                yield f"  {says}"
        elif self.path not in self.trace.names:
            yield f"lost: a limit was reached before the file, in {_place(Search.run)}"
        else:
            for says in self._lost_in_file(search):
                yield says

    def _unchanged(self, path: str) -> str:
        """Return why a changed file has no changed definition."""
        source = next((one for one in self.trace.compared.values() if path in (one.file.path, one.file.old_path)), None)
        if source is None:
            return f"not compared, says {_place(by_language)}"
        if why := source.new.unread or source.old.unread:
            return f"not compared: {why}"
        sides = ((source.old, source.file.removed_lines), (source.new, source.file.added_lines))
        around = dict.fromkeys(
            one.name
            for side, lines in sides
            for one in side.definitions
            if any(one.start <= at <= one.end for at in lines)
        )
        if around:
            return f"{listed([*around])} unchanged, says {_place(changed_symbols)}"
        return f"no definition on its changed lines, captured by {_queries(path, DEFS)}"

    def _lost_in_file(self, search: Search) -> Iterator[str]:
        names, lines = self.trace.names[self.path], self.source.decode("utf-8", "replace").split("\n")
        yield f"the file was searched for: {listed(sorted(names)) or 'nothing'}, by {_place(searched_names)}"
        if not names:
            bound = bindings_of(search.importers, self.path)
            targets = {link.target for link in search.importers.links.get(self.path, ())}
            homes = [one for one in search.targets if not targets.isdisjoint(one.homes)]
            if any(is_imported(target, bound) for target in search.targets):
                yield f"lost: its imports bind them, but {_place(SearchedFiles.targets_of)} leaves them out"
            elif homes and not any(one.exports for one in homes):
                yield f"lost: their files export none of them, says {_place(exported_as)}"
            else:
                yield f"lost: its imports bind none of them, says {_place(bind)}"
            yield from self._imports(search)
        elif self.uses:
            yield f"lost: {self.uses[0].name} is an identifier, but {_place(match)} does not compare it"
        elif words := [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", lines[self.line - 1])]:
            yield f"lost: {words[0]} is not an identifier here, says {_place(spots)}"
        else:
            yield "lost: the line has none of these names"

    def _imports(self, search: Search) -> Iterator[str]:
        """Yield the imports of the file, and where each leads. Not all imports may be captured."""
        reach = search.scene.head
        try:
            items = imports(reach.language, self.source)
        except Unreadable as error:
            yield f"the file is not read: {error}"
            return
        for one in items[:LISTED]:
            leads = [link for link in reach.resolve(self.path, self.source) if link.line == one.line]
            leads = [link for link in leads if link in search.importers.links.get(self.path, ())] or leads
            targets = listed(sorted({link.target for link in leads})) or "no file of the tree"
            bound = listed(sorted({name for link in leads for name in link.names})) or "no names"
            yield f"line {one.line}, {_captured(patterns(self.path, self.source, IMPORTS, one.line))}"
            yield f"  it leads from `{one.spec}` to {targets} and takes {bound}, by {self._resolver(search, one.line)}"
        captured = {one.line for one in items}
        for number, text in enumerate(self.source.decode("utf-8", "replace").split("\n"), 1):
            if number not in captured and any(_matches(pattern, text) for pattern in self.trace.patterns):
                yield f"line {number} looks like one, but is not captured by {_queries(self.path, IMPORTS)}"

    def _resolver(self, search: Search, line: int, target: str = "") -> str:
        """Return the function that resolves the import on a line to a file, or the last one that finds none."""
        is_removed = bool(target) and target not in search.scene.head.paths
        reach = search.scene.base if is_removed else search.scene.head
        modules = reach.project.modules
        if isinstance(modules, Namespaces):
            return _method(reach.language, "holding")
        items = [item for item in statements(reach.language, self.source) if item.line == line]
        taken = [(item, name) for item in items for name in (*(bound.there for bound in item.names), "")]
        inner = {one for item, name in taken if name for one in modules.inner(self.path, item, name) or ()}
        files = {one for item, name in taken for one in modules.files(self.path, item, name) or ()}
        linked = {link.target for item in items for link in modules.links(self.path, item, self.source)}
        every = {link.target for link in reach.resolve(self.path, self.source) if link.line == line}
        words = frozenset(self.trace.words)
        asked = {link.target for link in reach.resolve(self.path, self.source, words) if link.line == line}
        if target or (every and asked):
            target = target or min(asked)
            name = "inner" if target in inner else "files" if target in files else "links"
            return _method(reach.language, name)
        if every:
            return f"{_method(reach.language, 'clues')}, whose words ({listed(sorted(words))}) the statement lacks"
        if linked:
            return _place(Project.links)
        names = ("links",) if inner or files else ("inner", "files")
        return " and ".join(_method(reach.language, name) for name in names)


def _matches(pattern: str, text: str) -> bool:
    """Return whether a line matches a pattern for git; one of another syntax matches nothing."""
    with suppress(re.error):
        return re.search(pattern, text) is not None
    return False


def _queries(path: str, names: Sequence[str]) -> str:
    """Return those of the query files that the language of a file has."""
    language = language_of(path)
    if language is None:
        return "a query"
    return " or ".join(f"languages/{language.folder}/{name}.scm" for name in names if language.texts(name))


def _passed(arguments: Arguments | None) -> str:
    if arguments is None:
        return ""
    passed = ["1 argument" if arguments.positional == 1 else f"{arguments.positional} arguments"]
    passed += [f"{name}=" for name in arguments.keywords]
    passed += ["others that are not written out"] if arguments.spread else []
    return f" with {' and '.join(passed)}, read by {_place(read_arguments)}"


def _place(function: Callable[..., object]) -> str:
    """Return where a function is."""
    return f"{function.__qualname__} in {function.__module__.removeprefix(PACKAGE)}"


def _captured(where: str) -> str:
    return f"captured by {where}" if where else "read by the language without a query"


def _method(language: Language, name: str) -> str:
    """Return the class that defines a method of a language's resolver, and its module."""
    owner = next(one for one in (language.search_modules or language.modules).__mro__ if name in vars(one))
    return f"{owner.__name__}.{name} in {owner.__module__.removeprefix(PACKAGE)}"


def new_line(conclusions: Mapping[str, str], report: Report, path: str, line: int) -> Iterator[str]:
    """Yield what each name on a new line refers to, and which findings were dropped. Yield nothing for other lines."""
    if conclusions:
        yield "Names on this new line:"
    yield from (f"  {name}: {says}" for name, says in conclusions.items())
    for one in report.built:
        if one.path == path and line in (one.line, *one.also):
            yield f"Dropped: `{one.name}` {one.says or 'is not there'} [{one.rule}]"
            yield f"  {_why_dropped(one)}"


def reported(findings: Sequence[str]) -> Iterator[str]:
    """Yield the findings on the line."""
    yield "Reported for this line:" if findings else "Nothing is reported for this line."
    yield from (f"  {finding}" for finding in findings)


def _why_dropped(place: Place) -> str:
    if place.precedent:
        return f"{place.precedent} has the same problem before the change, so the analysis doesn't understand that code"
    return "the build or other code may create it"
