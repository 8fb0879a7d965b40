"""Common parts of type checkers: which files they check, how they run, and which errors count.

Both sides are written to temporary folders, with our configuration and without packages. Unchanged files are
checked with the head's version of the changed files. Those with errors are checked on the base too. An error
on a line that had none is proven if the types were known there on the base. The absence of errors proves
nothing, because a receiver may come from a missing package.

If the program fails on the head only, the change may have caused it, so something stays open: the files that
the program names, or else the whole check.

A checker only knows declarations. If an added line may define a missing name in another way, the error proves
nothing. If a missing module is in the tree under another path, the error is not reported.

Results are cached per tree. What a program reports also depends on the other files that it was given, so new
errors are confirmed with the same files of both sides.
"""

import re
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType

from msgspec.json import decode, encode

from bot.analyzers.linter_run import ProgramError
from bot.analyzers.type_checkers.affected import unchanged_files
from bot.analyzers.type_checkers.diagnostics import (
    Diagnostic,
    by_cause,
    new_faults,
    rules,
)
from bot.analyzers.type_checkers.layout import Contents, Sources
from bot.analyzers.type_checkers.probes import Probes
from bot.errors import DeepRepoError, public
from bot.machine.files import UnwritableError
from bot.render import count
from bot.values import Absence, Basis, ChangedFile, Dependents, Evidence, Finding, Judgement, Side, Source, Verdict
from bot.values.finding import ALSO_BROKEN, MOST_BROKEN, break_digest, proof_id
from deeprepo.impact.ports import Tree
from deeprepo.impact.reading import memo
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.names import World, world_of

MEMORY = 640 << 20  # bytes that a checker may allocate
SECONDS = 60.0  # per run
MOST_ATTEMPTS = 3  # runs of a side, each without the files that made the previous one fail
MOST_PROBED = 2  # checks of the base with probes: one probe can hide the next one of its line
MOST_NEW = 200  # new files that are searched for definitions
WORD = re.compile(r"[^\W\d][\w$]*")
SWITCHED_OFF = re.compile(rb"@ts-(?:ignore|expect-error)|#\s*(?:type|ty):\s*ignore")
NO_PROBES: Contents = MappingProxyType({})


class UnfinishedError(DeepRepoError):
    """A run on one side did not finish. `paths`: the files that caused it, if they are known."""

    def __init__(self, side: Side, cause: str, paths: Collection[str]) -> None:
        super().__init__(cause)
        self.side, self.paths = side, frozenset(paths)


