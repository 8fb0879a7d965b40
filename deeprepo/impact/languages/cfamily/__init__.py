"""Resolve `#include` lines to files of the tree.

The includer's folder comes first, then the nearest file whose path ends like the written one. Include folders
are set by the compiler, so `"net/socket.h"` matches any `.../net/socket.h`, and the nearest of several. The
files are only searched for references; new lines are not checked, because of the preprocessor.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from tree_sitter import Language as Grammar
from tree_sitter import Node

from deeprepo.impact.language import Language
from deeprepo.impact.languages.cfamily.included import offered, used
from deeprepo.impact.parsing import grammar
from deeprepo.impact.paths import Paths, shared_folders
from deeprepo.impact.reading.lexical import only_imports
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.values import Clues, Import, Outline, Use

# A conditional `extern "C" {` and its end, which a grammar cannot parse as a block.
LINKAGE = re.compile(
    rb"#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t(]*)_*cplusplus\)?[ \t]*\r?\n\s*(extern[ \t]*\"C\"\s*\{|\})[^\n]*\n\s*#[ \t]*endif"
)
# Strings and comments, and the paths of includes.
PARTS = re.compile(
    rb"""
    "(?:[^"\\\n]++|\\.)*+" | '(?:[^'\\\n]++|\\.)*+' | //[^\n]*+ | /\*(?:[^*]++|\*(?!/))*+(?:\*/)?+
  | \n[\x20\t]*+\#[\x20\t]*+(?:include|include_next|import)[\x20\t]*+(?P<code>"[^"\n]++"|<[^>\n]++>)
    """,
    re.VERBOSE | re.DOTALL,
)
DECLARATORS = (
    "init_declarator", "pointer_declarator", "array_declarator", "reference_declarator",
    "function_declarator", "parenthesized_declarator", "attributed_declarator",
)  # fmt: skip
CPP = re.compile(
    rb"""^[ \t]*(?:class|namespace|template|using|public:|private:|protected:)\b|\b(?:virtual|constexpr|nullptr|enum[ \t]+(?:class|struct))\b|\boperator[ \t]*+(?:[-+*/%^&|~!=<>,\[]|\([ \t]*+\)|[\w:]++[ \t*&]*+\()""",
    re.MULTILINE,
)


class Modules(Resolver):
    """The files of one tree that can be included."""

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        # include folders are guessed from the paths
        self._paths = paths
        self._named: dict[str, list[str]] | None = None
        self._found: dict[tuple[str, str, bool], str | None] = {}

    def clues(self, path: str) -> Clues:
        """Return the file's name, with which an include of it ends."""
        name = posixpath.basename(path)
        include_pattern = rf"^\s*#\s*(include|include_next|import)\s*[\"<]([^\">]*/)?{re.escape(name)}[\">]"
        return Clues(frozenset({name}), (include_pattern,))

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return the included file, as far as its path shows it."""
        target = self._resolve(item.spec.strip(), importer, item.of_type)
        return (target,) if target else None

    def _resolve(self, target: str, here: str, is_angled: bool) -> str | None:
        folder = posixpath.dirname(here)
        key = target, folder, is_angled
        if key not in self._found:
            self._found[key] = self._search(target, folder, is_angled)
        return self._found[key]

    def _search(self, target: str, folder: str, is_angled: bool) -> str | None:
        beside = posixpath.normpath(posixpath.join(folder, target))
        if beside in self._paths.files:
            return beside
        ending = posixpath.normpath(f"/{target}")
        namesakes = self._by_name(posixpath.basename(target))
        fits = [path for path in namesakes if f"/{path}".endswith(ending)]
        if not fits and not is_angled and len(namesakes) == 1:
            return namesakes[0]  # its folders are those of an installed copy
        return min(fits, key=lambda path: (-shared_folders(path, f"{folder}/"), path.count("/"), path), default=None)

    def _by_name(self, name: str) -> list[str]:
        if self._named is None:
            self._named = defaultdict(list)
            for path in self._paths.files:
                self._named[path[path.rfind("/") + 1 :]].append(path)
        return self._named.get(name, [])


class CFamily(Language, frozen=True):
    """C and C++."""

    title = "c/c++"
    modules = Modules
    has_headers = True
    declared_members = True
    whole_files = True
    granting_words = r"\b(?:constexpr|inline)\s"

    def code(self, source: bytes) -> bytes:
        """Return the code with these brackets blanked out, without moving any other text."""
        return LINKAGE.sub(lambda match: re.sub(rb"[^\r\n]", b" ", match[0]), source)

    @property
    def checker(self) -> Grammar:
        """Return the grammar of C++ for headers, which reads C too."""
        return grammar("tree_sitter_cpp", "language") if self.otherwise else self.grammar

    def may_be_other(self, source: bytes) -> bool | None:
        """Return whether a header looks like C++. It is still C if it can only be parsed as C."""
        return CPP.search(source) is not None

    def whole(self, node: Node) -> Node:
        """Return the definition outside its declarators, such as pointers."""
        while node.type in DECLARATORS and (above := node.parent) is not None:
            node = above
        return node

    def is_declaration(self, whole: Node) -> bool:
        """Return whether a definition has no body."""
        return whole.child_by_field_name("body") is None

    def import_lines(self, source: bytes) -> bytes:
        """Return the includes of a file."""
        return only_imports(source, PARTS, b"#", b"#include ")

    def offered(self, path: str, source: bytes, outline: Outline) -> Outline:
        """Return the definitions under the names that includers use."""
        return offered(path, outline)

    def used(self, path: str, source: bytes, names: Collection[str], uses: Sequence[Use]) -> Iterable[Use]:
        """Return the references; in C++, those that may be members are uncertain."""
        return used(source, uses) if uses and self.name != "c" else uses
