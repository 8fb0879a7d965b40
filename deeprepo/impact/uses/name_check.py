"""Check whether the head still provides a name where it is used.

This is done before a name is reported as removed, moved or required, and once for all names of a change. Any
line that can provide a name counts (`providing_lines.py`), in any language, if the user can reach it there
(`line_reach.py`). The reported line itself never counts. Code that can provide a name without a line leaves the
question open.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from time import thread_time
from typing import ClassVar

from deeprepo.impact.changes import ChangedFile, ChangedSymbol, Reference
from deeprepo.impact.filetypes import filetype, module_name
from deeprepo.impact.language import rules_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.reading.marks import CLASSES
from deeprepo.impact.resolution import Absent, Found, Resolution, Unknown, Way
from deeprepo.impact.structs import replace
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.known_files import once
from deeprepo.impact.uses.line_reach import is_near, reaches
from deeprepo.impact.uses.made_names import MadeNames, made_names
from deeprepo.impact.uses.meanings import Assumed, Question, found_after, meant_another, question_about
from deeprepo.impact.uses.providers import MACRO, TYPE, is_declared_still, is_invoked, names_alias
from deeprepo.impact.uses.providing_lines import Claim, Line, ProvidingLines, parents, suffixes
from deeprepo.impact.uses.steps import record
from deeprepo.impact.uses.texts import roles
from deeprepo.impact.values import MODULE

_ATTRIBUTE = re.compile(r"\s*+(?:@(?!(?:Override|Suppress|Deprecated)\b)[A-Za-z]|#\[|\[[A-Z])")
_FROM_THE_ROOT = re.compile(r"(?<![\w:>)\]])::\w++")
QUESTION = "still provided"  # as `explain` prints it
_ACCESSOR = re.compile(r"(?:get|set|is|with)([A-Z]\w*)$")


async def with_resolutions(
    tree: Tree,
    files: Sequence[ChangedFile],
    symbols: Iterable[ChangedSymbol],
    references: Sequence[Reference],
    seconds: float,
) -> list[Reference]:
    """Return the references, with a resolution for each that assumes something is missing.

    Its certainty is lowered accordingly. What is not checked within `seconds` of CPU time is unknown.
    """
    by_key = {item.key: item for item in symbols}
    claims = {row: claim for row in references if (claim := _claim(row, by_key)) is not None}
    if not claims:
        return list(references)
    answers, others = await _by_meaning(tree, files, claims)
    claims = {row: claim for row, claim in claims.items() if row not in others}
    left = {row: claim for row, claim in claims.items() if row not in answers}
    untouched = set[Reference]()
    if left:
        check = await _check(tree, files, {(row.path, row.line) for row in claims}, [*left.values()])
        end = thread_time() + seconds
        untouched = {row for row, claim in left.items() if check.is_untouched(claim)}
        late = Unknown(f"the check of all names took more than {seconds:g} s of CPU time", is_by_line=False)
        answers |= {row: check.answer(row, claim) if thread_time() < end else late for row, claim in left.items()}
    # a file may export a name under that of one of its definitions, whose answer then counts
    of_definitions = {_key_without_class(row): answer for row, answer in answers.items() if row.symbol in by_key}
    exported = (row for row in answers if row.symbol not in by_key)
    answers |= {row: of_definitions.get(_key_without_class(row), answers[row]) for row in exported}
    said = {row: _said(row, answer) for row, answer in answers.items()}
    said |= {row: replace(row, target_state="present", asks=False) for row in untouched}
    return [said.get(row, row) for row in references if row not in others]


async def _by_meaning(
    tree: Tree, files: Sequence[ChangedFile], claims: Mapping[Reference, Claim]
) -> tuple[dict[Reference, Resolution], Collection[Reference]]:
    """Return what the resolver still finds, and the references to another definition before the change."""
    questions = {row: question for row, claim in claims.items() if (question := _question(row, claim)) is not None}
    after = await found_after(tree, set(questions.values()), {(row.path, row.line) for row in claims})
    answers: dict[Reference, Resolution] = {row: after[one] for row, one in questions.items() if one in after}
    others = await _of_others(tree, files, {row: one for row, one in questions.items() if row not in answers}, claims)
    for row in (*answers, *others):
        record(row.use_place, QUESTION, "by its meaning", found_after if row in answers else meant_another)
    return answers, others


def _key_without_class(row: Reference) -> tuple[str, int, str]:
    """Return a key of a reference and its definition without the class: `Prices.java:total` may mean `Prices.total`."""
    path, _, name = row.symbol.rpartition(":")
    return row.path, row.line, f"{path}:{name.rpartition('.')[2]}"


def _claim(row: Reference, by_key: Mapping[str, ChangedSymbol]) -> Claim | None:
    """Return what a reference assumes to be missing, or None. What is already decided needs no check."""
    if row.resolution is not None:
        return None
    path, _, full = row.symbol.rpartition(":")
    item = by_key.get(row.symbol)
    before = item.before if item is not None else None
    home = before.path if before is not None else path
    is_gone = item is None or not {"removed", "renamed"}.isdisjoint(item.contract)
    is_open = row.likely or (row.target_state == "unknown" and row.missing_part is None and (row.is_bound or row.asks))
    if not (row.is_lost or (is_open and is_gone)):
        return None
    if full == MODULE:
        types = _types_in(row, [one for key, one in by_key.items() if key.startswith(f"{path}:")])
        if types:
            return Claim(types, "", (path,), row.path, text=row.text)
        return Claim((module_name(path),), "", (path,), row.path, is_module=True)
    name = row.name
    owner = before.owner if before is not None else full.rpartition(".")[0]
    is_on_class = (
        re.search(rf"\b{re.escape(owner.rpartition('.')[2])}\s*\.\s*{re.escape(name)}\b", row.text) is not None
    )
    extended = before.extends.rpartition(".")[2] if before is not None and not is_on_class else ""
    others = (_made_of(name),) if (name := name.removesuffix("()")) and _made_of(name) else ()
    return Claim(
        (name, *others),
        owner.rpartition(".")[2],
        (home,),
        row.path,
        is_resolved=row.is_lost,
        is_word=row.asks,
        text=row.text,
        extended=extended,
        line=before.start if before is not None else 0,
    )


def _question(row: Reference, claim: Claim) -> Question | None:
    """Return what to ask the resolver about a reference."""
    if claim.is_module or row.missing_part is not None:
        return None
    line = row.line if row.form == "import" else 0
    return question_about(claim.user, claim.names[0], claim.owner, claim.homes[0], claim.text, line)


async def _of_others(
    tree: Tree, files: Sequence[ChangedFile], questions: Mapping[Reference, Question], claims: Mapping[Reference, Claim]
) -> Collection[Reference]:
    """Return the references that led to another definition before the change."""
    assumed = defaultdict[Question, list[Assumed]](list)
    for row, one in questions.items():
        claim = claims[row]
        # where it is only exported or implemented, its definition is elsewhere
        is_defined = claim.line > 0 and not any(rules_of(home).has_headers for home in claim.homes)
        assumed[one].append(Assumed(claim.homes, is_defined=is_defined, is_resolved=row.is_lost))
    former = {file.path: file.old_path for file in files if file.old_path}
    others = await meant_another(tree, assumed, former)
    return {row for row, one in questions.items() if one in others}


def _types_in(row: Reference, lost: Iterable[ChangedSymbol]) -> tuple[str, ...]:
    """Return the type of a removed file that a line names without an import, where a file is named after its type."""
    if not filetype(row.path).named_types or re.match(r"\s*(?:import|using)\b", row.text):
        return ()
    names = [one.before.short for one in lost if one.before is not None and not one.before.owner]
    return tuple(name for name in names if re.search(rf"(?<![\w.]){re.escape(name)}\b", row.text))[:1]


def _made_of(name: str) -> str:
    """Return the property for which a language may generate an accessor of this name."""
    found = _ACCESSOR.match(name)
    return found[1][:1].lower() + found[1][1:] if found else ""


def _said(row: Reference, answer: Resolution) -> Reference:
    """Return a reference that is no more certain than its resolution."""
    said = replace(row, resolution=answer)
    if isinstance(answer, Absent):
        return said
    if isinstance(answer, Found):
        return replace(said, target_state="present", asks=False)
    return (
        replace(said, target_state="unknown")
        if row.symbol.endswith(f":{MODULE}") or not row.is_lost
        else replace(said, target_state="likely")
    )


async def _check(
    tree: Tree, files: Sequence[ChangedFile], accused: Collection[tuple[str, int]], claims: Sequence[Claim]
) -> "_Check":
    """Return the check of these names, with the lines that may provide them. `accused`: the lines that use the names."""
    lines = ProvidingLines(tree, files, accused)
    await lines.read(claims)
    paths = {path for claim in claims for path in (*claim.homes, claim.user)}
    return _Check(lines, await made_names(tree, files, suffixes(paths)))


class _Check:
    """Answers whether the head still provides a name, by the rules in the list at the end of the class."""

    def __init__(self, lines: ProvidingLines, made: MadeNames) -> None:
        self._lines, self._made_names = lines, made
        self.answers: dict[tuple[Hashable, ...], object] = {}

    def answer(self, row: Reference, claim: Claim) -> Resolution:
        """Return whether the head provides what a reference uses, and record why."""
        answer, index = self._resolve(claim)
        found = f"yes, {answer.path}:{answer.line}" if isinstance(answer, Found) else "no"
        in_words = f"open, {answer.reason}" if isinstance(answer, Unknown) else found
        record(row.use_place, QUESTION, in_words, self.RULES[index], self.RULES[:index])
        return answer

    def _resolve(self, claim: Claim) -> tuple[Resolution, int]:
        """Return the answer of the first rule that gives one, and the index of that rule."""
        answers = (rule(self, claim) for rule in self.RULES)
        return next((answer, index) for index, answer in enumerate(answers) if answer is not None)

    def is_untouched(self, claim: Claim) -> bool:
        """Return whether nothing was removed, because the file only extended a type of that name or used the name.

        It is also untouched if the line cannot mean what was removed.
        """
        if claim.is_module:
            return False
        name = claim.names[0]
        if rules_of(claim.user).dotted_extensions and claim.is_bare and self._extended(name, claim.homes):
            return not self._may_call_bare(claim)
        if self._is_at_the_root(claim):
            return True
        if claim.owner:
            return False
        is_beside = claim.user in claim.homes or (
            filetype(claim.user).shared_names == "folder"
            and {*map(posixpath.dirname, claim.homes)} == {posixpath.dirname(claim.user)}
        )
        if is_beside and name in rules_of(claim.user).ambient:  # the language has a function of that name
            return True
        return self._only_used(name, claim.homes, is_word=claim.is_word)

    def _is_at_the_root(self, claim: Claim) -> bool:
        """Return whether a line only contains the name as `::Paddle`, but the definition was nested in another one."""
        is_written_so = (
            re.search(rf"(?<!\w){re.escape(claim.names[0])}(?!\w)", _FROM_THE_ROOT.sub("", claim.text)) is None
        )
        return is_written_so and any(claim.owner or self._lines.before.around(home, claim.line) for home in claim.homes)

    def _may_call_bare(self, claim: Claim) -> bool:
        """Return whether the user may call an extension without an object.

        This is possible in another part of its class, and if the user or the whole project takes everything from it.
        """
        types, word = self._lines.types_taken_by(claim.user), rules_of(claim.user).dotted_extensions
        is_taken = claim.owner in types if claim.owner else bool(types)
        return is_taken or claim.user not in self._lines.now or word in self._lines.now.text(claim.user)

    @once
    def _extended(self, name: str, homes: Sequence[str]) -> bool:
        """Return whether a name was only that of extensions in these files."""
        rows = [
            symbol for home in homes for symbol in self._lines.before.outline(home).definitions if symbol.short == name
        ]
        return bool(rows) and all(row.extends for row in rows)

    @once
    def _only_used(self, name: str, homes: Sequence[str], *, is_word: bool) -> bool:
        """Return whether files only extended a type of that name before the change, or used the name."""
        lines = [
            Line(home, number, line)
            for home in homes
            for number, line in enumerate(self._lines.before.lines(home), 1)
            if name in line
        ]
        if any(("reads", name) in roles(one.path, one.text) for one in lines):
            return False  # a variable is no longer read, and lines that set it remain
        others = [one for one in lines if not _extends(name, one.text)]
        declared = any(self._lines.before.way(name, one.path, one.line, one.text) for one in others)
        is_used = is_word and any(re.search(rf"\.{re.escape(name)}\b", one.text) for one in lines)
        return not declared and (is_used or len(others) < len(lines))

    # --- Which rule answers whether the head provides the name? ---

    def by_a_line(self, claim: Claim) -> Resolution | None:
        """Yes if a line provides the name where the user can reach it."""
        for name in claim.names:
            for one in self._lines.of(name):
                way = self._provides(claim, name, one)
                if way is not None and reaches(self._lines, claim, one, way):
                    return Found(one.path, one.line)
        return None

    def by_a_wholesale_export(self, claim: Claim) -> Resolution | None:
        """Yes if an added line re-exports everything from another module, and a line provides the name somewhere."""
        near = {path for home in claim.homes for path in (home, *parents(home))}
        suffix = posixpath.splitext(claim.user)[1]
        wholesale = [one for one in self._lines.wholesale if one.path in near]
        wholesale += [one for one in self._lines.shared if one.path.endswith(suffix)]
        if not wholesale:
            return None
        first, others = wholesale[0], (one for one in self._lines.of(claim.names[0]) if one.path != claim.user)
        if any(self._lines.way(claim.names[0], one, is_module=False, is_word=claim.is_word) for one in others):
            return Found(first.path, first.line)
        return Unknown(f"{first.path}:{first.line} re-exports everything from an unknown module")

    def by_a_macro(self, claim: Claim) -> Resolution | None:
        """Open if an added line calls a macro in a place for declarations."""
        return self._macro(claim.homes, claim.owner)

    def by_a_parent_module(self, claim: Claim) -> Resolution | None:
        """Yes if a parent module is still provided: `pub use core::connector;` also provides `connector::error`."""
        for home in claim.homes if claim.is_module else ():
            folder = posixpath.dirname(home)
            suffix, entry = posixpath.splitext(home)[1], filetype(home).folder_file
            while rules_of(home).submodule_folders and posixpath.basename(folder) not in ("", "src"):
                if f"{folder}{suffix}" in self._lines.paths or f"{folder}/{entry}{suffix}" in self._lines.paths:
                    break
                above = Claim((posixpath.basename(folder),), "", (f"{folder}{suffix}",), claim.user, is_module=True)
                answer, _ = self._resolve(above)
                if not isinstance(answer, Absent):
                    return answer
                folder = posixpath.dirname(folder)
        return None

    def without_a_line(self, claim: Claim) -> Resolution | None:
        """Yes if a class has an implicit constructor, or the module is provided under another path."""
        for home in claim.homes if not claim.is_module else ():
            if claim.owner and rules_of(home).is_constructor(claim.names[0]):
                types = [symbol for symbol in self._lines.now.outline(home).definitions if symbol.kind in CLASSES]
                if found := next((written for written in types if written.short == claim.owner), None):
                    return Found(home, found.line)
            if home not in self._lines.now and home not in self._lines.paths:
                module, _ = self._resolve(Claim((module_name(home),), "", (home,), claim.user, is_module=True))
                if not isinstance(module, Absent):
                    return module
        return None

    def by_an_added_line(self, claim: Claim) -> Resolution | None:
        """Open if an added line can define names without declaring them: `setattr(Order, "total", ...)`."""
        return self._by_added_lines(claim.names[0], claim.homes, is_module=claim.is_module)

    def by_generated_members(self, claim: Claim) -> Resolution | None:
        """Open if an added attribute, or a call that makes the class, may generate its members."""
        return self._generated(claim.homes, claim.owner) if claim.owner and not claim.is_module else None

    def by_another_definition(self, claim: Claim) -> Resolution | None:
        """Open if the change only removed a declaration of something that is defined elsewhere."""
        return self._of_another(claim.homes, claim.line)

    def by_unread_lines(self, claim: Claim) -> Resolution | None:
        """Open if not all lines with the name were checked."""
        if self._lines.gap:
            return Unknown(self._lines.gap, is_by_line=False)
        rows = [(name, one) for name in claim.names for one in self._lines.of(name) if one.path in self._lines.left_out]
        # only the lines above a declaration show what it is a part of
        if any(self._provides(claim, *row) in ("declaration", "accessor") for row in rows):
            return Unknown("too many files contain the name to read all of them", is_by_line=False)
        return None

    def by_nothing(self, _: Claim) -> Resolution:
        """No: nothing in the head provides the name."""
        return Absent()

    RULES: ClassVar[tuple[Callable[["_Check", Claim], Resolution | None], ...]] = (
        by_a_line,
        by_a_wholesale_export,
        by_a_macro,
        by_a_parent_module,
        without_a_line,
        by_an_added_line,
        by_generated_members,
        by_another_definition,
        by_unread_lines,
        by_nothing,
    )

    def _provides(self, claim: Claim, name: str, candidate: Line) -> Way | None:
        if is_test(candidate.path) and not any(map(is_test, (claim.user, *claim.homes))):
            return None
        if (candidate.path, candidate.line) in self._lines.accused:
            if names_alias(name, candidate.text):
                return "alias"
            if claim.is_module or not is_near(claim, candidate):
                return "path attribute" if claim.is_module and self._has_path(candidate) else None
            return (
                "accessor"
                if is_invoked(name, candidate.text) or is_declared_still(name, candidate.path, candidate.text)
                else None
            )
        if name != claim.names[0] and not self._has_accessors(claim, candidate):
            return None
        return self._lines.way(name, candidate, is_module=claim.is_module, is_word=claim.is_word)

    @once
    def _has_path(self, candidate: Line) -> bool:
        """Return whether the line above states the path of the module that a line declares."""
        lines = self._lines.now.lines(candidate.path)
        return 1 < candidate.line <= len(lines) and rules_of(candidate.path).names_path(lines[candidate.line - 2])

    def _has_accessors(self, claim: Claim, candidate: Line) -> bool:
        """Return whether accessors are generated for properties, which the user may call."""
        suffix, of_user = posixpath.splitext(candidate.path)[1], posixpath.splitext(claim.user)[1]
        is_mixed = suffix != of_user and filetype(candidate.path).family == filetype(claim.user).family
        return is_mixed or any(map(self._lines.now.has_data_class, claim.homes))

    @once
    def _by_added_lines(self, name: str, homes: Sequence[str], *, is_module: bool) -> Resolution | None:
        """Return what added lines may define without a declaration, in the former file or on the module's path."""
        now = {file.old_path: file.path for file in self._lines.files if file.old_path}
        near = {path for home in homes for path in (home, now.get(home, home))}
        near = {path for home in near for path in parents(home)} if is_module else near
        return self._made_names.provider(name, near, is_module=is_module)

    @once
    def _macro(self, homes: Sequence[str], owner: str) -> Unknown | None:
        """Return an added macro call in a place for declarations, which may declare the name."""
        for path in dict.fromkeys(parent for home in homes for parent in (home, *sorted(parents(home)))):
            lines = self._lines.now.lines(path)
            for number in sorted(self._lines.added.get(path, ())) if path in self._lines.now else ():
                text = lines[number - 1] if number <= len(lines) else ""
                if not MACRO.match(text):
                    continue
                heads = self._lines.now.around(path, number)
                is_of = any(re.search(rf"\b{re.escape(owner)}\b", head) for head in heads if TYPE.search(head))
                is_top = path in homes and all(TYPE.search(head) for head in heads)
                if (is_of and owner) or (is_top and not owner):
                    return Unknown(f"the macro at {path}:{number} may declare it")
        return None

    @once
    def _generated(self, homes: Sequence[str], owner: str) -> Unknown | None:
        """Return what may generate the members of a class: an added attribute on it, or a call that makes the class."""
        name = re.escape(owner)
        made = re.compile(rf"^[ \t]*+(?:export\s++)?(?:(?:const|let|var|val)\s++)?{name}\s*+=\s*+[\w.]++\(")
        head = re.compile(rf"(?:{TYPE.pattern})[^\n]{{0,200}}?\b{name}\b")
        for home in homes:
            lines, added = self._lines.now.lines(home), self._lines.added.get(home, ())
            for number, text in enumerate(lines, 1):
                if made.match(text):
                    return Unknown(f"{home}:{number} makes {owner} with a call")
                if number in added and _ATTRIBUTE.match(text):
                    below = next((one for one in lines[number:] if not _ATTRIBUTE.match(one)), "")
                    if head.search(below) or any(map(head.search, self._lines.now.around(home, number))):
                        return Unknown(f"the attribute at {home}:{number} may generate it")
        return None

    @once
    def _of_another(self, homes: Sequence[str], line: int) -> Unknown | None:
        """Return that a name may still be there, because the change only removed a declaration of it."""
        for home in homes:
            form, lines = rules_of(home).declares_others, self._lines.before.lines(home)
            if form and 0 < line <= len(lines):
                heads = (lines[line - 1], *self._lines.before.around(home, line))
                if any(re.match(form, head) for head in heads):
                    return Unknown(f"{home}:{line} only declared what something else defines")
        return None


def _extends(name: str, line: str) -> bool:
    """Return whether a line extends a type declared elsewhere."""
    return re.search(rf"\bextension\s+(?:\w+\.)*{re.escape(name)}\b", line) is not None
