"""Look up which files of the head mention a name, and which of them give it to others."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from deeprepo.impact import resolving
from deeprepo.impact.changes import Query
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.language import Language, rules_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.reading import reader, syntax
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.uses.reach import globs
from deeprepo.impact.uses.targets import last_word
from deeprepo.impact.values import Facts

MOST_LINES = 20_000
MOST_FILES = 400  # files with a name that are searched for its definition
NO_DEFINITIONS = ("block", "bound", "holder", "global")  # kinds that give no name to others


class Giver(Struct, frozen=True):
    """A place of the head that may give a name to others."""

    path: str
    line: int
    owner: str = ""  # the class of a member; "" if it may be a member of anything
    is_loose: bool = False  # an extension or an assignment, which may replace a definition elsewhere


class Names(Struct):
    """Looks up names in the head, with a cache."""

    tree: Tree
    _files: dict[str, Collection[str] | None] = field(default_factory=dict)  # None: too many lines
    _givers: dict[str, list[Giver]] = field(default_factory=dict)

    async def files(self, language: Language, names: Collection[str]) -> Mapping[str, Collection[str]] | None:
        """Return name -> files of a language that mention it; None if there are too many lines."""
        if not names:
            return {}
        # one pattern, since git runs each over every line
        any_name = rf"(?<![\w$])(?:{'|'.join(re.escape(name) for name in sorted(names))})(?![\w$])"
        rows = await self.tree.grep_lines(Query([any_name], globs(language), syntax="perl", limit=MOST_LINES))
        if len(rows) >= MOST_LINES:
            return None
        word, found = re.compile(any_name), {name: set[str]() for name in names}
        for path, _, text in rows:
            for name in word.findall(text):
                found[name].add(path)
        self._files |= found
        return found

    async def is_in_few_files(self, language: Language, name: str, most: int) -> bool:
        """Return whether few files contain the name.

        A change forgets few uses, while a library's name occurs in many files.
        """
        if name not in self._files and await self.files(language, [name]) is None:
            self._files[name] = None
        files = self._files[name]
        return files is not None and len(files) <= most

    async def givers(self, names: Collection[str]) -> Mapping[str, Sequence[Giver]]:
        """Return name -> places of the head that may give it, in any language."""
        new = {name for name in names if name and name not in self._givers}
        self._givers |= {name: [] for name in new}
        paths = await self.tree.grep(Query(sorted(new), word=True)) if new else ()
        code = sorted(path for path in paths if filetype(path).is_parsed)
        sources = await self.tree.read_many(code[:MOST_FILES])
        for path in code:
            for name, giver in _given(path, sources.get(path), new):
                self._givers[name].append(giver)
        return self._givers

    async def is_given(self, language: Language, name: str) -> bool:
        """Return whether anything in the files of a language may give a name."""
        return any(one.path.endswith(language.suffixes) for one in (await self.givers([name])).get(name, ()))


def facts_of(path: str, source: bytes | None) -> Facts | None:
    """Return a file's facts; None if it could not be read or parsed."""
    language = syntax.language_for(path, source) if source is not None else None
    return reader.facts(language, source) if language is not None and source is not None else None


def _given(path: str, source: bytes | None, names: Collection[str]) -> Iterator[tuple[str, Giver]]:
    """Yield what a file may give of these names: all, if it could not be parsed."""
    facts = facts_of(path, source)
    if facts is None or source is None:
        yield from ((name, Giver(path, 1)) for name in names)
        return
    for one in facts.definitions:
        if one.short in names and one.kind not in NO_DEFINITIONS:
            yield one.short, Giver(path, one.line, "" if one.extends else one.owner, bool(one.extends))
    for item in facts.imports:
        yield from (
            (one.here, Giver(path, one.line)) for one in item.names if one.here in names and one.here != one.there
        )
    yield from ((word, Giver(path, 1)) for word in facts.unwritten.words & frozenset(names))
    rules = rules_of(path)
    for use in resolving.uses(path, source, names) if not (rules.declared_members or rules.broken_use) else ():
        if use.is_assigned and use.receiver:
            is_own = use.receiver in rules.receivers.own
            owner = use.function.rpartition(".")[0] if is_own else last_word(use.receiver.removesuffix(".prototype"))
            yield use.name, Giver(path, use.line, owner, not is_own)
