"""Split files into lines, and recognize comments and definitions in single lines of any language.

If a whole file and a parser are available, the parser gives better answers. This module is for lines found
anywhere in a tree: in templates, migrations, scripts or languages without a parser.
"""

import codecs
import posixpath
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from deeprepo.impact.filetypes import BLOCK as _BLOCK
from deeprepo.impact.filetypes import C_COMMENTS, HASH, PAGE, PHP_HASH, SLASHES, Marks, filetypes
from deeprepo.impact.structs import Struct

BYTE_ORDER_MARK = codecs.BOM_UTF8
ENCODINGS = (
    (BYTE_ORDER_MARK, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)  # the first that matches
HEAD_BYTES = 8_000  # bytes at the start of a file in which git searches for a NUL byte
# bytes: minimum size of a minified file, and mean line length that no person writes
MINIFIED_SIZE, MINIFIED_LINE = 5_000, 400
QUOTED = 500  # characters of a long line that a finding quotes

_DASHES, _SEMICOLON = r"--(?!>)", r";"
# `* {` selects every element of a page
_STYLE = r"/\*(?:(?!\*/).)*+(?:$|\*/\s*$)|\*+/\s*$|\*(?=\s)(?![^\n]*[{,]\s*$)"
# In these files, `#` may begin a preprocessor directive, an attribute or a private field.
_NO_DIRECTIVE = r"#(?!!|\[|\w+\s*[=;(]|(?:include|import|define|undef|if|ifdef|ifndef|elif|else|endif|pragma|error|region|endregion)\b)"
_UNKNOWN = (_NO_DIRECTIVE, SLASHES, _BLOCK, r"--\s", r";;", PAGE)
_BY_SUFFIX: tuple[tuple[str, Marks], ...] = (
    (".pl .pm .yml .yaml .toml .cmake .mk .nim .cr .graphql .gql .conf .cfg .env .dockerfile .bzl .awk", (HASH,)),
    (".mm .groovy .gradle .proto .zig .sol .json .jsonc .json5 .prisma .d .mod", C_COMMENTS),
    (".css", (_STYLE,)),
    (".scss .less .sass .styl", (SLASHES, _STYLE)),
    (".tf .hcl .thrift", (HASH, *C_COMMENTS)),
    (".sql", (_DASHES, _BLOCK, r"#\s")),
    (".clj .cljs .edn .el .lisp .scm .rkt .asm .s", (_SEMICOLON,)),
    (".ini .properties", (HASH, _SEMICOLON, r"!")),
    (
        ".md .mdx .html .htm .xml .svg .jsp .hbs .tmpl .csproj .cshtml .razor .j2 .twig .liquid .erb .astro",
        (PAGE, r"\{#", r"\{\{!", r"<%#", r"@\*"),
    ),
    (".tex .erl", (r"%",)),
)
_BY_NAME: tuple[tuple[str, Marks], ...] = (
    ("dockerfile makefile rakefile gemfile cmakelists.txt requirements.txt .env .gitignore codeowners", (HASH,)),
    ("jenkinsfile go.mod go.work", C_COMMENTS),
)
# Comment marks after code, and the strings before them that may contain the same characters.
_STRING = r"\"(?:\\.|[^\"\\\n])*+(?:\"|$)|`(?:\\.|[^`\\\n])*+(?:`|$)|(?<!\w)'(?:\\.|[^'\\\n]){0,300}+'"
_BEHIND: Mapping[str, str] = {
    HASH: r"#\s",
    PHP_HASH: r"#\s",
    SLASHES: r"//(?:\s|$)",
    _DASHES: r"--\s",
    _SEMICOLON: r";\s",
}
_LONG = 2_000  # characters; a longer line is generated

_WORDS = (
    r"def|defp|defmacro|fn|fun|func|function\*?|sub|class|struct|enum|interface|trait|protocol|object|record|union|typedef|type|module|namespace|mod"
    r"|const|static|var|let|val|macro_rules!|message|(?i:create)\s++(?i:or\s++replace\s++)?(?i:table|view|function|index|type)(?i:\s++if\s++not\s++exists)?"
)
_DEFINES = (
    # With a keyword: `def NAME`, `func (r *T) NAME`, `pub const NAME`, `CREATE TABLE NAME`. Excluded are the
    # pattern `let Some(value) = `, the type `*const NAME`, and loop variables.
    rf"(?<![\w.$'\"*-])(?<!import )(?<!use )(?!let\s++\w++\()(?:{_WORDS})\s++(?:\([^)]{{0,200}}+\)\s*+)?(?:(?:mut|class|struct|readonly)\s++)?(?:\w++[.:])?[\"'`]?NAME(?![\w$-]|\s++(?:of|in)\s)"
    # A macro in the C family.
    r"|^\s*+#\s*+define\s++NAME\b"
    # Like a call after a type, or alone, with a body: `int NAME(int a) {`, `NAME(a) {`.
    r"|^\s*+(?!(?:return|new|else|await|throw|case|in|if|for|while|switch|let)\b)(?:[\w<>\[\],.?*&:]++\s++){1,12}?[*&]?NAME\s*+\([^;]*\{\s*$"
    r"|^\s*+NAME\s*+\([^()]*+\)\s*+(?::[^{;]*+)?\{\s*$"
)
_STANDS_FOR = "\u01c2"  # a letter that occurs in no name, so that word boundaries stay the same
_DEFINED = re.compile(
    r"(?<![\w.$])(?:def|fn|func|function|class|struct|enum|interface|trait|type|const|static|var|let|val)\s+([A-Za-z_$][\w$]*+)(?!\s+(?:of|in)\s)"
)


def utf8(source: bytes) -> bytes:
    """Return a text in UTF-8 without its byte order mark, which may indicate UTF-16 or UTF-32."""
    encoding = next((name for mark, name in ENCODINGS if source.startswith(mark)), "")
    if encoding in ("", "utf-8-sig"):
        return source.removeprefix(BYTE_ORDER_MARK)
    return source.decode(encoding, "replace").encode("utf-8", "replace")


def grep_rows(out: bytes) -> Iterator[tuple[bytes, int, bytes]]:
    """Yield the path, line number and text of each row that `git grep -z -n` printed. A path may contain line breaks."""
    at = 0
    while (
        (path_end := out.find(b"\0", at)) >= 0
        and (number_end := out.find(b"\0", path_end + 1)) >= 0
        and (end := out.find(b"\n", number_end)) >= 0
    ):
        yield out[at:path_end], int(out[path_end + 1 : number_end]), out[number_end + 1 : end]
        at = end + 1


def is_binary(blob: bytes) -> bool:
    """Return whether a file is binary by git's rule."""
    return b"\0" in blob[:HEAD_BYTES]


def without_mark(source: bytes) -> bytes:
    """Return a text without its byte order mark."""
    return source.removeprefix(BYTE_ORDER_MARK)


class Cap(Struct, frozen=True):
    """Limits in bytes for patterns and parsers: a larger file becomes empty, and so does a longer line."""

    size: int
    line: int

    def shorten(self, source: bytes) -> bytes:
        """Return the part of a file within the limits, in UTF-8."""
        source = utf8(source)
        if len(source) > self.size:
            return b""
        return b"\n".join([line if len(line) <= self.line else b"" for line in source.split(b"\n")])

    def problem(self, source: bytes) -> str:
        """Return why a part of a file exceeds the limits, as the end of a sentence that begins with its path, or ""."""
        source = utf8(source)
        if len(source) > self.size:
            return f"is larger than {self.size >> 10} kB"
        if any(len(line) > self.line for line in source.split(b"\n")):
            return f"has a line of more than {self.line:,} characters"
        return ""


CONFIG = Cap(64 << 10, 2_000)  # a configuration file; a longer line is generated
# A parsed manifest; one that is read by lines or is JSON may have any size.
MANIFEST = Cap(512 << 10, 20_000)


FEEDS, RETURNS = re.compile(r"\n"), re.compile(r"\r\n?|\n")
YAML_BREAKS = re.compile(r"\r\n?|[\n\x85\u2028\u2029]")


class Places:
    """Translates positions from a tool's line breaks (`ends`) to git's, which are line feeds only."""

    def __init__(self, text: str, ends: re.Pattern[str] = RETURNS) -> None:
        self._theirs = (0, *(match.end() for match in ends.finditer(text)))
        self._ours = (0, *(match.end() for match in FEEDS.finditer(text)))
        self._are_same = self._theirs == self._ours

    def at(self, row: int, column: int = 1) -> tuple[int, int]:
        """Return git's row and column for a tool's position, both 1-based; unchanged beyond the text."""
        if self._are_same or not 0 < row <= len(self._theirs):
            return row, column
        offset = self._theirs[row - 1] + column - 1
        line = bisect_right(self._ours, offset)
        return line, offset - self._ours[line - 1] + 1

    def row(self, row: int) -> int:
        """Return only the row."""
        return self.at(row)[0]


@lru_cache(maxsize=32)  # several references in one file ask for its lines
def file_lines(blob: bytes | None) -> tuple[str, ...]:
    """Return the lines of a file, possibly ending with a carriage return; one empty line for None."""
    return tuple((blob or b"").decode("utf-8", "replace").split("\n"))


def is_comment(line: str, path: str) -> bool:
    """Return whether a line contains only a comment; for unknown languages, whether it looks like one."""
    return bool(_comment(_marks(path)).match(line[:_LONG]))


def code_of(line: str, path: str) -> str:
    """Return a line without a comment after its code. Strings count as code."""
    marks = tuple(dict.fromkeys(_BEHIND[mark] for mark in _marks(path) if mark in _BEHIND))
    if marks and _spaced(marks).search(line):  # fast check, since whole files are processed
        for match in _behind(marks).finditer(line[:_LONG]):
            if match["comment"] is not None:
                return line[: match.start()]
    return line


def defines(line: str, name: str, path: str = "") -> bool:
    """Return whether a line defines a function, type, constant or macro of this name.

    The name is replaced in the line, because compiling a pattern per name takes 0.1 s.
    """
    if not name or name not in line or (path and is_comment(line, path)):
        return False
    if (name[0] + name[-1]).replace("_", "a").isalnum():
        name, line = _STANDS_FOR, line.replace(name, _STANDS_FOR)
    return _defining(name).search(line) is not None


@lru_cache(maxsize=1024)
def _defining(name: str) -> re.Pattern[str]:
    return re.compile(_DEFINES.replace("NAME", re.escape(name)))


def defined_names(line: str) -> list[str]:
    """Return the names that a line defines with a keyword."""
    return _DEFINED.findall(line)


@lru_cache(maxsize=65_536)
def _marks(path: str) -> Marks:
    base = posixpath.basename(path).lower()
    stem = base.partition(".")[0] if base.startswith(("dockerfile", "makefile", "jenkinsfile")) else base
    return _marks_by_name().get(stem) or _marks_by_suffix().get(posixpath.splitext(base)[1]) or _UNKNOWN


@lru_cache(maxsize=1)
def _marks_by_suffix() -> Mapping[str, Marks]:
    marks = {suffix: one.comments for one in filetypes() for suffix in one.suffixes if one.comments}
    return {**_table(reversed(_BY_SUFFIX)), **marks}


@lru_cache(maxsize=1)
def _marks_by_name() -> Mapping[str, Marks]:
    return _table(_BY_NAME)


def _table(rows: Iterable[tuple[str, Marks]]) -> Mapping[str, Marks]:
    return {word: marks for words, marks in rows for word in words.split()}


@lru_cache
def _comment(marks: Marks) -> re.Pattern[str]:
    return re.compile(rf"^\s*+(?:{'|'.join(marks)})")


@lru_cache
def _spaced(marks: Marks) -> re.Pattern[str]:
    return re.compile(rf"\s(?:{'|'.join(marks)})")


@lru_cache
def _behind(marks: Marks) -> re.Pattern[str]:
    return re.compile(rf"{_STRING}|(?P<comment>(?<!\s)\s++(?:{'|'.join(marks)}))")


def quote_of(line: str) -> str:
    """Return the quote of a line for a finding, cut at the end of a word if it is long, or ""."""
    if len(line) <= QUOTED:
        return line if line.strip() else ""
    ends = [at for at in range(QUOTED, 0, -1) if line[at - 1].isalnum() and not (line[at].isalnum() or line[at] == "_")]
    return line[: ends[0]] if ends and line[: ends[0]].strip() else line


def is_minified(source: bytes) -> bool:
    """Return whether a source is minified, with hardly any line breaks."""
    return len(source) > MINIFIED_SIZE and len(source) / (source.count(b"\n") + 1) > MINIFIED_LINE


def without_arguments(name: str) -> str:
    """Return what a class's name or a head has before its first bracket: `Cart` for `Cart<Item>` and `Cart(id)`."""
    return name.partition("<")[0].partition("[")[0].partition("(")[0].strip()
