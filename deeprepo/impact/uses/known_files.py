"""The files that are read to check names, and what they show about namespaces and types.

Thousands of lines can need the same answer, so each one is cached.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar, cast

from deeprepo.impact import resolving
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.language import CONSTRUCTOR, rules_of
from deeprepo.impact.reading import reader
from deeprepo.impact.reading.marks import CLASSES
from deeprepo.impact.resolution import Way
from deeprepo.impact.text.lines import defines, file_lines
from deeprepo.impact.uses.providers import (
    TYPE,
    around,
    is_data,
    is_declared_still,
    is_reexport,
    is_silent,
    made,
    passed_on,
)
from deeprepo.impact.values import Facts, Outline, Use

BASES = 4  # levels of bases and mixins that are followed
_NAME, _WORD = re.compile(r"[A-Za-z_]\w*"), re.compile(r"\w+")
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class _Caching(Protocol):
    """An object that caches the results of its methods."""

    answers: dict[tuple[Hashable, ...], object]


Owner = TypeVar("Owner", bound=_Caching)


def once(method: Callable[Concatenate[Owner, Arguments], Result]) -> Callable[Concatenate[Owner, Arguments], Result]:
    """Cache what a method returns for each combination of arguments, in its object."""

    @wraps(method)
    def answer(self: Owner, /, *args: Arguments.args, **keywords: Arguments.kwargs) -> Result:
        key = (method.__name__, *args, *keywords.items())
        if key not in self.answers:
            self.answers[key] = method(self, *args, **keywords)
        return cast("Result", self.answers[key])

    return answer


class KnownFiles:
    """Some files of one side, by path."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self._contents = contents
        self._lines = {path: file_lines(raw) for path, raw in contents.items()}
        self.answers: dict[tuple[Hashable, ...], object] = {}

    def __contains__(self, path: object) -> bool:
        """Return whether a file was read."""
        return path in self._lines

    def lines(self, path: str) -> Sequence[str]:
        """Return a file's lines, none if it was not read."""
        return self._lines.get(path, ())

    @once
    def text(self, path: str) -> str:
        """Return a file's text, "" if it was not read."""
        return "\n".join(self.lines(path))

    @once
    def namespace(self, path: str) -> str:
        """Return the namespace that a file declares first, or ""."""
        outline = self.outline(path)
        return next(iter(outline.spaces), outline.module)

    @once
    def opens(self, path: str, namespace: str) -> bool:
        """Return whether a file imports all names of a namespace."""
        return any(item.star and item.spec == namespace for item in self.outline(path).imports)

    @once
    def taken_from(self, path: str) -> frozenset[str]:
        """Return the types from which a file imports everything."""
        return _types_taken(self.outline(path))

    @once
    def offers_wholesale(self, path: str) -> frozenset[int]:
        """Return the lines with which a file offers everything that another one offers."""
        items = self.outline(path).imports
        lines = {item.line for item in items if item.star and item.hands_on and not item.private}
        form = re.compile(rules_of(path).wholesale_form)
        return frozenset(lines | {number for number, line in enumerate(self.lines(path), 1) if form.search(line)})

    @once
    def mixed_in(self, path: str) -> frozenset[str]:
        """Return the names of types and modules that a file mixes in, as `use Base` does, or inherits from."""
        bases = (base for _, above in self.outline(path).bases for base in above)
        form = re.compile(rules_of(path).mixing_form, re.MULTILINE)
        return _capitalized([*bases, *form.findall(self.text(path))])

    @once
    def has_data_class(self, path: str) -> bool:
        """Return whether a file has a type for whose properties accessors are generated."""
        return re.search(rules_of(path).accessor_form, self.text(path)) is not None

    @once
    def types(self, path: str) -> frozenset[str]:
        """Return the names of a file's types and modules, and of what they inherit from."""
        outline = self.outline(path)
        bases = (base for _, above in outline.bases for base in above)
        return _capitalized(bases).union(one.short for one in outline.definitions if one.kind in CLASSES)

    def way(
        self, name: str, path: str, number: int, text: str, *, is_module: bool = False, is_word: bool = False
    ) -> Way | None:
        """Return how a line provides a name to other files, or None.

        `is_module`: it is a module's name, which no definition provides. `is_word`: the name may also be in a string.
        """
        if is_silent(path, text):
            return None
        way = "re-export" if self._hands_on(name, path, number, text) else passed_on(name, path, text)
        if way is not None or is_module:
            return way
        is_declared = self._declares(name, path, number, text, is_word=is_word)
        return made(name, path, text) or ("declaration" if is_declared else None)

    def _hands_on(self, name: str, path: str, number: int, text: str) -> bool:
        """Return whether a line offers importers of its file a name that is defined elsewhere."""
        facts = self._facts(path)
        if facts is None:
            return is_reexport(name, path, text)
        items = [item for item in facts.imports if item.hands_on and not item.private]
        is_bound = any(one.line == number and one.here == name for item in items for one in item.names)
        is_whole = any(item.line == number and item.whole.partition(".")[0] == name for item in items)
        means = (one for one in facts.definitions if one.line == number and one.by_query.means)
        return is_bound or is_whole or any(name in (one.name, one.by_query.means) for one in means)

    @once
    def _facts(self, path: str) -> Facts | None:
        """Return what a file contains; None if it was not read, or if no grammar reads it."""
        language = reader.language_for(path, self._contents[path]) if path in self else None
        return reader.facts(language, self._contents[path]) if language is not None else None

    def _declares(self, name: str, path: str, number: int, text: str, *, is_word: bool) -> bool:
        """Return whether a line declares a name: it is a definition outside functions, or sets a member.

        A macro, or syntax that the grammar doesn't know, may hide that it does.
        """
        if not filetype(path).is_parsed or path not in self:
            return defines(text, name, path)
        here = [use for use in self._uses(path, name) if use.line == number]
        if is_word and not here:
            return is_data(name, text)
        outline = self.outline(path)
        is_set = any(use.is_assigned and use.receiver for use in here)
        if is_set or any(
            symbol.line == number and symbol.short in (name, CONSTRUCTOR) for symbol in outline.definitions
        ):
            return True
        # a file may add to a type of another one: `declare module "./order" { interface Order { ... } }`
        innermost = "".join(self.around(path, number)[:1])
        if TYPE.search(innermost) and any(use.form in ("definition", "key") for use in here):
            return True
        return is_declared_still(name, path, text) or (not outline.complete and defines(text, name, path))

    @once
    def outline(self, path: str) -> Outline:
        """Return what a file defines and imports; nothing if it was not read, or if no grammar reads it."""
        is_known = path in self and filetype(path).is_parsed
        return resolving.outline(path, self._contents[path], "head") if is_known else Outline()

    @once
    def _uses(self, path: str, name: str) -> Sequence[Use]:
        return resolving.uses(path, self._contents[path], {name})

    @once
    def around(self, path: str, line: int) -> Sequence[str]:
        """Return the heads of the blocks around a line, innermost first."""
        lines = self.lines(path)
        return around(lines, line) if line <= len(lines) else ()

    @once
    def renames(self, path: str, name: str) -> bool:
        """Return whether a file gives another type this name."""
        form = rf"(?:\b(?:typealias|type|using)\s|^\s)\s*{re.escape(name)}\b[^=\n]{{0,200}}="
        return any(map(re.compile(form).search, self.lines(path)))

    @once
    def above(self, name: str) -> frozenset[str]:
        """Return the names of the bases and mixins of a type that these files contain."""
        above, left = frozenset[str](), frozenset({name})
        for _ in range(BASES):
            left = frozenset[str]().union(*map(self._bases_of, left)) - above - {name}
            above |= left
        return above

    @once
    def _bases_of(self, name: str) -> frozenset[str]:
        """Return the bases and mixins that the declarations of a type name."""
        found = frozenset[str]()
        for path in self._lines:
            rows = [one for one in self.outline(path).definitions if one.short == name and one.kind in CLASSES]
            bases = [base for owner, above in self.outline(path).bases if owner == name for base in above]
            if rows or bases:
                bodies = ("\n".join(self.lines(path)[one.start - 1 : one.end]) for one in rows)
                embedded = (one for body in bodies for one in rules_of(path).embedded(body))
                found |= _capitalized(bases).union(embedded) | self.mixed_in(path)
        return found


def types_taken(path: str, source: bytes) -> frozenset[str]:
    """Return the last parts of the names from which a file imports everything, such as types."""
    return _types_taken(resolving.outline(path, source, "head"))


def _types_taken(outline: Outline) -> frozenset[str]:
    stars = (_WORD.findall(item.spec) for item in outline.imports if item.star)
    return frozenset(words[-1] for words in stars if words)


def _capitalized(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in _NAME.findall(text) if word[:1].isupper())
