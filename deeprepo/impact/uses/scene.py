"""The state of a search for one language, which its steps share."""

from collections import defaultdict

from deeprepo.impact.changes import ChangedSymbol
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.uses.budget import Gaps, SearchLimits
from deeprepo.impact.uses.indirect import HeadersByDefinition
from deeprepo.impact.uses.sides import Exports, Reach
from deeprepo.impact.uses.symbols import ChangedSource
from deeprepo.impact.values import Link

Meaning = tuple[str, str]  # a changed file and a name in it; "*" is the whole file


class Scene(Struct):
    """Everything known about the changed files of one language."""

    sources: list[ChangedSource]
    symbols: dict[str, tuple[ChangedSymbol, ...]]
    head: Reach
    base: Reach
    exports: Exports
    budget: SearchLimits
    gaps: Gaps
    declarations: HeadersByDefinition = field(default_factory=dict)
    # file -> relevant imports
    importers: dict[str, list[Link]] = field(default_factory=lambda: defaultdict(list))
    # File -> imports of removed files.
    lost_imports: dict[str, list[Link]] = field(default_factory=lambda: defaultdict(list))
    # file -> changed files that it re-exports
    origins: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    # File -> exported name -> changed names behind it.
    exporting_files: dict[str, dict[str, set[Meaning]]] = field(default_factory=lambda: defaultdict(dict))
    former: dict[str, list[Link]] = field(default_factory=dict)  # changed file -> its former imports

    @property
    def every_symbol(self) -> list[ChangedSymbol]:
        """The changed definitions of all files."""
        return [item for items in self.symbols.values() for item in items]
