"""A context as a root and its workers see it: plain data for the root's code, and the same as files for those who read.

A context is written to a file without a name, which holds all of it. Only the parts that somebody reads are loaded.
"""

import hashlib
import json
import os
import re
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal

from deeprepo.rlm.errors import UsageError
from deeprepo.rlm.repl.frames import Value, shortened, sound
from deeprepo.rlm.repl.process import Streamed
from deeprepo.rlm.values import ROWS

PART = 400_000  # characters of one file; the checkout opens no file above 2 MB
MOST_BYTES, MOST_FILES = 100 << 20, 20_000  # of one context
HEAD = 8_000  # bytes in which a NUL means "no text", and characters around a border in which a secret may be cut
PATH_CHARS = 200  # of a name that becomes a path as it is
NAMED = 5  # files that a note names
MAX_PREVIEW = 100  # characters of one value of a JSON document
PREVIEW = 1_600  # characters of both ends together
STEP = 1 << 16  # bytes that are sent to the REPL at once, as many as a pipe holds
MARKED = "not in UTF-8, so each byte that is none has become a mark"
_PART = r"\.?+[\w(@+=~-][\w .()@+,=~-]*+(?<![ .])"  # of a path
_PATH = re.compile(rf"(?!item/)(?!(?:.*/)?\.git){_PART}(?:/{_PART})*+", re.IGNORECASE)
Form = Literal["text", "json", "list", "mapping"]
Span = tuple[int, int]  # the bytes of a text in the file: the first one, and the one after the last


@dataclass(frozen=True, slots=True)
class Item:
    """One value of a context. Its `parts` follow each other in the file; what is no text is there as JSON."""

    name: str
    parts: tuple[Span, ...]
    is_text: bool


@dataclass(slots=True, weakref_slot=True)
class Material:
    """One context. `files` are its texts by path, each whole, or cut at line ends."""

    form: Form = "text"
    notes: tuple[str, ...] = ()
    items: list[Item] = field(default_factory=list)
    files: dict[str, Span] = field(default_factory=dict)
    length: int = 0  # characters
    size: int = 0  # bytes
    _file: BinaryIO = field(default_factory=tempfile.TemporaryFile)
    _hash: "hashlib._Hash" = field(default_factory=hashlib.sha256)
    _head: str = ""
    _tail: str = ""
    _breaks: int = 0

    def __post_init__(self) -> None:
        weakref.finalize(self, self._file.close)

    @property
    def digest(self) -> str:
        """What tells this context from others."""
        return self._hash.hexdigest()[:40]

    @property
    def preview(self) -> str:
        """The beginning and the end."""
        return shortened(self._head, self._tail, PREVIEW, self.length, self._breaks)

    def read(self, span: Span) -> str:
        """Return a part of the file."""
        return os.pread(self._file.fileno(), span[1] - span[0], span[0]).decode()

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield each file with its text."""
        return ((path, self.read(span)) for path, span in self.files.items())

    def part(self, paths: Iterable[str]) -> "Material":
        """Make a context from some of the files, or from all of them if none of these paths is in it."""
        part = Material()
        kept = [path for path in paths if path in self.files] or list(self.files)
        part.files = {path: part._write(self.read(self.files[path])) for path in kept}
        part.items.append(Item("", tuple(part.files.values()), is_text=True))
        return part

    def add(self, value: object, name: str = "") -> None:
        """Add a value. Raises UsageError for anything that a REPL can't contain."""
        self._hash.update(f"{self.form}\0{name}\0".encode())
        parts = tuple(self._write(piece) for piece in pieces(_as_text(value)))
        self.items.append(Item(name, parts, isinstance(value, str)))

    def name_files(self, folder: str, spans: Iterable[Span], name: str = "") -> None:
        """Let these parts be files of a folder, with the suffix of `name` if it is one of ROWS."""
        suffix = next((suffix for suffix in ROWS if name.lower().endswith(suffix)), ".txt")
        self.files |= {f"{folder}/{number:03}{suffix}": span for number, span in enumerate(spans, 1)}

    def _write(self, text: str, *, is_shown: bool = True) -> Span:
        data, start = text.encode("utf-8", "replace"), self._file.seek(0, os.SEEK_END)
        self._file.write(data)
        self._file.flush()
        if is_shown:
            self.size += len(data)
            self.length += len(text)
            self._hash.update(data)
            self._breaks += text.count("\n")
            self._head += sound(text[: PREVIEW - len(self._head)])
            self._tail = (self._tail + sound(text[-PREVIEW:]))[-PREVIEW:]
        if self.size > MOST_BYTES or len(self.items) >= MOST_FILES:
            raise UsageError(
                f"the context has more than {MOST_BYTES >> 20} MB or {MOST_FILES:,} values: give a part of it"
            )
        return start, start + len(data)

    def hidden(self, names: Sequence[str], hide: Callable[[str], str]) -> Streamed:
        """Return the context for a REPL under these names, with the secrets hidden that any part of it shows."""
        has_secrets, before = False, ""
        for item in self.items:
            for span in item.parts:
                text = self.read(span)
                for seen in (text, before[-HEAD:] + text[:HEAD]):
                    has_secrets |= hide(seen) is not seen
                before = text

        def pieces(item: Item) -> tuple[int, Iterable[bytes]]:
            (start, _), (_, end) = item.parts[0], item.parts[-1]
            if has_secrets:
                data = hide(self.read((start, end))).encode()
                return len(data), [data]
            steps = range(start, end, STEP)
            return end - start, (os.pread(self._file.fileno(), min(STEP, end - at), at) for at in steps)

        return Streamed(
            names,
            self.form,
            [(item.name, item.is_text) for item in self.items],
            lambda: map(pieces, self.items),
        )


