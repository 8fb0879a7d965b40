"""Names that a module of Elixir has by `use` of another one, and that the macro of that one brings no more.

`use Shop.Web, :html` puts the code of a `quote` into the module: its imports, its aliases, its functions. If one of them goes, nothing changes in
who uses it, and what it calls by the name is not there.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.dependents.importing import Scene
from bot.dependents.symbols import ChangedSource
from bot.languages.elixir.macro_code import (
    MacroCode,
    code_for_user,
    macro_code,
    own_aliases,
    own_module,
    use_statements,
)
from bot.ports import Language
from bot.text.filetypes import filetype
from bot.text.lines import file_lines, is_comment
from bot.text.paths import is_test
from bot.values import ChangedSymbol, Dependents, Reference, Side, Symbol

LONGEST = 400  # characters of a line
MOST_USERS = 500  # modules that use one


async def lost_macro_names(scene: Scene, language: Language, missed_uses: list[str]) -> Dependents:
    """The lines that rely on what a changed module no longer puts into who uses it."""
    symbols: list[ChangedSymbol] = []
    references: list[Reference] = []
    for source in scene.sources:
        path = source.file.path
        if is_test(path) or not filetype(path).callbacks or not source.before or not source.after:
            continue
        before, after = macro_code(source.before), macro_code(source.after)
        if before and own_module(source.before) == own_module(source.after):
            part = _Part(scene, language, source, before, after)
            await part.find(missed_uses)
            symbols += part.symbols.values()
            references += part.references
    return Dependents(tuple(symbols), references=tuple(references))


@dataclass(slots=True)
class _Part:
    """One changed file, with what its functions quote on both sides."""

    scene: Scene
    language: Language
    source: ChangedSource
    before: Mapping[str, MacroCode]
    after: Mapping[str, MacroCode]
    symbols: dict[str, ChangedSymbol] = field(default_factory=dict)
    references: list[Reference] = field(default_factory=list)

    async def find(self, missed_uses: list[str]) -> None:
        """Look at each module that uses this one."""
        path, module = self.source.file.path, own_module(self.source.after)
        items_by_path = await self.scene.head.importers({path})
        if len(items_by_path) > MOST_USERS:
            missed_uses.append(f"{path}: {MOST_USERS} of the {len(items_by_path)} files that name it were looked at")
        for user, text in (await self.scene.head.tree.read_many(sorted(items_by_path)[:MOST_USERS])).items():
            for line, atoms in use_statements(text, module):
                was, now = code_for_user(self.before, atoms), code_for_user(self.after, atoms)
                await self._of_user(user, text, line, was, now)

    async def _of_user(self, user: str, text: bytes, line: int, was: MacroCode, now: MacroCode) -> None:
        """What one module relies on. `line`: of its `use`, which is all that names what comes from out of sight."""
        names = await self._lost_names(was, now)
        own_imports = [item.target for item in await self.scene.head.imports(user) if not item.aliases]
        own_names = {name for one in own_imports for name in await self._offered("head", one)}
        uses = self.language.uses(user, text, names - own_names) if names - own_names else ()
        defined_names = {use.name for use in uses if use.form == "definition"}
        for use in uses:
            if use.form == "name" and not use.receiver and use.name not in defined_names:
                self._note(use.name, user, use.line, text)
        for name in sorted(was.aliases() - now.aliases() - own_aliases(text)):
            for at, row in enumerate(file_lines(text), 1):
                if re.search(rf"(?<![\w.@:\"]){name}(?=[.{{])", row[:LONGEST]) and not is_comment(row, user):
                    self._note(name, user, at, text)
        for word in ("import", "use"):
            for module in sorted(was.modules(word) - now.modules(word)):
                if word == "use" or not self._targets("base", module):
                    self._note(module, user, line, text)

    async def _lost_names(self, was: MacroCode, now: MacroCode) -> set[str]:
        """The functions that the code brought and brings no more, by an import of the tree or by a definition."""
        import_names = await self._imported("base", was), await self._imported("head", now)
        function_names = {one.name for one in now.functions}
        lost_names = {one.name for one in was.functions if not any(other.takes(one) for other in now.functions)}
        return (lost_names - import_names[1]) | (import_names[0] - import_names[1] - function_names)

    async def _imported(self, side: Side, code: MacroCode) -> set[str]:
        return {
            name
            for one in code.takings
            if one.word == "import"
            for target in self._targets(side, one.module)
            for name in one.brings(await self._offered("base", target))
        }

    def _targets(self, side: Side, module: str) -> list[str]:
        """The file of the tree that an import of the code means."""
        lines = {one.line for code in self._code(side).values() for one in code.takings if one.module == module}
        source, reach = (
            (self.source.before, self.scene.base) if side == "base" else (self.source.after, self.scene.head)
        )
        path = self.source.file.path if side == "head" else self.source.file.old_path or self.source.file.path
        return [item.target for item in reach.resolve(path, source) if item.line in lines and not item.aliases]

    def _code(self, side: Side) -> Mapping[str, MacroCode]:
        return self.before if side == "base" else self.after

    async def _offered(self, side: Side, path: str) -> frozenset[str]:
        outline = await self.scene.exports.outline(side, path)
        return outline.names if outline is not None else frozenset()

    def _note(self, name: str, user: str, line: int, text: bytes) -> None:
        """A line that relies on a name that is handed on no more."""
        path = self.source.file.old_path or self.source.file.path
        item = ChangedSymbol(Symbol(path, name, "function", 1, 1, "base"), None, "removed", ("removed",))
        self.symbols[name] = item
        row = Reference(
            f"{item.symbol.path}:{name}",
            name,
            user,
            line,
            file_lines(text)[line - 1].rstrip("\r"),
            "",
            None,
            sure=True,
            test=is_test(user),
            call=True,
            form="call",
        )
        if row not in self.references:
            self.references.append(row)