class TypeChecker(ABC):
    """Checks what a change breaks in unchanged files. Implements `ports.Analyzer`; a subclass per program."""

    NAME: str  # the program's name
    READS: str
    SUFFIXES: tuple[str, ...]  # suffixes of the files that it checks
    CONFIGS: tuple[str, ...] = ()  # base names of other files that affect its reports
    UNTYPED: tuple[str, ...] = ("\0",)  # suffixes of files in which a declared type changes nothing at run time
    MISSING_MODULE: tuple[str, ...] = ()  # codes of errors about imports of missing modules
    RULES: str  # the table of its codes, in this folder

    def __init__(self) -> None:
        self._checked: set[str] = set()
        self._faults: set[tuple[str, str, str]] = set()
        self._lines: dict[str, frozenset[str]] = {}  # of the changed files
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
        self._lines = {path: _stripped(text) for path, text in changed["head"].items()}
        users, self._left = await unchanged_files(
            tree, files, dependents, self.SUFFIXES, (changed["base"], changed["head"])
        )
        paths = frozenset(file.path for file in files)
        if not users and not any(file.removed_lines for file in files):
            return Judgement((), paths, ran=False)
        found, not_run = await self._new_errors(_Run(self, tree, files, changed, users))
        texts = await tree.read_many(sorted({one.path for one in found}))
        lines = {path: file_lines(text) for path, text in texts.items()}
        found = [one for one in found if one.line <= len(lines.get(one.path, ()))]
        names = {word for one in dependents.symbols if one.contract for word in one.symbol.name.split(".")}
        found = [one for one in found if self._is_of_change(one, lines[one.path][one.line - 1], names)]
        found = await self._judged_by_names(tree, files, found)
        others = [f"{path} ({cause})" for path, cause in self._skipped.items() if path not in paths]
        limits = [f"{self.NAME} skipped {count(len(others), 'unchanged file')}: {others[0]}"] if others else []
        if self._left:
            unread = count(self._left, "unchanged file")
            limits.append(f"too many files may use what changed, so {self.NAME} left out {unread}")
        return Judgement(
            tuple(self._finding(group, lines, files) for group in by_cause(found)),
            paths - self._skipped.keys(),
            tuple((path, f"skipped this file ({cause})") for path, cause in self._skipped.items() if path in paths),
            tuple(limits),
            not_run,
            ran=self._ran,
        )

    def absence(self, finding: Finding, dependents: Dependents) -> Absence:  # noqa: ARG002
        """Return fixed if none of the finding's files has the error or uses the change; unseen if unknown.

        A rewritten line in a file that the change now touches counts as fixed.
        """
        if self._skipped:
            return "unseen"
        for item in finding.places:
            if item.path in self._checked:
                is_gone = not any((item.path, finding.rule) == fault[:2] for fault in self._faults)
            elif item.path in self._lines:
                is_gone = item.quote.strip() not in self._lines[item.path]
            else:  # it uses nothing of the change
                is_gone = not self._left
            if not is_gone:
                return "unseen"
        return "fixed"

    async def regressions(self, tree: Tree, paths: Collection[str]) -> list[Diagnostic]:
        """Return the errors in these changed files that the base did not have, on any line.

        Used to check fixes, whose base is the code before the fix. Raises DeepRepoError if the program did
        not finish.
        """
        mine = [path for path in paths if path.endswith(self.SUFFIXES)]
        if not mine or self.program() is None:
            return []
        head, base = await tree.read_many(mine), await tree.read_many(mine, "base")
        sources = await self.sources(tree, mine, {"head": head, "base": base})
        before, after = [await self._in_folder(sources, side, mine) for side in ("base", "head")]
        return [one for one in new_faults(before, after) if one.counts]

    def judged(self, one: Diagnostic, lines: Sequence[bytes]) -> Diagnostic:
        """Return the error, and whether it counts: its rule is chosen, and no comment disables it."""
        rule, near = rules(self.RULES).get(one.code), b"\n".join(lines[max(0, one.line - 2) : one.line])
        if rule is None or (rule.declared and one.path.endswith(self.UNTYPED)) or SWITCHED_OFF.search(near):
            return replace(one, counts=False)
        return replace(one, counts=rule.counts(one.message))

    def _fits(self, file: ChangedFile) -> bool:
        paths = (file.path, file.old_path or "")
        return not file.is_ignored and file.old_path is not None and any(path.endswith(self.SUFFIXES) for path in paths)

    async def _new_errors(self, run: "_Run", attempts: int = MOST_ATTEMPTS) -> tuple[list[Diagnostic], str]:
        """Return the errors that only the head has, and why nothing could be checked ("" if it could).

        A run that fails is repeated on both sides without the files that it names. Raises UnfinishedError if
        only the head's check fails, and the program names no file.
        """
        try:
            return await self._compared(run), ""
        except UnfinishedError as error:
            self._skipped |= dict.fromkeys(sorted(error.paths), str(error))
            if error.paths and attempts > 1:
                return await self._new_errors(run.without(error.paths), attempts - 1)
            if error.side == "head" and not await run.fails_on_base():
                raise
            return [], public(error)

    async def _compared(self, run: "_Run") -> list[Diagnostic]:
        """Return the errors that only the head has. The base is only checked for files with errors."""
        after = await run.check("head", [*run.users, *run.touched])
        self._ran = True
        self._checked |= {*run.users, *run.touched}
        self._faults |= {one.fault for one in after}
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

    def _is_of_change(self, one: Diagnostic, line: str, names: Collection[str]) -> bool:
        """Return whether an error may be one of this change: about a call, it names something with another contract."""
        return not rules(self.RULES)[one.code].of_call or not {*WORD.findall(f"{one.message} {line}")}.isdisjoint(names)

    async def _judged_by_names(
        self, tree: Tree, files: Sequence[ChangedFile], found: list[Diagnostic]
    ) -> list[Diagnostic]:
        """Return the errors. One about a missing name proves nothing if an added line may define the name."""
        if not found:
            return found
        entries, made = await tree.entries(), await self._world(tree, files)
        kept = []
        for one in found:
            lost = rules(self.RULES)[one.code].lost_name(one).strip("\"'")
            parts = [part for part in lost.replace("/", ".").split(".") if part]
            if not parts:
                kept.append(one)
            elif not (one.code in self.MISSING_MODULE and self._is_elsewhere(parts, entries)):
                kept.append(replace(one, proves=not (made.makers or made.may_make(parts[-1], ()))))
        return kept

    async def _world(self, tree: Tree, files: Sequence[ChangedFile]) -> World:
        """Return what the change may define in the language's files, including new files."""
        new = sorted((await tree.entries()).keys() - (await tree.entries("base")).keys())
        fresh = await tree.read_many([path for path in new if path.endswith(self.SUFFIXES)][:MOST_NEW])
        added = [
            ChangedFile(path, None, "added", added_lines=frozenset(range(1, text.count(b"\n") + 2)))
            for path, text in fresh.items()
        ]
        return await world_of(tree, [*(file for file in files if file.path.endswith(self.SUFFIXES)), *added], ())

    def _is_elsewhere(self, parts: Sequence[str], entries: Collection[str]) -> bool:
        """Return whether the tree has this module below another folder than the program searched."""
        tail = "/".join(parts)
        ends = tuple(f"/{tail}{end}{suffix}" for suffix in self.SUFFIXES for end in ("", "/__init__", "/index"))
        return any(f"/{path}".endswith(ends) for path in entries)

    async def _in_folder(self, sources: Sources, side: Side, checked: Collection[str]) -> list[Diagnostic]:
        with tempfile.TemporaryDirectory(prefix="deeprepo-types-") as parent:
            folder = Path(parent) / "repository"
            try:
                found = await self.run(folder, sources, side, checked)
            except (ProgramError, UnwritableError) as error:
                how = error.how if isinstance(error, ProgramError) else str(error)
                raise UnfinishedError(side, how, sources.of(side).keys() & error.paths) from error
            return [replace(one, message=one.message.replace(f"{folder}/", "")) for one in found]

    def _finding(
        self, group: Sequence[Diagnostic], lines: Mapping[str, Sequence[str]], files: Sequence[ChangedFile]
    ) -> Finding:
        rule = rules(self.RULES)[group[0].code]
        first, *others = sorted(group, key=lambda one: (is_test(one.path), one.path, one.line))
        title, effect = rule.words(first)
        breaks = {one: break_digest(one.code, one.path, lines[one.path][one.line - 1], str(one.line)) for one in group}
        cause = break_digest(first.code, *first.names[:1]) if others else ""
        proof = proof_id(first.code, " ".join(sorted(first.names)))
        evidence = [
            Evidence(one.path, lines[one.path][one.line - 1], one.line, note=ALSO_BROKEN, breaks=(breaks[one],))
            for one in others[:MOST_BROKEN]
        ]
        severity = "medium" if rule.severity == "high" and is_test(first.path) else rule.severity
        return Finding(
            path=first.path,
            quote=lines[first.path][first.line - 1],
            title=title,
            why=f"{self.NAME} reports an error here that the base does not have: {first.summary}",
            consequence=effect,
            severity=severity,
            category="broken-caller",
            basis=Basis(
                (Source("analyser", self.NAME, proof=proof, breaks=tuple(sorted(breaks.values()))),),
                verdict=Verdict.PROVEN if rule.proves and all(one.proves for one in group) else Verdict.UNPROVEN,
                cause=cause,
            ),
            rule=first.code,
            start=first.line,
            end=first.line,
            evidence=(*_removed(first, files), *evidence),
        )


