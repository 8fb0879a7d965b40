"""Common parts of type checkers: which files they check, how they run, and which errors count.

Both sides are written to temporary folders, with our configuration and without packages. Unchanged files are
checked with the head's version of the changed files. If an error or its line names something that the change
removed, or gave another contract, or a type that changed code now has, its file is checked on the base too. An
error on a line that had none is proven if the types were known there on the base. The absence of errors proves
nothing, because a receiver may come from a missing package.

If the program fails on the head only, the change may have caused it, so something stays open: the files that
the program names, or else the whole check.

A checker only knows declarations. If an added line may define a missing name in another way, the error proves
nothing. Imports of missing modules are left to the contract check. What a program reports also depends on the
other files that it was given, so new errors are confirmed with the same files of both sides.
"""

import json
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType

from bot.analyzers import linter_run
from bot.analyzers.linter_run import ProgramError
from bot.analyzers.linters import Directives, silenced
from bot.analyzers.type_checkers.brought import brought_in
from bot.analyzers.type_checkers.diagnostics import WORD, Diagnostic, by_cause, probes, removed_line, rules
from bot.analyzers.type_checkers.layout import Contents, Sources, removed_words, unchanged_files
from bot.errors import DeepRepoError, public
from bot.machine import files as machine_files
from bot.machine.files import UnwritableError
from bot.render import count
from bot.values import Absence, Basis, ChangedFile, Dependents, Evidence, Finding, Judgement, Side, Source, Verdict
from bot.values.finding import ALSO_BROKEN, MOST_BROKEN, break_digest, proof_id
from deeprepo.impact.ports import Tree
from deeprepo.impact.reading import memo
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.gone import world_of

MEMORY = 640 << 20  # bytes that a checker may allocate
SECONDS = 60.0  # per run
MOST_NEW = 200  # new files that are searched for definitions
MOST_ATTEMPTS = 3  # runs of a side, each without the files that made the previous one fail
NO_PROBES: Contents = MappingProxyType({})


class UnfinishedError(DeepRepoError):
    """A run on one side did not finish. `paths`: the files that caused it, if they are known."""

    def __init__(self, side: Side, cause: str, paths: Collection[str]) -> None:
        super().__init__(cause)
        self.side, self.paths = side, frozenset(paths)


