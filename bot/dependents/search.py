"""Search the confirmed dependents, and by name the rest of the tree, for uses of the changed definitions."""

import posixpath
import re
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.dependents.budget import SearchLimits
from bot.dependents.exports import Exports
from bot.dependents.importing import ALIASES, BARRELS
from bot.dependents.members import (
    IMPORTS,
    LONG_LINE,
    NAME,
    giver_names,
    names_one,
    of_a_value,
    outside_names,
    with_definitions,
    words_of_members,
)
from bot.dependents.names import Own, Spans, lone_names, occurrences, of_any_use
from bot.dependents.proof import Proof
from bot.dependents.reach import globs
from bot.dependents.sites import (
    LONG,
    Bindings,
    Doors,
    Match,
    UseTarget,
    bind,
    last_word,
    match,
    names,
    names_class,
    reference,
    resembles,
    telling,
)
from bot.dependents.targets import (
    WHOLE,
    former_names,
    has_new_signature,
    is_imported,
    is_imported_elsewhere,
    is_inside,
    spans_of,
    still_defined,
    unread,
)
from bot.machine.concurrency import together
from bot.ports import Language, Tree
from bot.text.lines import file_lines
from bot.text.paths import is_output
from bot.values import Import, Query, Reference, Side, SomeUses, Symbol, Use
from bot.values.everyday import METHODS

LISTED = 8  # names in a sentence
ROOT = re.compile(r"[A-Za-z_$][\w$]*")
OWN = frozenset({"self", "Self", "this", "super", "crate", "cls", "parent", "static"})  # roots that no import can mean
CHAIN = re.compile(r"[\w$]{1,60}(?:\.[\w$]{1,60}){1,4}$")  # an attribute of something: nobody can import it
FIELD = re.compile(r"[a-z_][\w]{0,60}\.")  # of a value: the root of the chain is no class
DOORS = 2  # files in a row that hand on what another one holds
SHORT = 3  # letters: a shorter name is not looked up without an import


