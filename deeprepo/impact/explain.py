"""`python -P -m deeprepo.impact explain BASE..HEAD PATH:LINE`: how one line was judged, and why.

An old line is followed from the changed definition to the rule that decided, or to the step that lost it. A new line
is judged by what its names refer to (`new_lines`). Each answer is printed with the place in the code that gave it.
"""

import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from itertools import groupby

from deeprepo.impact.changes import ChangedSymbol, Dependents
from deeprepo.impact.language import Language, language_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.reading.arguments import arguments as read_arguments
from deeprepo.impact.reading.patterns import patterns
from deeprepo.impact.reading.reader import imports
from deeprepo.impact.reading.spots import spots
from deeprepo.impact.reading.unreadable import Unreadable
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.structs import Struct
from deeprepo.impact.uses.find import find, with_doubts
from deeprepo.impact.uses.importing import bind
from deeprepo.impact.uses.lacking import lacking_parts
from deeprepo.impact.uses.reach import Reach
from deeprepo.impact.uses.reexports import add_reexports
from deeprepo.impact.uses.search import Search
from deeprepo.impact.uses.sites import match
from deeprepo.impact.uses.sites import names as names_of
from deeprepo.impact.uses.steps import Step, Trace
from deeprepo.impact.uses.symbols import changed_contract, changed_symbols
from deeprepo.impact.uses.texts import also_says
from deeprepo.impact.values import Arguments, Definition, Place, Report, Use

# The questions about the name of a definition, which don't arise if the change leaves it.
ABOUT_REMOVALS = ("removed", "probably removed")
PACKAGE = "deeprepo.impact."
NOT_COMPARED = "No reference to a changed definition was compared on this line."
LISTED = 8  # names or imports that are printed
DEFS = ("defs", "objects")  # the queries that capture definitions
IMPORTS = ("imports", "names")  # the queries that capture imports
USES = ("uses", "bindings", "receivers", "imports")  # the queries that capture references


async def old_line(tree: Tree, trace: Trace, users: Dependents, path: str, line: int) -> list[str]:
    """Return how each definition that the line may refer to changes, and the answer to each question about it."""
    source = await tree.read(path) or b""
    explained = _Line(tree, trace, users, path, line, source)
    steps = sorted((step for step in trace.steps if step.place[1:] == (path, line)), key=lambda step: step.place)
    if not steps:
        by_text = {row.symbol for row in users.references if (row.path, row.line) == (path, line)}
        found = [f"Compared with {key}: its name is in the text, found by {_place(also_says)}" for key in by_text]
        return sorted(found) or [NOT_COMPARED, *(f"  {says}" for says in explained.lost())]
    said = [*dict.fromkeys(explained.identifiers())]
    for target, answers in groupby(steps, lambda step: step.place[0]):
        said += [f"Compared with {target}:", *[f"  {says}" async for says in explained.compared(target)]]
        said += dict.fromkeys(_answers([*answers], users.by_key().get(target)))
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