class TypeChecker(ABC):
    """Checks what a change breaks in unchanged files. Implements `ports.Analyzer`; a subclass per program."""

    NAME: str  # the program's name
    SUFFIXES: tuple[str, ...]  # suffixes of the files that it checks
    UNTYPED: tuple[str, ...] = ("\0",)  # suffixes of files in which a declared type changes nothing at run time
    RULES: str  # the table of its codes, in `checks`
    COMMENTS: Directives

    def __init__(self) -> None:
        self._faults: set[tuple[str, str]] = set()  # path and code of each error of the head
        self._left = 0  # files that were not checked because there were too many
        self._skipped: dict[str, str] = {}  # files that make a check fail -> the cause
        self._ran = False

    @abstractmethod
    def program(self) -> str | None:
        """Return the path of the program; None if it is not installed."""

    @abstractmethod
    async def sources(self, tree: Tree, roots: Collection[str], changed: Mapping[Side, Contents]) -> Sources:
        """Return the files needed to check these files of the head."""

    @abstractmethod
    async def run(self, folder: Path, sources: Sources, side: Side, checked: Collection[str]) -> list[Diagnostic]:
        """Return the errors in some files of a side, after writing the repository's files into `folder`.

        Other files go into its parent, where no file of the repository can replace them. Raises ProgramError
        or UnwritableError if the program did not finish.
        """

    @abstractmethod
    def parsed(self, folder: Path, contents: Contents, status: int, out: bytes, log: str) -> list[Diagnostic]:
        """Return the errors in the program's output. Raises ProgramError if the program did not finish."""

    async def reported(
        self, folder: Path, own: Contents, contents: Contents, options: Sequence[str], environment: Mapping[str, str]
    ) -> list[Diagnostic]:
        """Return the errors that the program reports for these files, or the cached ones if it had the same before.

        `own` are the files beside the folder. Raises ProgramError or UnwritableError, and then caches nothing.
        """
        program = self.program() or self.NAME
        laid_out = blake2b()
        for path, text in (*sorted(own.items()), *sorted(contents.items())):
            laid_out.update(json.dumps([path, len(text)]).encode() + text)
        asked = [self.NAME, program, *options, *environment.items()]
        name = memo.name_of(_engine(program), asked, laid_out.digest())
        if (known := memo.load(name)) is not None:
            rows: list[tuple[str, int, str, str, tuple[int, int, int]]] = json.loads(known)
            return [Diagnostic(*row[:4], span=(*row[4],)) for row in rows]
        machine_files.fill(folder.parent, own)
        machine_files.fill(folder, contents)
        answer = await linter_run.execute(
            self.NAME, [program, *options], str(folder), memory=MEMORY, seconds=SECONDS, environment=environment
        )
        found = self.parsed(folder, contents, *answer)
        here = f"{folder}/"
        found = [replace(one, message=one.message.replace(here, "")) for one in found if one.path in contents]
        memo.keep(name, json.dumps([(one.path, one.line, one.code, one.message, one.span) for one in found]).encode())
        return found

    def wants(self, file: ChangedFile) -> bool:
        """Return whether unchanged files may use what this file defines."""
        return self._fits(file) and self.program() is not None

    def lacks(self, files: Sequence[ChangedFile]) -> bool:
        """Return whether one of these files is for the checker, and the checker is not installed."""
        return any(map(self._fits, files)) and self.program() is None

    async def check(self, tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> Judgement:
        """Return errors in unchanged files that only the head has.

        Files that make a check fail are not judged. If neither side can be checked, the result says why. Raises
        UnfinishedError if only the head's check fails, and the program names no file.
        """
        changed: dict[Side, Contents] = {
            "head": await tree.read_many([file.path for file in files if file.status != "deleted"]),
            "base": await tree.read_many([file.old_path for file in files if file.old_path], "base"),
        }
        brought = brought_in(dependents.symbols, changed)
        users, self._left = await unchanged_files(
            tree, files, dependents, self.SUFFIXES, (changed["base"], changed["head"]), brought
        )
        paths = frozenset(file.path for file in files)
        if not users and not any(file.removed_lines for file in files):
            return Judgement((), paths, ran=False)
        names = {
            word for one in dependents.symbols if one.contract for side in one.sides for word in side.name.split(".")
        }
        names.update(removed_words(files, changed["base"], changed["head"]))
        run = _Run(self, tree, files, changed, users, names, brought, self._skipped)
        found, not_run = await self._new_errors(run)
        hidden = await self._silenced(run, found)
        found = await self._with_proofs(tree, files, found)
        others = [f"{path} ({cause})" for path, cause in self._skipped.items() if path not in paths]
        limits = [f"{self.NAME} skipped {count(len(others), 'unchanged file')}: {others[0]}"] if others else []
        if self._left:
            unread = count(self._left, "unchanged file")
            limits.append(f"too many files may use what changed, so {self.NAME} left out {unread}")
        return Judgement(
            tuple(self._finding(group, files) for group in by_cause(found)),
            paths - self._skipped.keys() - {path for path, _ in hidden},
            (*((path, f"skipped this file ({why})") for path, why in self._skipped.items() if path in paths), *hidden),
            tuple(limits),
            not_run,
            ran=self._ran,
        )

    def absence(self, finding: Finding, dependents: Dependents) -> Absence:  # noqa: ARG002
        """Return fixed if the head has no such error in the finding's files; unseen if not all files were checked."""
        faults = {(item.path, finding.rule) for item in finding.places}
        return "unseen" if self._skipped or self._left or not faults.isdisjoint(self._faults) else "fixed"

    async def regressions(self, tree: Tree, paths: Collection[str]) -> list[Diagnostic]:
        """Return the errors in these changed files that the base did not have, on any line.

        Used to check fixes, whose base is the code before the fix. Raises DeepRepoError if the program did
        not finish.
        """
        mine = [path for path in paths if path.endswith(self.SUFFIXES)]
        if not mine or self.program() is None:
            return []
        head, base = await tree.read_many(mine), await tree.read_many(mine, "base")
        head = {path: self.COMMENTS.without(text, base.get(path, b"")) for path, text in head.items()}
        sources = await self.sources(tree, mine, {"head": head, "base": base})
        before, after = [await self._in_folder(sources, side, mine) for side in ("base", "head")]
        standing = {(one.path, one.code, one.message) for one in before}
        return [one for one in after if one.counts and (one.path, one.code, one.message) not in standing]

    def _judged(self, one: Diagnostic, lines: Sequence[str]) -> Diagnostic:
        """Return the error with its line, and whether it counts: its rule is chosen, and no comment disables it."""
        rule, near = rules(self.RULES).get(one.code), "\n".join(lines[max(0, one.line - 2) : one.line])
        is_disabled = self.COMMENTS.words.search(near.encode("utf-8", "replace"))
        is_wanted = rule is not None and rule.counts(one.message) and not is_disabled
        is_typed = rule is None or not rule.declared or not one.path.endswith(self.UNTYPED)
        return replace(one, text=lines[one.line - 1], counts=one.counts and is_wanted and is_typed)

    def _fits(self, file: ChangedFile) -> bool:
        paths = (file.path, file.old_path or "")
        return not file.is_ignored and file.old_path is not None and any(path.endswith(self.SUFFIXES) for path in paths)

    async def _new_errors(self, run: "_Run") -> tuple[list[Diagnostic], str]:
        """Return the errors that only the head has, and why nothing could be checked ("" if it could)."""
        left = MOST_ATTEMPTS
        while True:
            try:
                return await self._compared(run), ""
            except UnfinishedError as error:
                left -= 1
                self._skipped |= dict.fromkeys(sorted(error.paths), str(error))
                if left and error.paths:
                    continue
                if error.side == "head" and not await run.fails_on_base():
                    raise
                return [], public(error)

    async def _compared(self, run: "_Run") -> list[Diagnostic]:
        """Return the errors that only the head has. The base is only checked for files with errors."""
        after = await run.check("head", [*run.users, *run.changed["head"]])
        self._ran = True
        self._faults |= {(one.path, one.code) for one in after}
        suspects = run.placed(after)
        before = await run.check("base", sorted({place.path for place in suspects}))
        standing = {(one.path, one.line) for one in before}
        found = {place: one for place, one in suspects.items() if (place.path, place.line) not in standing}
        # What a program reports also depends on the other files that it was given.
        again = run.placed(await run.check("head", sorted({one.path for one in suspects.values()} if found else ())))
        still = {(place.path, place.line, place.code) for place in again}
        return await run.known_on_base(
            {place: one for place, one in found.items() if (place.path, place.line, place.code) in still}
        )

    async def _silenced(self, run: "_Run", found: Collection[Diagnostic]) -> list[tuple[str, str]]:
        """Return each changed file with new errors that only a comment added by the change hides, and what to say."""
        old = {file.path: run.changed["base"].get(file.old_path or "", b"") for file in run.files}
        own = run.changed["head"]
        shown = {path: self.COMMENTS.without(text, old[path]) for path, text in own.items()}
        if shown == own:
            return []
        rest = replace(run, changed={**run.changed, "head": shown}, users=(), _sources=None)
        both = (await self._new_errors(rest))[0], found
        every, visible = ({(one.path, one.code, one.line) for one in errors} for errors in both)
        rows = groupby(sorted(every - visible), key=itemgetter(0))
        return [(path, silenced([row[1:] for row in errors])) for path, errors in rows]

    async def _with_proofs(
        self, tree: Tree, files: Sequence[ChangedFile], found: Sequence[Diagnostic]
    ) -> list[Diagnostic]:
        """Return the errors, and whether no added line may define the name that each one misses."""
        if not found:
            return []
        new = sorted((await tree.entries()).keys() - (await tree.entries("base")).keys())
        fresh = await tree.read_many([path for path in new if path.endswith(self.SUFFIXES)][:MOST_NEW])
        added = [
            ChangedFile(path, None, "added", added_lines=frozenset(range(1, text.count(b"\n") + 2)))
            for path, text in fresh.items()
        ]
        mine = [file for file in files if file.path.endswith(self.SUFFIXES)]
        made = await world_of(tree, [*mine, *added], ())
        missing = {one: rules(self.RULES)[one.code].lost_name(one).strip("\"'").rpartition(".")[2] for one in found}
        return [
            replace(one, proves=not name or not (made.makers or made.may_make(name, ())))
            for one, name in missing.items()
        ]

    async def _in_folder(self, sources: Sources, side: Side, checked: Collection[str]) -> list[Diagnostic]:
        with tempfile.TemporaryDirectory(prefix="deeprepo-types-") as parent:
            folder = Path(parent) / "repository"
            try:
                found = await self.run(folder, sources, side, checked)
            except (ProgramError, UnwritableError) as error:
                how = error.how if isinstance(error, ProgramError) else str(error)
                raise UnfinishedError(side, how, sources.of(side).keys() & error.paths) from error
        texts = sources.of(side)
        lines = {path: file_lines(texts[path]) for path in {one.path for one in found}.intersection(checked, texts)}
        return [self._judged(one, lines[one.path]) for one in found if one.line <= len(lines.get(one.path, ()))]

    def _finding(self, group: Sequence[Diagnostic], files: Sequence[ChangedFile]) -> Finding:
        rule = rules(self.RULES)[group[0].code]
        first, *others = sorted(group, key=lambda one: (is_test(one.path), one.path, one.line))
        title, effect = rule.words(first)
        breaks = {one: break_digest(one.code, one.path, one.text, str(one.line)) for one in group}
        cause = break_digest(first.code, *first.names[:1]) if others else ""
        proof = proof_id(first.code, " ".join(sorted(first.names)))
        evidence = [
            Evidence(one.path, one.text, one.line, note=ALSO_BROKEN, breaks=(breaks[one],))
            for one in others[:MOST_BROKEN]
        ]
        names = [name.rpartition(".")[2].strip("\"'") for name in first.names]
        severity = "medium" if rule.severity == "high" and is_test(first.path) else rule.severity
        return Finding(
            path=first.path,
            quote=first.text,
            title=title,
            why=f"{self.NAME} reports an error here that the base does not have: {first.summary}",
            consequence=effect,
            severity=severity,
            category="broken-caller",
            basis=Basis(
                (Source("analyser", self.NAME, proof=proof, breaks=tuple(sorted(breaks.values()))),),
                verdict=Verdict.PROVEN if all(one.proves for one in group) else Verdict.UNPROVEN,
                cause=cause,
            ),
            rule=first.code,
            start=first.line,
            end=first.line,
            evidence=(*removed_line(files, names), *evidence),
        )


@dataclass
class _Run:
    """The runs of one check on both sides."""

    checker: TypeChecker
    tree: Tree
    files: Sequence[ChangedFile]
    changed: Mapping[Side, Contents]
    users: Sequence[str]
    names: set[str]  # what the change removed or gave another contract
    brought: Mapping[str, Collection[str]]  # key of a changed definition -> the types that it brings in
    left_out: Collection[str]
    _sources: Sources | None = None

    async def fails_on_base(self) -> bool:
        try:
            await self.check("base", [*self.users, *self.changed["base"]])
        except UnfinishedError:
            return True
        return False

    def placed(self, found: Iterable[Diagnostic]) -> dict[Diagnostic, Diagnostic]:
        """Return the head's errors that may be of this change, by their place on the base.

        None of their lines is new, and they name what the change removed or gave another contract, or the type
        that a definition got whose name is in the file.
        """
        files, placed = {file.path: file for file in self.files}, dict[Diagnostic, Diagnostic]()
        for one in found:
            file = files.get(one.path)
            lines = one.line, max(one.line, one.span[1])
            is_new = file is not None and not file.added_lines.isdisjoint(range(lines[0], lines[1] + 1))
            words = WORD.findall(f"{one.message} {one.text}")
            if not one.counts or is_new or (self.names.isdisjoint(words) and not self._is_retyped(one)):
                continue
            if file is not None:
                line, last = (_line_on_base(file, number) for number in lines)
                span = one.span[0], last if one.span[1] else 0, one.span[2]
                placed[replace(one, path=file.old_path or file.path, line=line, span=span)] = one
            else:
                placed[one] = one
        return placed

    def _is_retyped(self, one: Diagnostic) -> bool:
        types = {word for name in one.names for word in WORD.findall(name)}
        keys = [key for key, names in self.brought.items() if not types.isdisjoint(names)]
        text = self._sources.head.get(one.path, b"") if keys and self._sources is not None else b""
        return any(word.encode() in text for key in keys for word in WORD.findall(key.rpartition(":")[2]))

    async def known_on_base(self, found: Mapping[Diagnostic, Diagnostic]) -> list[Diagnostic]:
        """Return the errors that the program could have reported on the base.

        Its probes put a mistake into each line: if the base's types are unknown there, no mistake is noticed,
        and the change only made an older one visible.
        """
        if not found:
            return []
        texts, marks = probes(found, (await self._gathered()).of("base"), rules(self.checker.RULES))
        messages = "\n".join(one.message for one in await self.check("base", sorted(texts), texts))
        return [one for place, one in found.items() if place not in marks or marks[place] in messages]

    async def check(self, side: Side, paths: Sequence[str], probed: Contents = NO_PROBES) -> list[Diagnostic]:
        """`probed` replace files of the base."""
        suffixes = self.checker.SUFFIXES
        paths = [path for path in paths if path.endswith(suffixes) and path not in self.left_out]
        if not paths:
            return []
        sources = await self._gathered()
        sources = replace(sources, base={**sources.base, **probed}) if probed else sources
        return await self.checker._in_folder(sources, side, paths)  # noqa: SLF001 - the same module

    async def _gathered(self) -> Sources:
        if self._sources is None:
            self._sources = await self.checker.sources(self.tree, self.users, self.changed)
        return self._sources.without(self.left_out)


@cache
def _engine(program: str) -> bytes:
    """Return a hash of our code and of the program."""
    home, file = Path(__file__).parent, Path(program).stat()
    return memo.engine_of((home, home.parent / "checks")) + f"{file.st_size} {file.st_ctime_ns}".encode()


def _line_on_base(file: ChangedFile, line: int) -> int:
    """Return the number that a line of the head had on the base, if the change did not add it."""
    old = line - sum(added < line for added in file.added_lines)
    for removed in sorted(file.removed_lines):
        old += removed <= old
    return old