@dataclass(slots=True)
class Search:
    """One search over the files of one language."""

    tree: Tree
    language: Language
    importers: Mapping[str, Sequence[Import]]
    origins: Mapping[str, Collection[str]]
    exports: Exports
    budget: SearchLimits
    cut: list[str]
    fresh: Mapping[str, Collection[int]]  # file -> lines that the change adds
    proof: Proof
    doors: Doors
    missed_uses: list[str] = field(default_factory=list)  # of `cut`, what may hide a use of a changed contract
    # (target, name) that files without a tie to it use as well, and (target, path, line) of uses whose receiver tells.
    apart: set[tuple[str, str]] = field(default_factory=set)
    certain: set[tuple[str, str, int]] = field(default_factory=set)
    obliging: bool = False  # whether some target's contract changed
    lone_attributes: frozenset[str] = frozenset()  # of one word, that nothing else in the tree bears
    lone_members: frozenset[str] = frozenset()  # the same of members whose contract changed
    giver_names: dict[str, frozenset[str]] = field(default_factory=dict)  # UseTarget.key -> what may hand out its class
    taken_files: dict[tuple[str, bool], frozenset[str]] = field(default_factory=dict)  # of files that were asked about

    async def run(self, targets: Sequence[UseTarget]) -> tuple[Reference, ...]:
        """The references to all targets, the ones that prove a break first."""
        if not targets:
            return ()
        end = time.process_time() + self.budget.seconds
        self.obliging = any(target.contract for target in targets)
        special = {
            short
            for t in targets
            if t.reached_by_name and not t.is_attribute and (t.is_gone or has_new_signature(t) or t.contract)
            for short in t.shorts
        }
        special -= self.language.AMBIENT  # what everything has says nothing
        left = still_defined(targets)
        gone_names = frozenset(name for target in targets if target.is_gone for name in former_names(target)) - left
        own = Own(await self._spans(targets), gone_names, self.fresh)
        special = {short for short in special if telling(short)}
        by_name, alone = await together(
            self._by_name(targets), lone_names(self.tree, self.language, special, own, self.budget, of_any_use)
        )
        times = Counter(short for target in targets if has_new_signature(target) for short in {*target.shorts})
        alone -= {short for short, many in times.items() if many > 1}
        self.proof.expected_names |= alone
        await self._look_up_lone_names(targets, own)
        near = self._near(targets)
        paths = [*sorted(near), *sorted({*by_name} - near)]
        if len(paths) > self.budget.parsed_files:
            paths = await self._order(paths, targets)
            self._miss(
                f"references were looked for in {self.budget.parsed_files} of {len(paths)} {self.language.NAME} files"
            )
        references: dict[str, list[Reference]] = defaultdict(list)
        sources = await self.tree.read_many(paths[: self.budget.parsed_files])
        for sentence in unread(paths[: self.budget.parsed_files], sources, await self.tree.entries()):
            self._miss(sentence)
        for count, (path, source) in enumerate(sources.items()):
            if time.process_time() > end:
                self._miss(
                    f"the search for references stopped after {self.budget.seconds:g} s of computing, {count} of {len(paths)} files read"
                )
                break
            if len(source) > self.budget.bytes:
                self._miss_large(path, source, targets, is_near=path in near)
            else:
                await self._file(
                    path,
                    source,
                    targets,
                    by_name.get(path, set()),
                    (alone, alone - left),
                    references,
                )
        for key, rows in references.items():
            references[key] = [replace(row, likely=row.likely and not self._may_be_library(key, row)) for row in rows]
        return self._limit(references, frozenset(target.key for target in targets if target.contract))

    async def _look_up_lone_names(self, targets: Sequence[UseTarget], own: Own) -> None:
        """Learn which attributes and members of one word nothing else in the tree has."""
        attributes = {short for target in targets if target.is_attribute for short in target.shorts}
        attributes -= self.language.AMBIENT
        self.lone_attributes = await lone_names(self.tree, self.language, attributes, own, self.budget, of_any_use)
        words = words_of_members(targets, self.language)
        own = replace(own, spans=with_definitions(own.spans, targets))
        self.lone_members = await lone_names(
            self.tree, self.language, words, own, self.budget, of_a_value, in_code=True
        )

    def _near(self, targets: Sequence[UseTarget]) -> set[str]:
        """The files that have to do with what changed, whether they write its name or not."""
        homes = {home for target in targets for home in target.homes}
        mates = {mate for home in homes for mate in self.exports.mates(home)}
        return {*self.importers, *homes, *mates}

    async def _spans(self, targets: Sequence[UseTarget]) -> Mapping[Side, Spans]:
        """Where the changed definitions stand, those of their prototypes in headers included."""
        spans_by_side = spans_of(targets)
        for home in {home for target in targets if target.is_attribute for home in target.homes}:
            spans_by_side["base"].setdefault(home, set()).add(WHOLE)
        for item, homes in [(target.symbol, target.homes) for target in targets if target.symbol is not None]:
            for header in homes - {side.path for side in (item.before, item.after) if side is not None}:
                spans_by_side["base"].setdefault(header, set()).add(WHOLE)
                outline = await self.exports.outline("head", header) if item.after is not None else None
                same = (
                    [symbol for symbol in outline.symbols if symbol.name == item.after.name]
                    if outline and item.after
                    else []
                )
                spans_by_side["head"].setdefault(header, set()).update((symbol.start, symbol.end) for symbol in same)
        return spans_by_side

    async def _order(self, paths: Sequence[str], targets: Sequence[UseTarget]) -> list[str]:
        """Of more files than are read, those first that hold the name of something whose contract changed."""
        words = {word for target in targets if target.contract for word in target.shorts}
        plain = [target for target in targets if target.contract and not target.owner]
        words |= {word for target in plain for _, door_names in target.doors for word in door_names}
        holders = await self.tree.grep(Query(sorted(words), globs(self.language), word=True)) if words else ()
        return sorted(paths, key=lambda path: path not in holders)

    async def _by_name(self, targets: Sequence[UseTarget]) -> dict[str, set[str]]:
        """File -> the members whose names occur there, for names that do not occur everywhere."""
        words = {
            s for t in targets if t.reached_by_name for s in t.shorts if len(s) >= SHORT and not s.startswith("__")
        }
        where = await occurrences(self.tree, self.language, words)
        if not where.complete:  # first those whose uses somebody has to look at
            obliging = {short for target in targets if target.contract for short in target.shorts}
            where = await occurrences(self.tree, self.language, words & obliging)
            sentence = "too many lines hold the names of changed members: some were not looked up by name"
            self.cut.append(sentence) if where.complete else self._miss(sentence)
        paths_by_word: dict[str, set[str]] = defaultdict(set)
        far = {name for name, paths in where.files.items() if len(paths) > self.budget.far}
        common = sorted(far)
        if common:
            words_text = ", ".join(common[:LISTED]) + (", ..." if len(common) > LISTED else "")
            self.cut.append(f"members with common names were looked up in importing files only: {words_text}")
        for name, paths in where.files.items():
            for path in paths if name not in far else ():
                paths_by_word[path].add(name)
        return paths_by_word

    def _uses(self, path: str, source: bytes, targets: Sequence[UseTarget], bound: Bindings) -> Sequence[Use]:
        """The uses in a file, also under the names that assignments in it give to what they are about."""
        wanted_names = own_names = names(targets, bound)
        uses = self.language.uses(path, source, wanted_names)
        for _ in range(ALIASES):
            more_names = bound.follow(uses) - wanted_names
            if not more_names:
                break
            wanted_names = own_names | more_names
            uses = self.language.uses(path, source, wanted_names)
        if isinstance(uses, SomeUses) and not any(note.startswith(f"{path}: ") for note in self.cut):
            self._miss(
                f"{path}: it holds more uses than are read, or code that people do not write: some may be missing"
            )
        return uses

    async def _file(
        self,
        path: str,
        source: bytes,
        targets: Sequence[UseTarget],
        paths_by_word: Collection[str],
        lone: tuple[frozenset[str], frozenset[str]],
        references: dict[str, list[Reference]],
    ) -> None:
        """The references of one file. `lone`: the names that nothing else bears; those of them that nothing bears any more."""
        bound = bind(self.importers.get(path, ()), self.origins, self.doors)
        for home in {home for target in targets for home in target.homes if path in self.exports.mates(home)}:
            bound.stars.setdefault(home, set()).add("")  # what needs no import has no door, either
        mine = [
            target
            for target in targets
            if target.is_visible(path)
            and (not target.shorts.isdisjoint(paths_by_word) or path in target.homes or is_imported(target, bound))
        ]
        uses = self._uses(path, source, mine, bound) if mine else ()
        lines = file_lines(source)
        import_words = frozenset(
            word for line in lines if IMPORTS.match(line) for word in NAME.findall(line[:LONG_LINE])
        )
        foreign = await self._foreign(path, source, uses, self._telling_names(mine, lone[0]), lines)
        for target in mine:
            alone = lone[target.is_gone]
            for hit in match(target, uses, bound, path):
                if target.is_beside(hit.use.receiver, path) or is_inside(target, hit.use, path):
                    continue
                if target.is_attribute:
                    row = reference(target, hit, path, lines, missing=False, unique=False)
                    is_lone = await self._means_attribute(target, hit.use, bound, path, foreign)
                    references[target.key].append(replace(row, lone=is_lone))
                    continue
                if not self.language.TRAITS.whole_files and is_imported_elsewhere(target, hit, uses, bound):
                    continue
                is_telling = (
                    not hit.sure
                    and hit.use.receiver not in foreign
                    and await self._is_telling(target, hit.use, path, alone)
                )
                missing = await self.proof.missing(target, hit, path, uses, alone, by_name=is_telling)
                likely = not missing and await self._likely(
                    path, source, target, hit, uses, alone, foreign, is_telling=is_telling
                )
                row = reference(target, hit, path, lines, missing=missing, unique=is_telling, likely=likely)
                if target.contract:
                    row = await self._weigh(row, target, hit, uses, alone, (import_words, foreign))
                references[target.key].append(row)

    async def _means_attribute(
        self, target: UseTarget, use: Use, bound: Bindings, path: str, foreign: Collection[str]
    ) -> bool:
        """Whether a member of an unknown object can be the attribute: the file imports its class, or nothing else has its name."""
        if use.form != "member" or use.is_guarded:
            return False
        if use.receiver.partition(".")[0] not in OWN and not set(use.types) - {"?"}:
            (name,) = target.shorts
            if name in self.lone_attributes or resembles(use.receiver, target.owner):
                return True
            if is_imported(target, bound) and name not in METHODS:
                return True
        return await self._is_lone_member(target, use, path, foreign)

    async def _likely(
        self,
        path: str,
        source: bytes,
        target: UseTarget,
        hit: Match,
        uses: Sequence[Use],
        alone: frozenset[str],
        foreign: Mapping[str, str],
        *,
        is_telling: bool,
    ) -> bool:
        """Whether a use probably means what is gone: something ties the file to it. Uses without a tie are remembered."""
        use, is_called_so = hit.use, _is_called_so(hit.use, target)
        if (is_telling and not target.is_gone) or not (is_called_so or _near(foreign.get(use.receiver), target)):
            return False
        if not await self.proof.likely(target, hit, path, uses, alone):
            return False
        if hit.sure or is_called_so:
            self.certain.add((target.key, path, use.line))
            return True
        near = await self._is_connected(path, target) if telling(use.name) else self._takes(path, target)
        if is_telling or near or _speaks(source, target):
            return True
        self.apart.add((target.key, use.name))
        is_bare = self.language.TRAITS.open_classes and not use.receiver and use.call is not None
        is_lone = target.is_gone and use.name in alone and (is_bare or CHAIN.match(use.receiver) is not None)
        if is_lone and await self.proof.is_rare(use.name):
            self.certain.add((target.key, path, use.line))
            return True
        return False

    async def _weigh(
        self,
        row: Reference,
        target: UseTarget,
        hit: Match,
        uses: Sequence[Use],
        alone: frozenset[str],
        import_facts: tuple[frozenset[str], Mapping[str, str]],
    ) -> Reference:
        """A use of a changed contract: whether what it names is still there, and whether its name alone tells what is meant.

        `alone`: the names that nothing else bears. `import_facts`: the words of the import lines, and the receivers that come from outside
        the tree.
        """
        import_words, foreign = import_facts
        name = hit.use.name
        # The file gives the name a meaning by itself: an import, which is a use of its own where it is one, or a definition.
        own = hit.use.form != "import" and not hit.use.receiver and (name in import_words or _defines(name, uses))
        if hit.is_inherited or (target.is_macro and hit.use.form == "member"):
            return replace(row, lone=True)
        if not hit.sure:
            is_field = self._is_field(hit.use.receiver) and hit.use.receiver not in foreign
            if hit.is_extension:
                return replace(row, lone=True)
            if own or (_names_another(hit.use.receiver, target) and not is_field):
                return row
            lone = name in alone or await self._is_lone_member(target, hit.use, row.path, foreign)
            is_near = hit.use.receiver not in foreign and self._takes(row.path, target)
            return replace(row, lone=lone or (is_near and _may_be_lost_member(target, hit.use)))
        if not target.is_gone or row.missing:
            return row
        fresh = name not in former_names(target) and not target.constructor
        was = target.symbol.before if target.symbol is not None else None
        return replace(row, is_held=fresh or own or await self._still_offers(hit, row.path, was))

    async def _is_lone_member(self, target: UseTarget, use: Use, path: str, foreign: Collection[str]) -> bool:
        """Whether a member of an unknown value can hardly be another one: nothing else has its name, and the file leads to its class."""
        is_unknown = use.receiver not in OWN and not set(use.types) - {"?"}
        if use.form != "member" or use.name not in self.lone_members or use.name not in target.shorts or not is_unknown:
            return False
        if use.receiver not in foreign and await self._leads_to(path, target):
            return True
        names = await self._giver_names(target) if self.exports.is_told else frozenset[str]()
        if use.receiver in foreign:
            names &= frozenset(NAME.findall(use.receiver)[:1])
        return names_one(await self.tree.read(path) or b"", names)

    async def _leads_to(self, path: str, target: UseTarget) -> bool:
        """Whether a file takes something from one that sees a home of the target: a function of it may return what has the member."""
        between = {path, *self.exports.mates(path)}
        for one in sorted(between):
            between |= await self._taken(one, is_public=False)
        for _ in range(DOORS):  # which hand on what others hold
            for one in sorted(between):
                between |= await self._taken(one, is_public=True)
        return any(one in target.homes or self._shares(one, target) for one in sorted(between))

    async def _taken(self, path: str, *, is_public: bool) -> frozenset[str]:
        """The files that a file imports, or those of which it hands something on."""
        if (path, is_public) not in self.taken_files:
            imports = await self.exports.imports(path)
            is_whole = not is_public or posixpath.splitext(posixpath.basename(path))[0] in BARRELS
            self.taken_files[path, is_public] = frozenset(
                item.target
                for item in imports
                if is_whole or item.public or ("*" in item.names and "*" not in dict(item.aliases))
            )
        return self.taken_files[path, is_public]

    async def _giver_names(self, target: UseTarget) -> frozenset[str]:
        """The names of what may hand out the target's class, where no path says what an import means."""
        if target.key not in self.giver_names:
            paths = {one for one in self.importers if self._takes(one, target)} | target.homes
            paths |= {mate for home in target.homes for mate in self.exports.mates(home)}
            first = sorted(paths)[: self.budget.far]
            self.giver_names[target.key] = await giver_names(self.tree, self.exports, first, target)
        return self.giver_names[target.key]

    async def _still_offers(self, hit: Match, path: str, was: Symbol | None) -> bool:
        """Whether the name is offered after the change as well: handed on, defined beside it, bound here to something else."""
        if hit.door and hit.name:
            return await self.exports.offers(
                hit.door, hit.name, was if was is not None and was.short == hit.name else None
            )
        outline = await self.exports.outline("head", path)
        bound = outline is not None and not hit.door and hit.use.name in outline.names
        return bound and await self.exports.offers(path, hit.use.name, was)

    def _may_be_library(self, key: str, row: Reference) -> bool:
        """Whether a use may well mean a library's member: files that have nothing to do with the class use one of that name."""
        return (key, row.name) in self.apart and (key, row.path, row.line) not in self.certain

    def _miss(self, sentence: str) -> None:
        self.cut.append(sentence)
        if self.obliging:
            self.missed_uses.append(sentence)

    def _miss_large(self, path: str, source: bytes, targets: Sequence[UseTarget], *, is_near: bool) -> None:
        """Say that a file is too large to be searched, if it may use something whose contract changed."""
        names_here = {
            name for target in targets if target.contract for name in target.shorts if name.encode() in source
        }
        if names_here and (is_near or any(telling(name) for name in names_here)) and not is_output(path):
            self._miss(
                f"{path} has more than {self.budget.bytes:,} bytes: its uses of {min(names_here)} were not looked for"
            )

    async def _foreign(
        self, path: str, source: bytes, uses: Sequence[Use], alone: Collection[str], lines: Sequence[str]
    ) -> dict[str, str]:
        """Receivers of the telling names that come from outside the tree, with the line that imports them: what they have is not ours to judge."""
        receivers = {use.receiver for use in uses if use.form == "member" and use.name in alone}
        roots = {match[0] for receiver in receivers if (match := ROOT.match(receiver))} - OWN
        if not roots:
            return {}
        outside = dict.fromkeys(roots & self.language.AMBIENT, 0)
        outside |= await outside_names(self.language, self.exports, path, source, roots)
        return {
            receiver: lines[outside[match[0]] - 1][:LONG_LINE] if outside[match[0]] else ""
            for receiver in receivers
            if (match := ROOT.match(receiver)) and match[0] in outside
        }

    async def _is_telling(self, target: UseTarget, use: Use, path: str, alone: Collection[str]) -> bool:
        """Whether the name of a member says enough: nothing else bears it, and the two files have to do with each other."""
        if use.types or use.name not in alone:
            return False
        is_named = _names_another(use.receiver, target) and not self._is_field(use.receiver)
        if is_named and await self.proof.is_strange((last_word(use.receiver),)):
            return False  # a class that the tree does not define
        return resembles(use.receiver, target.owner) or await self._is_connected(path, target)

    def _shares(self, path: str, target: UseTarget) -> bool:
        """Whether a file imports another one, or sees it without an import."""
        return self._takes(path, target) or any(path in self.exports.mates(home) for home in target.homes)

    def _telling_names(self, targets: Sequence[UseTarget], alone: frozenset[str]) -> frozenset[str]:
        """The names of which the receiver's origin matters: that of a field, which is written like a class, always does."""
        typed_targets = targets if self.language.TRAITS.capital_members else ()
        return frozenset(
            {
                *alone,
                *self.lone_members,
                *(name for item in typed_targets if item.contract for name in item.shorts),
            }
        )

    def _is_field(self, receiver: str) -> bool:
        """Whether a receiver that is written like a class is a field or a property of something: `h.Options.Matcher`."""
        return self.language.TRAITS.capital_members and bool(FIELD.match(receiver))

    async def _is_connected(self, path: str, target: UseTarget) -> bool:
        """Whether one of two files imports the other, directly or through one file between, or they share a folder or a module."""
        if posixpath.dirname(path) in {posixpath.dirname(home) for home in target.homes}:
            return True
        if any(path in self.exports.mates(home) for home in target.homes):
            return True
        if self._takes(path, target):
            return True
        backwards = {item.target for home in target.homes for item in await self.exports.imports(home)}
        between = {item.target for item in await self.exports.imports(path)}
        return (
            path in backwards or not between.isdisjoint(backwards) or any(self._takes(one, target) for one in between)
        )

    def _takes(self, path: str, target: UseTarget) -> bool:
        """Whether a file imports a home of the target, directly or from a file that hands it on."""
        return any(not target.homes.isdisjoint(self.origins.get(i.target, ())) for i in self.importers.get(path, ()))

    def _limit(self, references: Mapping[str, list[Reference]], obliging: frozenset[str]) -> tuple[Reference, ...]:
        """The best references of each symbol: proven breaks, then sure ones, then those outside tests."""
        references_kept: list[Reference] = []
        sure = {(row.path, row.line, row.name) for rows in references.values() for row in rows if row.sure}
        for key, name_references in references.items():
            rows = [row for row in name_references if row.sure or (row.path, row.line, row.name) not in sure]
            rows = sorted(
                dict.fromkeys(
                    rows
                ),  # not a set: of rows that are equal below, the order would be another in each process
                key=lambda row: (
                    not row.missing,
                    not row.likely,
                    not row.sure,
                    row.test,
                    not row.call,
                    row.path,
                    row.line,
                    row.name,
                ),
            )
            most = self.budget.obliging if key in obliging else self.budget.sites
            if len(rows) > most:
                sentence = f"{key}: {most} of its {len(rows)} uses are listed"
                self._miss(sentence) if key in obliging else self.cut.append(sentence)
            references_kept += rows[:most]
        return tuple(references_kept)


