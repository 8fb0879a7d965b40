"""Callbacks of Elixir: what a behaviour or a protocol asks of other modules, who answers it, and who calls it on a module in a variable.

No import says that `Shop.Mail.handle/1` answers `@callback handle(term)` of `Shop.Worker`: the module names the behaviour, and the name and the
number of arguments do the rest. If the callback goes, what answers it is left behind; if the answer goes, the callback is.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from bot.dependents.budget import SearchLimits
from bot.dependents.importing import Scene
from bot.dependents.propose import globs
from bot.dependents.symbols import ChangedSource
from bot.languages.elixir.behaviours import Member, Module, calls_of_variables, modules
from bot.ports import Language
from bot.text.filetypes import filetype
from bot.text.lines import file_lines
from bot.text.paths import is_test
from bot.values import ChangedSymbol, Contract, Dependents, Query, Reference, Side, Signature, Symbol

ANSWERS = r"(?:@behaviour|\buse|\bdefimpl)\b[ \t(]+[\w.(]{0,200}\bLAST\b|\bLAST\b[ \t]*,[ \t]*as:"
DEFINES = r"\bdef(?:module|protocol)\b[ \t(]+[\w.]{0,200}\bLAST\b"
ITSELF = re.compile(rb"(?<![%.\w@])__MODULE__(?![.\w{])")  # a module as a value: `%Failure{module: __MODULE__}`
GENERATIONS = 3  # of modules whose macros use each other
Change = Literal["removed", "renamed", "signature"]
CONTRACTS: dict[Change, Contract] = {"removed": "removed", "renamed": "renamed", "signature": "parameters"}


@dataclass(frozen=True, slots=True)
class _Loss:
    """A callback that is gone, has another name, or takes another number of arguments."""

    change: Change
    before: Member
    after: Member | None  # the one in its place

    def is_answered(self, module: Module) -> bool:
        """Whether a module has what is asked for now."""
        return self.after is not None and module.defines(self.after)


@dataclass(slots=True)
class _HeadModules:
    """The modules of the head tree that matter, by their names."""

    scene: Scene
    language: Language
    budget: SearchLimits
    missed_uses: list[str]
    by_path: dict[str, tuple[Module, ...]] = field(default_factory=dict)
    searched_names: set[tuple[str, str]] = field(default_factory=set)

    async def search(self, pattern: str, names: Iterable[str]) -> None:
        """Read the files with a line of that form that names one of the modules."""
        lasts = {name.rpartition(".")[2] for name in names}
        new = sorted(last for last in lasts if last.isidentifier() and (pattern, last) not in self.searched_names)
        self.searched_names |= {(pattern, last) for last in new}
        if not new:
            return
        any_name = f"(?:{'|'.join(new)})"
        query = Query([pattern.replace("LAST", any_name)], globs(self.language), syntax="perl")
        rows = await self.scene.head.tree.grep_lines(query)
        await self.read(sorted({path for path, _, _ in rows if not is_test(path)}))

    async def read(self, paths: Sequence[str]) -> None:
        """Take the modules of these files."""
        new = [path for path in paths if path not in self.by_path]
        if len(new) > self.budget.parsed_files:
            self.missed_uses.append(
                f"callbacks were looked for in {self.budget.parsed_files} of {len(new)} {self.language.NAME} files"
            )
        for path, source in (await self.scene.head.tree.read_many(new[: self.budget.parsed_files])).items():
            self.by_path[path] = modules(source)

    def every(self) -> Iterator[tuple[str, Module]]:
        """The modules, each with its file."""
        for path, its_modules in self.by_path.items():
            yield from ((path, one) for one in its_modules)

    def meant_by(self, name: str, asking: Module) -> list[tuple[str, Module]]:
        """The modules that a name means in another one: in full, or with what is around the other one."""
        around = [asking.name.rsplit(".", count)[0] for count in range(asking.name.count(".") + 1)]
        full_names = {name, *(f"{one}.{name}" for one in around)}
        return [(path, one) for path, one in self.every() if one.name in full_names]

    def asking_of(self, module: Module) -> list[tuple[str, Module]]:
        """The modules whose callbacks a module answers: those that it names, and those that the code of a `use` names."""
        rows = [row for name in module.behaviours for row in self.meant_by(name, module)]
        level, names = [(name, module) for name in module.uses], set[str]()
        for _ in range(GENERATIONS):
            users = [row for word, asking in level for row in self.meant_by(word, asking) if row[1].name not in names]
            names |= {one.name for _, one in users}
            rows += users
            level = [(name, one) for _, one in users for name in one.handed_behaviours]
        return [row for at, row in enumerate(rows) if row not in rows[:at]]

    async def widen(self) -> None:
        """Read what the macros of the modules at hand name, and who uses those macros."""
        for _ in range(GENERATIONS):
            await self.search(DEFINES, [name for _, one in self.every() for name in one.handed_behaviours])


async def callbacks(scene: Scene, language: Language, budget: SearchLimits, missed_uses: list[str]) -> Dependents:
    """The callbacks and the answers that a change leaves behind, with the calls of what is gone."""
    rows = Dependents()
    for source in scene.sources:
        if is_test(source.file.path) or source.new.unread or not filetype(source.file.path).callbacks:
            continue
        before, after = modules(source.before), {one.name: one for one in modules(source.after)}
        for was in before:
            head_modules, now = _HeadModules(scene, language, budget, missed_uses), after.get(was.name)
            if now is None and source.after:
                rows = replace(rows, heirs=(*rows.heirs, *await _without_module(source, was, head_modules)))
            elif now is not None:
                changed_module = _ChangedModule(scene, source, was, now, head_modules)
                await changed_module.find()
                rows = Dependents(
                    symbols=(*rows.symbols, *changed_module.symbols),
                    references=(*rows.references, *changed_module.references),
                    heirs=(*rows.heirs, *changed_module.heirs),
                    bases=(*rows.bases, *changed_module.bases),
                )
    return rows


async def _without_module(source: ChangedSource, was: Module, head_modules: _HeadModules) -> list[tuple[str, Symbol]]:
    """The modules that say they answer one which is called otherwise now, or went while its file stays."""
    await head_modules.search(DEFINES, [was.name])
    if any(one.name == was.name for _, one in head_modules.every()):
        return []
    await head_modules.search(ANSWERS, [was.name])
    return [
        (f"{source.file.path}:{was.name}", Symbol(path, one.name, "class", one.start, one.end, "head"))
        for path, one in head_modules.every()
        if was.name in (*one.behaviours, *one.uses)
    ]


@dataclass(slots=True)
class _ChangedModule:
    """A module of a changed file before and after the change, and what it leaves behind."""

    scene: Scene
    source: ChangedSource
    was: Module
    now: Module
    head_modules: _HeadModules
    symbols: list[ChangedSymbol] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    heirs: list[tuple[str, Symbol]] = field(default_factory=list)
    bases: list[tuple[str, Symbol]] = field(default_factory=list)

    async def find(self) -> None:
        """Look for what the module leaves behind: as one whose callbacks others answer, and as one that answers callbacks."""
        losses = list(_callback_losses(self.was, self.now))
        demands = [one for one in self.now.callbacks if self._is_demanded(one, losses)]
        if losses or demands:
            await self._of_answers(losses, demands)
        losses = list(_function_losses(self.was, self.now))
        if losses and (self.now.behaviours or self.now.uses):
            await self._of_callbacks(losses)
        if losses and ITSELF.search(self.source.after):
            targets = {one.target for one in await self.scene.exports.imports(self.source.file.path)}
            await self._calls(losses, sorted(targets))

    def _is_demanded(self, callback: Member, losses: Sequence[_Loss]) -> bool:
        """Whether who answers the module newly needs code of its own for a callback."""
        old = [one for one in self.was.callbacks if _key(one) == _key(callback)]
        is_old = bool(old) and self.was.demands(callback)
        return self.now.demands(callback) and not is_old and all(one.after != callback for one in losses)

    async def _of_answers(self, losses: Sequence[_Loss], demands: Sequence[Member]) -> None:
        """What answers callbacks that went, and lacks those that came; and the calls of those that went."""
        await self.head_modules.read([self.source.file.path])
        await self.head_modules.search(ANSWERS, [self.now.name])
        handing = [one for _, one in self.head_modules.every() if one.handed_behaviours]
        await self.head_modules.search(ANSWERS, [one.name for one in handing])
        answering = [
            (path, one)
            for path, one in self.head_modules.every()
            if one.name != self.now.name
            and any(row[1].name == self.now.name for row in self.head_modules.asking_of(one))
        ]
        for loss in losses:
            key = self._note(loss)
            self.heirs += [
                (key, _symbol(path, one, function, "head"))
                for path, one in answering
                if not loss.is_answered(one)
                for function in one.functions
                if function.takes(loss.before)
            ]
        for callback in demands:
            self._note_lacking(callback, answering)
        await self._calls(losses, await self._naming(losses, {path for path, _ in answering}))

    def _note_lacking(self, callback: Member, answering: Sequence[tuple[str, Module]]) -> None:
        """Add a callback that came to the changed symbols, with the modules that lack it."""
        lacking = [
            (path, one) for path, one in answering if not one.defines(callback) and not self._is_given(one, callback)
        ]
        if lacking:
            symbol = _symbol(self.source.file.path, self.now, callback, "head")
            self.symbols.append(ChangedSymbol(None, symbol, "added", ("declaration",)))
            key = f"{symbol.path}:{symbol.name}"
            self.heirs += [(key, Symbol(path, one.name, "class", one.start, one.end, "head")) for path, one in lacking]

    def _is_given(self, module: Module, callback: Member) -> bool:
        """Whether the macro of a module that it uses writes the function."""
        return any(callback.name in one.handed_names for _, one in self.head_modules.asking_of(module))

    async def _naming(self, losses: Sequence[_Loss], answering_paths: set[str]) -> list[str]:
        """The files that hold the name of a callback which went, and name the behaviour or who answers it."""
        names = sorted({one.before.name for one in losses})
        if not names:
            return []
        tree, languages_globs = self.scene.head.tree, globs(self.head_modules.language)
        lasts = {self.now.name.rpartition(".")[2]}
        lasts |= {one.name.rpartition(".")[2] for path in answering_paths for one in self.head_modules.by_path[path]}
        holders = await tree.grep(Query(names, languages_globs, word=True))
        return sorted({*holders} & {*await tree.grep(Query(sorted(lasts), languages_globs, word=True))})

    async def _calls(self, losses: Sequence[_Loss], paths: Sequence[str]) -> None:
        """The calls in these files of what went on a module in a variable."""
        by_call = {_key(one.before): one for one in losses}
        names = {name for name, _ in by_call}
        budget = self.head_modules.budget.parsed_files
        paths = [path for path in paths if not is_test(path)][:budget]
        for path, source in (await self.scene.head.tree.read_many(paths)).items():
            lines = file_lines(source)
            for line, name, count in calls_of_variables(source, names):
                if (loss := by_call.get((name, count))) is not None:
                    key = self._note(loss)
                    row = Reference(key, name, path, line, lines[line - 1], "", None, sure=True, test=False)
                    self.references.append(replace(row, form="call", call=True))

    async def _of_callbacks(self, losses: Sequence[_Loss]) -> None:
        """The callbacks that the module answered, and answers no more."""
        await self.head_modules.read([self.source.file.path])
        await self.head_modules.search(DEFINES, [*self.now.behaviours, *self.now.uses])
        await self.head_modules.widen()
        for path, behaviour in self.head_modules.asking_of(self.now):
            for callback in behaviour.callbacks:
                own = [one for one in losses if one.before.takes(callback) and not self.now.defines(callback)]
                for loss in own[:1] if behaviour.name != self.now.name else ():
                    is_demanded = behaviour.demands(callback) and not self._is_given(self.now, callback)
                    if is_demanded or loss.after is not None:
                        key = self._note(loss)
                        self.bases.append((key, _symbol(path, behaviour, callback, "head")))

    def _note(self, loss: _Loss) -> str:
        """Add a callback or an answer that is gone to the changed symbols, and return its key."""
        path = self.source.file.path
        old = _symbol(self.source.file.old_path or path, self.was, loss.before, "base")
        new = _symbol(path, self.now, loss.after, "head") if loss.after is not None else None
        item = ChangedSymbol(old, new, loss.change, (CONTRACTS[loss.change],))
        if item not in self.symbols:
            self.symbols.append(item)
        return f"{item.symbol.path}:{item.symbol.name}"


def _callback_losses(was: Module, now: Module) -> Iterator[_Loss]:
    """The callbacks that are there no more."""
    return _pairs(was.callbacks, now.callbacks)


def _function_losses(was: Module, now: Module) -> Iterator[_Loss]:
    """The functions that can no longer be called as before."""
    return _pairs(was.functions, now.functions)


def _pairs(before: Sequence[Member], after: Sequence[Member]) -> Iterator[_Loss]:
    """What is there no more, with what has its place: the same name with another number of arguments, else the one new name with as many."""
    names, former_names = {one.name for one in after}, {one.name for one in before}
    keys = {_key(one) for one in before}
    fresh: dict[int, list[Member]] = defaultdict(list)
    for one in after:
        if one.name not in former_names:
            fresh[one.most].append(one)
    former_keys: set[tuple[str, int]] = set()
    for one in before:
        if _key(one) in former_keys or any(other.takes(one) and other.least <= one.least for other in after):
            continue
        former_keys.add(_key(one))
        others = [other for other in after if other.name == one.name and _key(other) not in keys]
        if others:
            yield _Loss("signature", one, others[0])
        elif one.name not in names and len({other.name for other in fresh[one.most]}) == 1:
            yield _Loss("renamed", one, fresh[one.most][0])
        else:
            yield _Loss("removed", one, None)


def _key(member: Member) -> tuple[str, int]:
    return member.name, member.most


def _name(module: Module, member: Member) -> str:
    """What a callback or its answer is called here; the functions of a file's own module have no such name."""
    return f"{module.name}.{member.name}"


def _symbol(path: str, module: Module, member: Member, side: Side) -> Symbol:
    signature = Signature((), member.words, opaque=True)
    return Symbol(path, _name(module, member), "declaration", member.start, member.end, side, signature)
