"""A context as a root and its workers see it: plain data for the root's code, and the same as files for those who read."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from deeprepo.rlm.errors import UsageError
from deeprepo.rlm.repl.frames import Value, sound

PART = 400_000  # characters of one file; the checkout opens no file above 2 MB
MOST_CHARS, MOST_FILES = 20_000_000, 20_000  # of one context
MOST_BYTES = 4 * MOST_CHARS  # of a file in a folder: more is more than a context holds
HEAD = 8_000  # bytes in which a NUL tells that a file is no text
PATH_CHARS = 200  # of a name that becomes a path as it is
NAMED = 5  # files that a note names
MAX_PREVIEW = 100  # characters of one value of a JSON document
MARKED = "not in UTF-8, so each byte that is none has become a mark"
_PART = r"\.?+[\w(@+=~-][\w .()@+,=~-]*+(?<![ .])"  # of a path
_PATH = re.compile(rf"(?!item/)(?!(?:.*/)?\.git){_PART}(?:/{_PART})*+", re.IGNORECASE)
Form = Literal["text", "json", "list", "mapping"]
Plain = Any  # None, numbers, texts, lists and mappings with texts as keys


@dataclass(frozen=True, slots=True)
class Material:
    """One context. `value` is what `context` is in the REPL, `text` the same as one text."""

    value: Plain
    files: Mapping[str, str]  # each whole, or cut at line ends
    text: str
    form: Form = "text"
    notes: tuple[str, ...] = ()

    def part(self, paths: Iterable[str]) -> "Material":
        """Make a context from some of the files, or from all of them if none of these paths is in it."""
        files = {path: self.files[path] for path in paths if path in self.files} or dict(self.files)
        text = "".join(files.values())
        return Material(text, files, text)


def of(context: object) -> Material:
    """Return the material of a text, a list, a mapping, or the path of a file or folder. Raises UsageError."""
    if isinstance(context, os.PathLike):
        material = _at(Path(context))
    elif isinstance(context, str):
        material = _text(context)
    elif isinstance(context, Mapping):
        material = _of_items(_plain(context), "mapping")
    elif isinstance(context, Sequence) and not isinstance(context, (bytes, bytearray)):
        material = _of_items(_plain(context), "list")
    else:
        raise UsageError(f"a context is a text, a list, a mapping or a path, not {type(context).__name__}")
    if len(material.text) > MOST_CHARS or len(material.files) > MOST_FILES:
        raise UsageError(
            f"the context has {len(material.text):,} characters in {len(material.files):,} files: "
            f"at most {MOST_CHARS:,} in {MOST_FILES:,} can be read at once, so give a part of it"
        )
    return material


def cut(text: str, folder: str) -> dict[str, str]:
    """Cut a text into files that end at line ends, one at least."""
    pieces: dict[str, str] = {}
    at = 0
    while at < len(text) or not pieces:
        near = text.rfind("\n", at, at + PART) + 1 if at + PART < len(text) else len(text)
        end = near if near > at else at + PART
        pieces[f"{folder}/{len(pieces) + 1:03}.txt"] = text[at:end]
        at = end
    return pieces


def _text(text: str) -> Material:
    text = sound(text)
    values = _values(text)
    return (
        Material(text, cut(text, "text"), text) if values is None else Material(text, cut(values, "keys"), text, "json")
    )


def _values(text: str) -> str | None:
    """Return a line for each value of a JSON document, with its key path, or None for any other text."""
    if not text.lstrip().startswith(("{", "[")):
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


def _of_items(items: list[Plain] | dict[str, Plain], form: Form, notes: tuple[str, ...] = ()) -> Material:
    """The material of several values, each a file of its own. Raises UsageError where there is none."""
    if not items:
        raise UsageError("the context is empty: there is nothing to ask about")
    names, values = (list(items), items.values()) if isinstance(items, dict) else ([""] * len(items), items)
    texts, files = [_as_text(value) for value in values], dict[str, str]()
    for path, text in zip(_paths(names), texts, strict=True):
        files |= {path: text} if len(text) <= PART else cut(text, f"{path}.parts")
    return Material(items, files, "\n".join(texts), form, notes)


def _at(path: Path) -> Material:
    if path.is_dir():
        return _folder(path)
    try:
        text, is_sound = _decoded(path.read_bytes())
    except OSError as error:
        raise UsageError(f"the context {path} cannot be read: {error.strerror}") from error
    if text is None:
        raise UsageError(f"the context {path} is not a text file")
    return replace(_text(text), notes=() if is_sound else _note(MARKED, [path.name]))


def _folder(folder: Path) -> Material:
    """Read a folder's text files.

    Hidden folders, links, binary and large files are skipped, and a note lists them.
    """
    texts: dict[str, str] = {}
    left_out, other_code, size = list[str](), list[str](), 0
    for path in _walk(folder):
        name, text, is_sound = path.relative_to(folder).as_posix(), None, True
        with suppress(OSError):
            if path.stat().st_size <= MOST_BYTES:
                text, is_sound = _decoded(path.read_bytes())
        if text is None:
            left_out.append(name)
            continue
        texts[sound(name)] = text
        other_code += [] if is_sound else [name]
        size += len(text)
        if size > MOST_CHARS or len(texts) > MOST_FILES:  # `of` says how many are allowed
            break
    if not texts:
        raise UsageError(f"the folder {folder} has no text files")
    return _of_items(
        texts,
        "mapping",
        (*_note("not read, because they are no text or too large", left_out), *_note(MARKED, other_code)),
    )


def _note(words: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return a note about some files, or nothing if there are none."""
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


def _plain(value: object) -> Plain:
    """Return a copy of plain data. Raises UsageError for anything that a REPL can't contain."""
    try:
        return json.loads(sound(json.dumps(value, ensure_ascii=False, default=_as_builtin)))
    except TypeError as error:
        raise UsageError(
            f"the context holds what is no plain data, {error}: give texts, numbers, lists, mappings"
        ) from error
    except (ValueError, RecursionError) as error:
        raise UsageError("the context is nested too deeply, or holds itself") from error


def _as_builtin(value: object) -> Plain:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return list(value)
    raise TypeError(type(value).__name__)


def _as_text(value: Plain) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


def _paths(names: Sequence[str]) -> list[str]:
    """Return a path for each name: the name itself if a tree can contain it, or else a number."""
    folders = {name[:at] for name in names for at, letter in enumerate(name) if letter == "/"}
    width = max(3, len(str(len(names))))
    return [
        name if name not in folders and len(name) <= PATH_CHARS and _PATH.fullmatch(name) else f"item/{at:0{width}}.txt"
        for at, name in enumerate(names, 1)
    ]