def _may_be_lost_member(target: UseTarget, use: Use) -> bool:
    """Whether a member of a receiver of which nothing is known has the name of one that is gone, or takes other arguments: `item.weight()` in a loop."""
    is_unknown = use.receiver.partition(".")[0] not in OWN and not set(use.types) - {"?"}
    is_lost = target.is_gone or (use.call is not None and has_new_signature(target))
    is_member = bool(target.owner) or target.is_method_of_a_value
    return is_lost and is_member and use.form == "member" and is_unknown and use.name not in METHODS


def _names_another(receiver: str, target: UseTarget) -> bool:
    """Whether a receiver is written like a class, and another one than the target's."""
    return names_class(receiver) and last_word(receiver) not in (target.owner, *target.shorts)


def _is_called_so(use: Use, target: UseTarget) -> bool:
    """Whether a receiver is called like the member's class, or like the package or the file of what it names."""
    homes = {posixpath.basename(posixpath.dirname(home)) for home in target.homes}
    return resembles(use.receiver, target.owner) or (not target.owner and use.receiver in homes)


def _speaks(source: bytes, target: UseTarget) -> bool:
    """Whether a file writes the name of the member's class anywhere."""
    return len(target.owner) >= LONG and target.owner.encode() in source


def _near(line: str | None, target: UseTarget) -> bool:
    """Whether what a receiver comes from may be the target's place after all: its import, which does not resolve, names the folder or the file."""
    if line is None:
        return True
    places = {posixpath.basename(posixpath.dirname(home)) for home in target.homes}
    places |= {posixpath.basename(home).partition(".")[0] for home in target.homes}
    return not places.isdisjoint(NAME.findall(line))


def _defines(name: str, uses: Sequence[Use]) -> bool:
    """Whether a file gives the name a meaning of its own."""
    return any(use.name == name and use.form in ("import", "definition") for use in uses)