class _Run:
    """The runs of one check on both sides, with cached results."""

    def __init__(
        self,
        checker: TypeChecker,
        tree: Tree,
        files: Sequence[ChangedFile],
        changed: Mapping[Side, Contents],
        users: Sequence[str],
        left_out: frozenset[str] = frozenset(),
    ) -> None:
        self._checker, self._tree, self._files, self._changed, self._left_out = checker, tree, files, changed, left_out
        self._sources: Sources | None = None
        self._known: dict[str, list[Diagnostic]] = {}  # by the name of the run
        self.users = [path for path in users if path not in left_out]
        self.touched = self._touched("head")

    def without(self, paths: Collection[str]) -> "_Run":
        """Return the same runs without some files, which are missing on both sides."""
        left_out = self._left_out.union(paths)
        return _Run(self._checker, self._tree, self._files, self._changed, self.users, left_out)

    async def fails_on_base(self) -> bool:
        """Return whether a check of the base fails."""
        try:
            await self.check("base", [*self.users, *self._touched("base")])
        except UnfinishedError:
            return True
        return False

    def _touched(self, side: Side) -> list[str]:
        """Return the changed files that are checked on a side."""
        return sorted(
            path for path in self._changed[side] if path.endswith(self._checker.SUFFIXES) and path not in self._left_out
        )

    def placed(self, found: Iterable[Diagnostic]) -> dict[Diagnostic, Diagnostic]:
        """Return the head's errors that count, by their place on the base, unless one of their lines is new."""
        files, placed = {file.path: file for file in self._files}, dict[Diagnostic, Diagnostic]()
        for one in found:
            file = files.get(one.path)
            lines = one.line, max(one.line, one.span[1])
            if not one.counts or (file is not None and not file.added_lines.isdisjoint(range(lines[0], lines[1] + 1))):
                continue
            if file is not None:
                line, last = (_line_on_base(file, number) for number in lines)
                span = one.span[0], last if one.span[1] else 0, one.span[2]
                placed[replace(one, path=file.old_path or file.path, line=line, span=span)] = one
            else:
                placed[one] = one
        return placed

    async def known_on_base(self, found: Mapping[Diagnostic, Diagnostic]) -> list[Diagnostic]:
        """Return the errors that the program could have reported on the base.

        Its probes put a mistake into each line: if the base's types are unknown there, no mistake is noticed,
        and the change only made an older one visible.
        """
        left, known = list(found), set[Diagnostic]()
        for _ in range(MOST_PROBED):
            if not left:
                break
            probes = Probes(left, (await self._gathered()).of("base"), rules(self._checker.RULES))
            answered = probes.answered(await self.check("base", sorted(probes.texts), probes.texts))
            known.update(answered)
            left = [one for one in left if one not in known] if answered else []
        return [one for place, one in found.items() if place in known]

    async def check(self, side: Side, paths: Sequence[str], probes: Contents = NO_PROBES) -> list[Diagnostic]:
        """Return the errors of a side in some files. `probes` replace files of the base.

        Each result is cached.
        """
        if not paths:
            return []
        name = await self._name(side, paths, probes)
        if name not in self._known:
            found = _decoded(memo.load(name))
            if found is None:
                sources = await self._gathered()
                sources = replace(sources, base={**sources.base, **probes}) if probes else sources
                found = await self._checker._in_folder(sources, side, paths)  # noqa: SLF001 - the same module
                memo.keep(name, encode(found))
            self._known[name] = found
        return self._known[name]

    async def _gathered(self) -> Sources:
        if self._sources is None:
            found = await self._checker.sources(self._tree, self.users, self._changed)
            self._sources = found.without(self._left_out)
        return self._sources

    async def _name(self, side: Side, paths: Iterable[str], probes: Contents) -> str:
        """Return the cache key of a run: its files, the tree's files of the language, the checker and this package."""
        checker, entries = self._checker, await self._tree.entries(side)
        tree = [
            f"{path}\0{entry.oid}"
            for path, entry in entries.items()
            if path.endswith(checker.SUFFIXES) or path.rpartition("/")[2].startswith(checker.CONFIGS or ("\0",))
        ]
        text = "\n".join((*tree, "", *paths, "", *sorted(self._left_out)))
        digest = blake2b(text.encode("utf-8", "surrogateescape"), digest_size=memo.DIGEST)
        for path in sorted(probes):
            digest.update(probes[path])
        return memo.name_of(_engine(checker.program() or ""), [checker.NAME], digest.digest())


