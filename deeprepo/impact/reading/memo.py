"""Cache results about files between reviews.

A result depends on the bytes, the question, this package and its grammars; their hash is the key. It is
stored as JSON data, never as code. The caller sets the store with `use_store`; without one nothing is cached.
A damaged entry is computed again.
"""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import cache, wraps
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar, get_type_hints

from msgspec.json import Decoder, encode

from deeprepo.impact import table
from deeprepo.impact.reading.unreadable import Unreadable

if TYPE_CHECKING:  # it loads the parser
    from deeprepo.impact.language import Language

DIGEST = 16  # bytes
MOST = 4 << 20  # bytes of one result
SHORT = 2_000  # bytes; reading a shorter text again is as fast as the cache, and writing a file is slower
# folders of this package that determine results about a file, in addition to those of the languages
OWN = (".", "reading", "resolving", "text", "uses")
Question = ParamSpec("Question")
Told = TypeVar("Told")


class Store(Protocol):
    """A key-value store with hexadecimal keys."""

    def get(self, name: str) -> bytes | None:
        """Return the stored bytes, or None."""

    def put(self, name: str, data: bytes) -> None:
        """Store the bytes, if possible."""


class _Current:
    store: Store | None = None


def use_store(store: Store | None) -> None:
    """Set the store for results from now on; None disables it."""
    _Current.store = store


def memo(
    function: "Callable[Concatenate[Language, bytes, Question], Told]",
) -> "Callable[Concatenate[Language, bytes, Question], Told]":
    """Cache a function of a file's bytes; it returns None for an `Unreadable` file.

    Its other arguments are strings, numbers or collections of them.
    """
    decoders: list[Decoder[Told]] = []

    def answer(language: "Language", source: bytes, *question: Question.args, **named: Question.kwargs) -> Told | None:
        try:
            return function(language, source, *question, **named)
        except Unreadable:
            return None

    @wraps(function)
    def ask(language: "Language", source: bytes, *question: Question.args, **named: Question.kwargs) -> Told | None:
        if _Current.store is None or len(source) < SHORT:
            return answer(language, source, *question, **named)
        if not decoders:  # only now are all types defined
            decoders.append(Decoder(get_type_hints(function)["return"]))
        name = _name(function.__qualname__, language, source, question)
        found = load(name)
        if found is not None:
            with suppress(ValueError):  # a malformed entry is computed again
                return decoders[0].decode(found)
        result = answer(language, source, *question, **named)
        if result is None:  # the parser may only have run out of time
            return result
        with suppress(ValueError):  # it contains a name that is not valid text
            keep(name, encode(result))
        return result

    return ask  # type: ignore[return-value]  # the checker has names for the parameters of `wraps`


def _name(function: str, language: "Language", source: bytes, question: tuple[object, ...]) -> str:
    asked = [sorted(one) if isinstance(one, Collection) and not isinstance(one, str) else one for one in question]
    words = [function, language.folder, language.name, language.files.suffixes, asked]
    return name_of(_engine(language.files.grammar[0]), words, source)


def _sum(text: bytes, name: str) -> bytes:
    return blake2b(text, digest_size=DIGEST, key=name.encode()).digest()


def _checked(data: bytes | None, name: str) -> bytes | None:
    text = data[DIGEST:] if data is not None else b""
    return text if data is not None and data[:DIGEST] == _sum(text, name) else None


def load(name: str) -> bytes | None:
    """Return the bytes stored under a key from `name_of`; None if missing or damaged."""
    return _checked(_Current.store.get(name), name) if _Current.store is not None else None


def keep(name: str, data: bytes) -> None:
    """Store a result, unless it is too large."""
    if _Current.store is not None and len(data) <= MOST:
        _Current.store.put(name, _sum(data, name) + data)


def name_of(engine: bytes, asked: Sequence[object], source: bytes) -> str:
    """Return the key of a result about some bytes.

    `engine` is a hash of the code that computes it, `asked` the question.
    """
    return blake2b(b"\0".join((engine, json.dumps(asked).encode(), source)), digest_size=DIGEST).hexdigest()


def engine_of(folders: Iterable[Path]) -> bytes:
    """Return a hash of the files in some folders, by size and time, so that results expire when one changes."""
    digest = blake2b(digest_size=DIGEST)
    for folder in folders:
        for file in sorted(folder.iterdir()):
            if file.suffix not in (".pyc", ""):
                status = file.stat()
                digest.update(f"{folder.name}/{file.name} {status.st_size} {status.st_ctime_ns}\n".encode())
    return digest.digest()


def folders_of(package: str) -> tuple[Path, ...]:
    """Return the folder of a package without loading it; () if it is not installed."""
    spec = find_spec(package)
    return (Path(spec.origin).parent,) if spec is not None and spec.origin is not None else ()


@cache
def _engine(grammar: str) -> bytes:
    return engine_of((*own_folders(), *folders_of("msgspec"), *folders_of("tree_sitter"), *folders_of(grammar)))


def own_folders() -> tuple[Path, ...]:
    """Return the folders of the code, tables and queries that determine results about a file."""
    home = Path(__file__).parent.parent
    languages = (folder / name for folder in table.FOLDERS for name in (".", *table.folders()))
    return (*(home / name for name in OWN), *(folder for folder in languages if folder.is_dir()))