def of(context: object) -> Material:
    """Return the material of a text, a list, a mapping, or the path of a file or folder. Raises UsageError."""
    if isinstance(context, os.PathLike):
        return _at(Path(context))
    if isinstance(context, str):
        return _text(context)
    if isinstance(context, Mapping):
        return _of_items(context.items(), "mapping")
    if isinstance(context, Sequence) and not isinstance(context, (bytes, bytearray)):
        return _of_items((("", value) for value in context), "list")
    raise UsageError(f"a context is a text, a list, a mapping or a path, not {type(context).__name__}")


def pieces(text: str) -> Iterator[str]:
    """Cut a text at line ends into pieces, one at least."""
    at = 0
    while at < len(text) or not at:
        near = text.rfind("\n", at, at + PART) + 1 if at + PART < len(text) else len(text)
        end = near if near > at else at + PART
        yield text[at:end]
        at = end


def _text(text: str, notes: tuple[str, ...] = (), name: str = "") -> Material:
    material, values = Material(notes=notes), _values(text)
    material.add(text)
    if values is None:
        material.name_files("text", material.items[0].parts, name)
    else:
        material.form = "json"
        material.name_files("keys", [material._write(piece, is_shown=False) for piece in pieces(values)])  # noqa: SLF001
    return material


def _values(text: str) -> str | None:
    """Return a line for each value of a JSON document, with its key path, or None for any other text."""
    if not text[:HEAD].lstrip().startswith(("{", "[")):
        return None
    try:
        whole = json.loads(text)
        return "\n".join(f"{path}: {value}" for path, value in paths(whole)) or None
    except (ValueError, RecursionError):
        return None


def paths(value: Value, at: str = "") -> Iterator[tuple[str, str]]:
    """Return every leaf as (key path, value on one line): servers[0].host."""
    if isinstance(value, dict) and value:
        for key, part in value.items():
            yield from paths(part, _step(at, key))
    elif isinstance(value, list) and value:
        for number, part in enumerate(value):
            yield from paths(part, f"{at}[{number}]")
    else:
        text = json.dumps(value, ensure_ascii=False)
        yield at or "(the whole file)", text if len(text) <= MAX_PREVIEW else f"{text[:MAX_PREVIEW]}..."


def _step(at: str, key: object) -> str:
    if isinstance(key, str) and key.replace("_", "a").replace("-", "a").isalnum():
        return f"{at}.{key}" if at else key
    return f"{at}[{json.dumps(key, ensure_ascii=False)}]"


def _of_items(
    pairs: Iterable[tuple[object, object]],
    form: Form,
    empty: str = "the context is empty: there is nothing to ask about",
) -> Material:
    """The material of several values, each a file of its own. Raises UsageError where there is none."""
    material = Material(form)
    for name, value in pairs:
        material.add(value, sound(str(name)))
    if not material.items:
        raise UsageError(empty)
    for path, item in zip(_paths([item.name for item in material.items]), material.items, strict=True):
        if len(item.parts) == 1:
            material.files[path] = item.parts[0]
        else:
            material.name_files(f"{path}.parts", item.parts, path)
    return material


def _at(path: Path) -> Material:
    if path.is_dir():
        return _folder(path)
    try:
        text, is_sound = _decoded(path.read_bytes())
    except OSError as error:
        raise UsageError(f"the context {path} cannot be read: {error.strerror}") from error
    if text is None:
        raise UsageError(f"the context {path} is not a text file")
    return _text(text, () if is_sound else _note(MARKED, [path.name]), path.name)


def _folder(folder: Path) -> Material:
    """Hidden folders, links, binary and large files are skipped, and a note lists them."""
    left_out, other_code = list[str](), list[str]()

    def texts() -> Iterator[tuple[str, str]]:
        for path in _walk(folder):
            name, text, is_sound = path.relative_to(folder).as_posix(), None, True
            with suppress(OSError):
                if path.stat().st_size <= MOST_BYTES:
                    text, is_sound = _decoded(path.read_bytes())
            other_code.extend([] if is_sound else [name])
            if text is None:
                left_out.append(name)
            else:
                yield name, text

    material = _of_items(texts(), "mapping", f"the folder {folder} has no text files")
    material.notes = (
        *_note("not read, because they are no text or too large", left_out),
        *_note(MARKED, other_code),
    )
    return material


def _note(words: str, names: Sequence[str]) -> tuple[str, ...]:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return (f"{words}: {', '.join(names[:NAMED])}{more}",) if names else ()


def _decoded(blob: bytes) -> tuple[str | None, bool]:
    """The text of a file, None where it is none, and whether all of it is UTF-8."""
    if b"\0" in blob[:HEAD]:
        return None, True
    try:
        return blob.decode(), True
    except UnicodeDecodeError:
        return blob.decode("utf-8", "replace"), False


def _walk(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (path for name in sorted(names) if not (path := Path(place, name)).is_symlink())


def _as_text(value: object) -> str:
    """Return a text as it is, and other plain data as JSON. Raises UsageError for anything else."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, indent=1)
    except TypeError as error:
        raise UsageError(
            f"the context holds what is no plain data, {error}: give texts, numbers, lists, mappings"
        ) from error
    except (ValueError, RecursionError) as error:
        raise UsageError("the context is nested too deeply, or holds itself") from error


def _paths(names: Sequence[str]) -> list[str]:
    """Return a path for each name: the name itself if a tree can contain it, or else a number."""
    folders = {name[:at] for name in names for at, letter in enumerate(name) if letter == "/"}
    width = max(3, len(str(len(names))))
    return [
        name if name not in folders and len(name) <= PATH_CHARS and _PATH.fullmatch(name) else f"item/{at:0{width}}.txt"
        for at, name in enumerate(names, 1)
    ]
