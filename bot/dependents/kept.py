"""What the languages said of a file, kept on disk: a server that lives long parses a content once.

An accelerator and nothing else. Its key is what decides an answer: the content (as SHA-256, so that no two contents share a row in a
repository that was made to collide), the end of the path, the question, and the code that answers. Another version of the product
therefore never meets a row of this one; rows that nobody asks for are the first to go. A file that is damaged, locked or full turns
the cache off with a sentence: the languages are asked as if there were none.
"""

import hashlib
import json
import sqlite3
import sys
import time
import weakref
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

import bot
from bot.ports import Language
from bot.values import Outline, Side, Use

FILE = "languages.sqlite"
LIMIT = 128 << 20  # bytes of the file; beside it SQLite keeps a log of some MB
MAX_ROW = 256 << 10  # bytes of an answer: a larger one was provoked
GRAIN = 3600.0  # seconds: how exactly it is known when a row was last used
PATIENCE = 0.1  # seconds that another process may hold the file
PAGE = 4096
SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (key BLOB NOT NULL UNIQUE, value BLOB NOT NULL, used INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS by_use ON answers (used);
"""
FOUND = "SELECT value, used FROM answers WHERE key = ? AND typeof(value) = 'blob' AND length(value) <= ?"
OLDEST = "SELECT rowid FROM answers ORDER BY used, rowid LIMIT (SELECT count(*) / 4 + 1 FROM answers)"
OUTLINE = TypeAdapter(Outline)
USES = TypeAdapter(tuple[Use, ...])
Answer = TypeVar("Answer")


def kept(
    languages: Mapping[str, Language],
    folder: str,
    say: Callable[[str], None],
    *,
    version: str = bot.__version__,
    limit: int = LIMIT,
    clock: Callable[[], float] = time.time,
) -> dict[str, Language]:
    """The languages with a memory in this folder, which they share with every process that names it."""
    rows = Rows(folder, say, limit, clock)
    return {
        name: cast("Language", CachedLanguage(language, rows, _code(version))) for name, language in languages.items()
    }


@lru_cache(maxsize=4)
def _code(version: str) -> str:
    """What decides an answer beside the file: version and source of this product, and the grammars."""
    home = Path(bot.__file__).parent
    sources = (path for part in ("languages", "values") for path in sorted((home / part).rglob("*.py")))
    grammars = sorted({found.name for folder in sys.path for found in Path(folder).glob("tree_sitter*.dist-info")})
    return hashlib.sha256(
        b"".join([json.dumps([version, grammars]).encode(), *(s.read_bytes() for s in sources)])
    ).hexdigest()


class CachedLanguage:
    """A language that remembers its answers. Satisfies `ports.Language`."""

    def __init__(self, language: Language, rows: "Rows", code: str) -> None:
        self.NAME, self.SUFFIXES = language.NAME, language.SUFFIXES
        self._language, self._rows, self._code = language, rows, code

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the language has
        return getattr(self._language, name)

    def outline(self, path: str, source: bytes, side: Side) -> Outline:
        """The definitions of a file. What is kept stands for every path and side: they are put in."""
        key = self._key(path, source, "outline")
        known = self._rows.get(key, OUTLINE)
        if known is not None:
            return replace(known, symbols=tuple([replace(one, path=path, side=side) for one in known.symbols]))
        told = self._language.outline(path, source, side)
        anywhere = tuple([replace(one, path="", side="head") for one in told.symbols])
        self._rows.put(key, OUTLINE, replace(told, symbols=anywhere))
        return told

    def uses(self, path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
        """The identifiers of a file that are spelt like one of the names."""
        key = self._key(path, source, "uses", *sorted(names))
        known = self._rows.get(key, USES)
        if known is None:
            known = self._language.uses(path, source, names)
            self._rows.put(key, USES, known)
        return known

    def _key(self, path: str, source: bytes, *question: str) -> bytes:
        """A digest of all that the answer depends on. Of a path that is what follows its name's first dot: `.d.ts`."""
        ends = path[path.rfind("/") + 1 :].partition(".")[2]
        asked = json.dumps([self._code, self.NAME, ends, *question]).encode()
        return hashlib.sha256(hashlib.sha256(asked).digest() + source).digest()


class Rows:
    """Answers by key in one SQLite file. Whatever goes wrong is reported once, and from then on it holds nothing."""

    def __init__(self, folder: str, say: Callable[[str], None], limit: int, clock: Callable[[], float]) -> None:
        self._say, self._limit, self._clock = say, limit, clock
        self._file = Path(folder) / FILE
        self._base: sqlite3.Connection | None = None
        self._off = False

    def get(self, key: bytes, form: TypeAdapter[Answer]) -> Answer | None:
        """What is kept under a key; None where there is nothing, or nothing of this form."""
        row = self._try(lambda base: base.execute(FOUND, (key, MAX_ROW)).fetchone())
        if row is None:
            return None
        try:
            known = form.validate_json(row[0])
        except ValidationError:
            return None
        now = self._now()
        if row[1] != now:
            self._try(lambda base: base.execute("UPDATE answers SET used = ? WHERE key = ?", (now, key)))
        return known

    def put(self, key: bytes, form: TypeAdapter[Answer], answer: Answer) -> None:
        """Keep an answer, unless it is too large."""
        try:
            value = form.dump_json(answer)
        except PydanticSerializationError:  # half a character
            return
        if len(value) <= MAX_ROW:
            self._try(lambda base: self._insert(base, (key, value, self._now())))

    def _insert(self, base: sqlite3.Connection, row: tuple[bytes, bytes, int]) -> None:
        """SQLite itself refuses to exceed the limit: then those that were not used for longest make room."""
        insert = "INSERT OR REPLACE INTO answers (key, value, used) VALUES (?, ?, ?)"
        try:
            base.execute(insert, row)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_FULL:
                raise
            base.execute(f"DELETE FROM answers WHERE rowid IN ({OLDEST})")  # noqa: S608 - a constant
            base.execute(insert, row)

    def _now(self) -> int:
        return int(self._clock() // GRAIN)

    def _try(self, act: Callable[[sqlite3.Connection], Answer]) -> Answer | None:
        try:
            return act(self._open()) if not self._off else None
        except (OSError, sqlite3.Error) as error:
            self._off = True
            self._say(f"the cache {self._file} is not used: {error}")
            return None

    def _open(self) -> sqlite3.Connection:
        if self._base is None:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            base = sqlite3.connect(self._file, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
            weakref.finalize(self, base.close)
            base.execute("PRAGMA journal_mode = WAL")
            base.execute("PRAGMA synchronous = NORMAL")  # what a crash takes is parsed again
            base.execute(f"PRAGMA max_page_count = {self._limit // PAGE}")
            base.executescript(SCHEMA)
            self._base = base
        return self._base
