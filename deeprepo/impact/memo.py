"""What is told of a file's bytes, kept from one review to the next.

It is a function of the bytes, of what is asked, and of this package with its grammars: their hash names what is kept. It is stored as
data (JSON), never as code. Whoever uses the package says where (`use_store`); without a store nothing is kept. An entry that cannot be read is worked out again.
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

from deeprepo.impact.unreadable import Unreadable

if TYPE_CHECKING:  # it loads the parser
    from deeprepo.impact.language import Language

DIGEST = 16  # bytes
MOST = 4 << 20  # bytes of one answer
OWN = ("", "languages/*", "text", "uses")  # folders of this package that tell something of a file
Question = ParamSpec("Question")
Told = TypeVar("Told")


class Store(Protocol):
    """Where answers are kept, by a name of hexadecimal digits."""

    def get(self, name: str) -> bytes | None:
        """Return what was put there, None if nothing is."""

    def put(self, name: str, data: bytes) -> None:
        """Keep it, or leave it."""


class _Current:
    """The store of this process."""

    store: Store | None = None


def use_store(store: Store | None) -> None:
    """Keep what is told of files there from now on; None: nowhere."""
    _Current.store = store


def memo(
    function: "Callable[Concatenate[Language, bytes, Question], Told]",
) -> "Callable[Concatenate[Language, bytes, Question], Told]":
    """Keep what a function tells of the bytes of a file, and return None for a file that is `Unreadable`.

    What else it takes are texts, numbers, and collections of them.
    """
    decoders: list[Decoder[Told]] = []

    def answer(language: "Language", source: bytes, *question: Question.args, **named: Question.kwargs) -> Told | None:
        try:
            return function(language, source, *question, **named)
        except Unreadable:
            return None

    @wraps(function)
    def ask(language: "Language", source: bytes, *question: Question.args, **named: Question.kwargs) -> Told | None:
        if _Current.store is None:
            return answer(language, source, *question, **named)
        if not decoders:  # here: the types that a module names later are known by now
            decoders.append(Decoder(get_type_hints(function)["return"]))
        name = _name(function.__qualname__, language, source, question)
        found = load(name)
        if found is not None:
            with suppress(ValueError):  # of another form: told anew
                return decoders[0].decode(found)
        told = answer(language, source, *question, **named)
        if told is None:  # a parser may have had too little time
            return told
        with suppress(ValueError):  # it names a file by bytes that are no text
            keep(name, encode(told))
        return told

    return ask  # type: ignore[return-value]  # the checker has names for the parameters of `wraps`


def _name(function: str, language: "Language", source: bytes, question: tuple[object, ...]) -> str:
    asked = [sorted(one) if isinstance(one, Collection) and not isinstance(one, str) else one for one in question]
    words = [function, language.folder, language.name, language.files.suffixes, asked]
    return name_of(_engine(language.grammar_module), words, source)


def _sum(text: bytes, name: str) -> bytes:
    """What a kept answer begins with: so a broken one, or one of another name, is seen."""
    return blake2b(text, digest_size=DIGEST, key=name.encode()).digest()


def _checked(data: bytes | None, name: str) -> bytes | None:
    text = data[DIGEST:] if data is not None else b""
    return text if data is not None and data[:DIGEST] == _sum(text, name) else None


def load(name: str) -> bytes | None:
    """Return what an earlier review kept under a name of `name_of`; None if there is nothing, or it is damaged."""
    return _checked(_Current.store.get(name), name) if _Current.store is not None else None


def keep(name: str, data: bytes) -> None:
    """Keep an answer for later reviews, unless it is too large."""
    if _Current.store is not None and len(data) <= MOST:
        _Current.store.put(name, _sum(data, name) + data)


def name_of(engine: bytes, asked: Sequence[object], source: bytes) -> str:
    """Return the name under which an answer about some bytes is kept. `engine`: a hash of the code that answers; `asked`: the question."""
    return blake2b(b"\0".join((engine, json.dumps(asked).encode(), source)), digest_size=DIGEST).hexdigest()


def engine_of(folders: Iterable[Path]) -> bytes:
    """Return a hash of the files of some folders, by size and time: an answer counts until one of them changes."""
    digest = blake2b(digest_size=DIGEST)
    for folder in folders:
        for file in sorted(folder.iterdir()):
            if file.suffix not in (".pyc", ""):
                status = file.stat()
                digest.update(f"{folder.name}/{file.name} {status.st_size} {status.st_ctime_ns}\n".encode())
    return digest.digest()


def folders_of(package: str) -> tuple[Path, ...]:
    """Return the folder of a package, which is not loaded for it; () if it is not installed."""
    spec = find_spec(package)
    return (Path(spec.origin).parent,) if spec is not None and spec.origin is not None else ()


@cache
def _engine(grammar: str) -> bytes:
    """What decides how a file is read: this package, what writes and reads it, the parser and a grammar."""
    home = Path(__file__).parent
    folders = [folder for pattern in OWN for folder in (home.glob(pattern) if pattern else (home,)) if folder.is_dir()]
    return engine_of((*folders, *folders_of("msgspec"), *folders_of("tree_sitter"), *folders_of(grammar)))
