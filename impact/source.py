"""What a language tells about one file: its outline, its uses of names, and how its importers are found."""

from dataclasses import dataclass

from impact.values import Definition


@dataclass(frozen=True, slots=True)
class Clues:
    """What a file that imports a certain file must contain, as Perl patterns for `git grep`."""

    words: frozenset[str]  # every import statement that means the file has one of them
    far: tuple[str, ...] = ()  # searched in the whole tree
    near: tuple[str, ...] = ()  # searched below `folder`: relative imports that name no parent folder
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Outline:
    """The definitions of a file, and the names that an importer can ask of it."""

    symbols: tuple[Definition, ...] = ()
    exports: tuple[tuple[str, str], ...] = ()  # (name that importers write, name of the definition here)
    complete: bool = True  # False where names can appear that are written nowhere, or the file does not parse
    stars: int = 0  # statements that hand on everything of another module
    bases: tuple[tuple[str, tuple[str, ...]], ...] = ()  # class -> the classes it inherits from, as written
    is_scoped: bool = False  # whether at least the names of its own scope are all written in it, if `complete` is False
    unread: str = ""  # why a language did not read the file
    bound: tuple[str, ...] = ()  # names that imports bind, each as often as it is bound, where the language counts them
    loose: frozenset[str] = frozenset()  # names that are offered for types alone, or bound under a condition
    borrows: int = 0  # statements that bring in everything of another module, and hand nothing on
    is_whole: bool = False  # whether the name `default` is the module itself, as in CommonJS, and not one of its names

    @property
    def names(self) -> frozenset[str]:
        """What an importer can ask of the file."""
        return frozenset(name for name, _ in self.exports)

    @property
    def defined_names(self) -> frozenset[str]:
        """Of these, the names behind which a definition of this file stands."""
        own = {symbol.name for symbol in self.symbols}
        return frozenset(name for name, local in self.exports if local in own)


@dataclass(frozen=True, slots=True)
class Link:
    """One import statement resolved to a file of the tree. `names` holds "*" for the whole module."""

    target: str  # path in the tree
    names: frozenset[str]
    line: int
    aliases: tuple[tuple[str, str], ...] = ()  # (name in the target or "*", name here), where the two differ
    public: bool = False  # exported again by this file
