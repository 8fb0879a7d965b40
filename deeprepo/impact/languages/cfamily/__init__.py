"""Resolve `#include` lines to files of the tree.

The includer's folder comes first, then the nearest file whose path ends like the written one. Include folders
are set by the compiler, so `"net/socket.h"` matches any `.../net/socket.h`, and the nearest of several. The
files are only searched for references; new lines are not checked, because of the preprocessor.
"""

import posixpath
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice

from tree_sitter import Language as Grammar
from tree_sitter import Node

from deeprepo.impact.language import Language
from deeprepo.impact.parsing import Lines, grammar
from deeprepo.impact.paths import Paths, shared_folders
from deeprepo.impact.reading.lexical import MOST_IMPORTS, line_until
from deeprepo.impact.reading.spellings import Spelling, quoted
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.values import Clues, Import

# A conditional `extern "C" {` and its end, which a grammar cannot parse as a block.
LINKAGE = re.compile(
    rb"#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t(]*)_*cplusplus\)?[ \t]*\r?\n\s*(extern[ \t]*\"C\"\s*\{|\})[^\n]*\n\s*#[ \t]*endif"
)
INCLUDE = re.compile(
    rb"^[ \t]*#[ \t]*(?:include|include_next|import)[ \t]*(?P<mark>[\"<])(?P<path>[^\">\r\n]+)[\">]", re.MULTILINE
)
# Headers of the C library and POSIX: `#include <time.h>` refers to the system's, even if the tree has such a
# file.
STANDARD = (
    "alloca assert complex ctype dirent dlfcn errno fcntl features fenv float getopt glob grp inttypes iso646 langinfo "
    "libgen limits locale malloc math memory netdb nl_types poll pthread pwd regex sched search semaphore setjmp signal "
    "spawn stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings sysexits syslog termios "
    "tgmath threads time uchar unistd utime wchar wctype windows"
)
DECLARATORS = (
    "init_declarator",
    "pointer_declarator",
    "array_declarator",
    "reference_declarator",
    "function_declarator",
    "parenthesized_declarator",
    "attributed_declarator",
)
CPP = re.compile(
    rb"""^[ \t]*(?:class|namespace|template|using|public:|private:|protected:)\b|\b(?:virtual|constexpr|nullptr|enum[ \t]+(?:class|struct))\b|\boperator[ \t]*+(?:[-+*/%^&|~!=<>,\[]|\([ \t]*+\)|[\w:]++[ \t*&]*+\()""",
    re.MULTILINE,
)
SYSTEM = frozenset(f"{name}.h" for name in STANDARD.split())


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
        target = self._resolve(item.spec.strip("<>"), importer, item.spec[:1] == "<") if self.guesses else None
        return (target,) if target else None

    def _resolve(self, target: str, here: str, is_angled: bool) -> str | None:
        folder = posixpath.dirname(here)
        key = target, folder, is_angled
        if key not in self._found:
            self._found[key] = self._search(target, folder, is_angled)
        return self._found[key]

    def _search(self, target: str, folder: str, is_angled: bool) -> str | None:
        if is_angled and (target in SYSTEM or target.startswith(("sys/", "netinet/", "arpa/", "linux/"))):
            return None
        beside = posixpath.normpath(posixpath.join(folder, target))
        if beside in self._paths.files:
            return beside
        ending = "/" + re.sub(r"^(\.{1,2}/)+", "", posixpath.normpath(target))
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


class BlockComments:
    """The block comments of a source, located once."""

    def __init__(self, source: bytes) -> None:
        self._source = source

    @cached_property
    def _openings(self) -> list[int]:
        return [match.start() for match in re.finditer(rb"/\*", self._source)]

    @cached_property
    def _closings(self) -> list[int]:
        return [match.start() for match in re.finditer(rb"\*/", self._source)]

    def hold(self, at: int) -> bool:
        """Return whether a line that begins here is inside a block comment."""
        number = bisect_right(self._openings, at - 2)
        if not number:
            return False
        opening = self._openings[number - 1]
        closing = bisect_left(self._closings, opening + 2)
        if closing < len(self._closings) and self._closings[closing] <= at - 2:
            return False
        before = line_until(self._source, opening)
        return before.count(b'"') % 2 == 0 and b"//" not in before


class CFamily(Language, frozen=True):
    """C and C++."""

    title = "c/c++"
    modules = Modules
    has_headers = True
    redefines = r"^[ \t]*#[ \t]*define[ \t]+NAME\("
    declared_members = True
    whole_files = True

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

    def imported(self, source: bytes) -> Iterator[Import]:
        """Yield the includes of a file, which re-export everything, by its lines."""
        lines, comments = Lines(source), BlockComments(source)
        for match in islice(INCLUDE.finditer(source), MOST_IMPORTS):
            if not comments.hold(match.start()):
                spec = match["path"].decode("utf-8", "replace").strip()
                is_angled = match["mark"] == b"<"
                yield Import(f"<{spec}>" if is_angled else spec, lines.at(match.start()), star=True, hands_on=True)

    def spellings(self, importer: str, old: str, new: str) -> Iterator[Spelling]:
        """Yield paths in quotes or angle brackets."""
        return quoted(importer, old, new)