class _Line(Struct):
    """A line of the head, and what the search did."""

    tree: Tree
    trace: Trace
    users: Dependents
    path: str
    line: int
    source: bytes

    @property
    def uses(self) -> Sequence[Use]:
        """The identifiers on the line that may refer to a changed definition."""
        return tuple(dict.fromkeys(self.trace.uses.get((self.path, self.line), ())))

    def identifiers(self) -> Iterator[str]:
        """Yield the identifiers of the line that have a searched name, each with the pattern that captures it."""
        for use in self.uses:
            where = patterns(self.path, self.source, USES, self.line, use.name)
            captured = _captured(where) if where else f"a bare name, read by {_place(spots)}"
            yield f"Identifier {use.name}{_passed(use.arguments)}, {captured}"

    async def compared(self, key: str) -> AsyncIterator[str]:
        """Yield how a definition changes, which parts of its contract do, and how the file imports it."""
        symbol = self.users.by_key().get(key)
        if symbol is not None:
            sides = [side for side in (symbol.before, symbol.after) if side is not None]
            heads = dict.fromkeys(side.head or side.name for side in sides)
            where, parameters = await self._patterns(sides[-1])
            yield f"the definition: {' -> '.join(heads)}, {_captured(where)}"
            if symbol.change == "signature" and parameters:
                yield f"  its parameters: {_listed(parameters)}"
            yield f"the change: {symbol.change}, found by {_place(changed_symbols)}"
            parts = f"yes, {' and '.join(symbol.contract)}" if symbol.contract else "no, it has the same contract"
            if symbol.change == "added":
                yield f"affects users: only code that must provide it, found by {_place(lacking_parts)}"
            else:
                yield f"affects users: {parts}, decided by {_place(changed_contract)}"
        if key in self.trace.doubts:
            yield f"its signature proves nothing: {self.trace.doubts[key]}, found by {_place(with_doubts)}"
        is_importer = self.path in self.trace.importing
        finder = (
            f"{_place(Reach.importers)}, by an import"
            if is_importer
            else f"{_place(Search.run)}, by its name or namespace"
        )
        yield f"the file: found by {finder}"
        changed = key.rpartition(":")[0]
        for one in self.users.files:
            if (one.path, one.target) == (self.path, changed):
                where = patterns(self.path, self.source, IMPORTS, one.line)
                through = f" through {one.via} ({_place(add_reexports)})" if one.via else ""
                yield f"the import: line {one.line}, {_captured(where)}" if where else "the import: none is needed"
                yield f"  it leads to {changed}{through}, by {_method(self.path, 'holding', 'files')}"

    async def _patterns(self, one: Definition) -> tuple[str, list[str]]:
        """Return which patterns capture a definition, and each of its parameters."""
        source = await self.tree.read(one.path, one.side) or b""

        def where(word: str) -> str:
            found = (patterns(one.path, source, DEFS, line, word) for line in range(one.line, one.end + 1))
            return next((places for places in found if places), "")

        return where(one.short), [f"{item.name} ({where(item.name)})" for item in one.parameters if item.name]

    def lost(self) -> Iterator[str]:
        """Yield at which step the search lost the line, and where that step is decided."""
        language, searched = language_of(self.path), [one for one in self.users.symbols if one.change != "added"]
        names = [*dict.fromkeys((one.before or one.symbol).short for one in searched)]
        yield f"searched for: {_listed(names) or 'nothing'}, found by {_place(changed_symbols)}"
        if not searched:
            return
        if language is None:
            yield f"lost: no language reads the file, so {_place(also_says)} only searches its text"
        elif not any(one.symbol.path.endswith(language.suffixes) for one in searched):
            yield f"lost: none of these is written in the language of the file ({language.name}), says {_place(find)}"
        elif self.path in self.trace.names:
            yield from self._lost_in_file(language)
        elif self.path in self.trace.importing:
            yield f"lost: a limit was reached before the file, in {_place(Search.run)}"
        elif self.path in self.trace.proposed:
            yield "lost: no import of the file leads to a changed file"
            yield from self._imports(language)
        else:
            tried = _listed([f"`{one}`" for one in sorted(self.trace.patterns)])
            yield "lost: no search found the file"
            yield f"  none of its lines matches {tried}, from {_method(self.path, 'clues')}, searched by {_place(Reach.importers)}"
            yield f"  it has no member that {_place(Search.run)} looks up by its name"

    def _lost_in_file(self, language: Language) -> Iterator[str]:
        names, lines = self.trace.names[self.path], self.source.decode("utf-8", "replace").split("\n")
        text = lines[self.line - 1] if self.line <= len(lines) else ""
        yield f"the file was searched for: {_listed(sorted(names)) or 'nothing'}, by {_place(names_of)}"
        if not names:
            yield f"lost: the file cannot see them, or its imports bind none of them, says {_place(bind)}"
            yield from self._imports(language)
        elif self.uses:
            yield f"lost: {self.uses[0].name} is an identifier, but {_place(match)} does not compare it"
        elif words := [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]:
            yield f"lost: {words[0]} is not an identifier here, says {_place(spots)}"
        else:
            yield "lost: the line has none of these names"

    def _imports(self, language: Language) -> Iterator[str]:
        links, resolver = self.trace.links[self.path], _method(self.path, "holding", "files")
        try:
            statements = imports(language, self.source)
        except Unreadable as error:
            yield f"  the file is not read: {error}"
            return
        for one in statements[:LISTED]:
            leads = [link for link in links if link.line == one.line]
            targets = _listed(sorted({link.target for link in leads})) or "no file of the tree"
            bound = _listed(sorted({name for link in leads for name in link.names})) or "no names"
            yield f"  line {one.line}, {_captured(patterns(self.path, self.source, IMPORTS, one.line))}"
            yield f"    it leads from `{one.spec}` to {targets} and takes {bound}, by {resolver}"


def _passed(arguments: Arguments | None) -> str:
    if arguments is None:
        return ""
    listed = ["1 argument" if arguments.positional == 1 else f"{arguments.positional} arguments"]
    listed += [f"{name}=" for name in arguments.keywords]
    listed += ["others that are not written out"] if arguments.spread else []
    return f" with {' and '.join(listed)}, read by {_place(read_arguments)}"


def _place(function: Callable[..., object]) -> str:
    """Return where a function is."""
    return f"{function.__qualname__} in {function.__module__.removeprefix(PACKAGE)}"


def _captured(where: str) -> str:
    return f"captured by {where}" if where else "read by the language without a query"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:LISTED]) + (", ..." if len(names) > LISTED else "")


def _method(path: str, *names: str) -> str:
    """Return the first of these methods that the resolver of a file's language has, with its module."""
    language = language_of(path)
    kind = (language.search_modules or language.modules) if language is not None else Resolver
    name = next(name for name in names if hasattr(kind, name))
    owner = next(one for one in kind.__mro__ if name in vars(one))
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