def _line_on_base(file: ChangedFile, line: int) -> int:
    """Return the number that a line of the head had on the base, if the change did not add it."""
    old = line - sum(added < line for added in file.added_lines)
    for removed in sorted(file.removed_lines):
        old += removed <= old
    return old


def _stripped(text: bytes) -> frozenset[str]:
    return frozenset(line.strip() for line in file_lines(text))


def _engine(program: str) -> bytes:
    """Return what determines the reports: this package and the program."""
    status = Path(program).stat()
    return memo.engine_of((Path(__file__).parent,)) + f"{status.st_size} {status.st_mtime_ns}".encode()


def _decoded(data: bytes | None) -> list[Diagnostic] | None:
    with suppress(ValueError):  # a damaged entry is computed again
        return None if data is None else decode(data, type=list[Diagnostic])
    return None


def _removed(diagnostic: Diagnostic, files: Iterable[ChangedFile]) -> tuple[Evidence, ...]:
    """Return the removed line that the error is about: the first that contains a name from its message."""
    for name in diagnostic.names:
        word = name.rpartition(".")[2].strip("\"'")
        for file in files:
            for hunk in file.hunks:
                for line in hunk.lines:
                    if line.kind == "-" and line.old and len(word) > 1 and word in line.text:
                        note = "removed by this change"
                        return (Evidence(file.old_path or file.path, line.text, line.old, "base", note),)
    return ()
