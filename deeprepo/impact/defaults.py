"""Define what most languages do. The class of a language overrides what its language does differently."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from deeprepo.impact.values import Arguments, Bound, Import, Outline, Use, Visibility

if TYPE_CHECKING:  # a language is loaded without its grammar
    from tree_sitter import Node


class Member(NamedTuple):
    """A member of an object literal, as returned by `Files.members`."""

    name: "Node"
    whole: "Node"  # including everything that belongs to it
    function: "Node | None"  # the function that a call runs


class Files:
    """How the text and the syntax tree of a file are read."""

    title: ClassVar[str] = ""  # the name of the language in messages; "" for that of its folder
    reads_all: ClassVar[str] = ""  # a word with which a function reads all its arguments
    tokens: ClassVar[str] = ""  # nodes of code that is only known as tokens
    # nodes between a statement and an anonymous function that runs in place
    inline: ClassVar[frozenset[str]] = frozenset()
    # nodes without nodes inside that may be names with their qualifiers, such as strings with the name of a class
    paths: ClassVar[tuple[str, ...]] = ()

    @property
    def is_page(self) -> bool:
        """Whether a file is a page, with code only in its scripts."""
        return False

    def code(self, source: bytes) -> bytes:
        """Return what the grammar can read, without changing offsets or line numbers."""
        return source

    def faults(self, source: bytes) -> frozenset[int]:
        """Return the lines with errors that the grammar accepts."""
        return frozenset()

    def may_be_other(self, source: bytes) -> bool | None:
        """Return whether the alternative grammar comes first. None: only if this one fails; False: never."""
        return None

    def whole(self, node: "Node") -> "Node":
        """Return the definition of a node, outside its declarators."""
        return node

    def is_declaration(self, whole: "Node") -> bool:
        """Return whether a definition only declares something that is defined elsewhere."""
        return False

    def named(self, node: "Node") -> "Node | None":
        """Return the node that an identifier names: itself or its qualified path; None if it names nothing."""
        return node

    def members(self, value: "Node") -> Iterator[Member]:
        """Yield the members of a named value."""
        return iter(())


class Imports:
    """How a file imports, and what its importers can use."""

    # importers of a file can also import what it imports
    reexports: ClassVar[bool] = False
    # a file may define modules, so only their names show whether one exists
    inline_modules: ClassVar[bool] = False
    whole_files: ClassVar[bool] = False  # an import names a file with its suffix: `box.cpp` is not `box.hpp`
    loader: ClassVar[str] = (
        ""  # the only statement that a removed file breaks; names are found wherever they are defined
    )
    module_word: ClassVar[str] = ""  # the keyword with which any file may declare a module that imports name
    unexported: ClassVar[frozenset[str]] = frozenset()  # definitions that other files cannot use
    private_to: ClassVar[Visibility] = "file"  # who can use a private name
    has_headers: ClassVar[bool] = False  # a source file sees everything that its header declares

    def taken(self, source: bytes, item: Import) -> Sequence[Bound]:
        """Return the names that code takes from an imported module, if the statement doesn't list them."""
        return ()

    def import_lines(self, source: bytes) -> bytes:
        """Return the part of a file with its imports, without changing line numbers."""
        return source

    def listed(self, statement: "Node") -> Iterator[Import]:
        """Yield the imports of a statement that the queries capture as `@listed`."""
        return iter(())

    def whole_name(self, spec: str) -> str:
        """Return the local name of a module imported without one; "" if the module decides it."""
        return ""

    def is_private(self, name: str) -> bool:
        """Return whether the spelling of a name hides it from other files."""
        return False

    def offered(self, path: str, source: bytes, outline: Outline) -> Outline:
        """Return what importers can use of a file, given what its queries find: add what generators write."""
        return outline

    def offers_all(self, path: str) -> bool:
        """Return whether a file offers everything that it defines."""
        return False


class Lines:
    """What single words of a statement mean."""

    raising_words: ClassVar[str] = "raise|throw"  # a pattern of words that begin a statement that raises an error
    # a pattern of words before a function that take nothing from its callers when they are added
    granting_words: ClassVar[str] = "(?!)"


class Classes:
    """How classes and their members behave. `TypeRules` of `language.py` has what its table says about them."""

    has_self_parameter: ClassVar[bool] = False  # a method's first parameter is its object
    # members are called by name only, since each file may name their table differently
    tables_for_classes: ClassVar[bool] = False
    # methods see the members of their class by bare names, not only through the object or class
    sees_own_members: ClassVar[bool] = True
    # An extension of another file is only called on an object, except in files with this word; "" if it can be called
    # like any function.
    dotted_extensions: ClassVar[str] = ""
    open_classes: ClassVar[bool] = False  # any loaded file may reopen a class or module
    declared_members: ClassVar[bool] = False  # access to an undeclared member does not compile
    embeds_types: ClassVar[bool] = False  # a type has the methods of the types embedded in it
    metaclasses: ClassVar[frozenset[str]] = frozenset()  # bases whose subclasses construct classes
    # library classes that add no members and whose call constructs nothing, such as enumerations
    valued_bases: ClassVar[frozenset[str]] = frozenset()

    @property
    def shorter_overrides(self) -> bool:
        """Whether an override may take fewer parameters."""
        return False

    @property
    def called_like(self) -> tuple[str, ...]:
        """The members that are also run by a call of a class or of its object."""
        return ()

    def adds_nothing(self, base: str, name: str) -> bool:
        """Return whether a library class gives its subclasses no member of this name."""
        return base in self.valued_bases

    def accessed(self, name: str, user: str) -> tuple[str, ...]:
        """Return the members, by other names, that code in the language `user` has by this name."""
        return ()

    def is_closed(self, head: str) -> bool:
        """Return whether a value, given its definition's head, cannot be given more members."""
        return False


class References:
    """How code refers to definitions."""

    builtin_names: ClassVar[frozenset[str]] = frozenset()  # names that every file has, besides those in the table
    ordered_arguments: ClassVar[bool] = False  # named arguments are in the order of the parameters
    loose_methods: ClassVar[str] = "(?!)"  # a pattern of heads of functions that untyped values may have

    def used(self, path: str, source: bytes, names: Collection[str], uses: Sequence[Use]) -> Iterable[Use]:
        """Return a file's references to some names, given those that its queries find."""
        return uses

    def written(self, receiver: str, types: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """Return a receiver and its possible classes with dots as separators."""
        return receiver, types

    def passed(self, call: "Node") -> Arguments | None:
        """Return the arguments of a call if no node lists them; None to count the nodes in `argument_lists`."""
        return None

    def is_argument(self, node: "Node") -> bool:
        """Return whether a node between the parentheses of a call is an argument."""
        return "comment" not in node.type

    def is_label(self, node: "Node") -> bool:
        """Return whether the key of a named argument names a parameter."""
        return True

    def passes_several(self, arguments: "Node", last: "Node") -> bool:
        """Return whether an argument that is a call may pass several values."""
        return False
