"""The keys that a file of settings defines, as the parser of its format reads them: YAML, JSON, TOML, INI, .env and .properties.

What a line says of a key decides nothing: the line may be in a quoted text, behind a continuation, in a second document or in a section
that a later one of the same name replaces. A format that is not here, and a file that does not parse, are read by their lines elsewhere.
"""

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Place = tuple[str, ...]  # the sections around a key, and the key
LARGEST = 1 << 20  # characters of a file that is parsed
_MOST = 200_000  # places of one file: aliases that multiply stop here
_DEEPEST = 60
DOCUMENT = "--- "  # how the section begins that is a document of a stream
_MERGES = "\0<<"  # the key of YAML that merges, which a quoted text of these letters does not
ITEM = "[]"  # the section of what a list holds
_JSON_COMMENT = re.compile(r"(?P<text>\"(?:[^\"\\]|\\.)*+\"?)|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?", re.DOTALL)
_JSON_COMMA = re.compile(r"(?P<text>\"(?:[^\"\\]|\\.)*+\"?)|,\s*+(?=[\]}])", re.DOTALL)
_MOST_PARTS = 1_000  # of a dotted key of TOML, whose parser copies it for each
_INI_SECTION = re.compile(r"\[([^\]\n]{1,200})\]")
_INI_OPTION = re.compile(r"([^=:\s][^=:]{0,200}?) {0,20}(?:[=:]|$)")
_ENV_ENTRY = re.compile(
    r"[ \t]*+(?:export[ \t]++)?([A-Za-z_][\w.-]{0,200})(?P<gap>[ \t]{0,20})=[ \t]*+(?P<value>[^\n]*+)"
)
_ENV_UNSET = re.compile(r"[ \t]*+unset[ \t]++(\w{1,200})")
_PROPERTY = re.compile(r"((?:[^=:\s\\]|\\.){1,200}+)")


class UnreadableSettingsError(ValueError):
    """A file that its format's parser refuses, or that is too large for it."""


def parsed_places(path: str, content: str) -> frozenset[Place] | None:
    """The keys of a file with the sections around each; None if its format has no parser here. Raises `UnreadableSettingsError`."""
    reader = _READERS.get(format_of(path))
    if reader is None:
        return None
    if len(content) > LARGEST:
        raise UnreadableSettingsError(f"{path} has more than {LARGEST:,} characters")
    try:
        return frozenset(_walk(reader(content.removeprefix("\ufeff"))))
    except (ValueError, RecursionError) as error:
        raise UnreadableSettingsError(f"{path} does not parse ({type(error).__name__})") from error


def has_parser(path: str) -> bool:
    """Whether the format of a file is one of those that are parsed here."""
    return format_of(path) in _READERS


def format_of(path: str) -> str:
    """The ending that decides how a file is read; of a file without one, its name."""
    name = posixpath.basename(path).lower()
    return ".env" if name.startswith(".env") else posixpath.splitext(name)[1] or name


def _walk(value: object) -> Iterator[Place]:
    """The places of nested objects. The items of a list share a section; what a mapping merges belongs to what is around it."""
    left: list[tuple[Place, object]] = [((), value)]
    count = 0
    while left:
        around, one = left.pop()
        count += 1
        if count > _MOST:
            raise UnreadableSettingsError("too many keys")
        if isinstance(one, Mapping) and len(around) < _DEEPEST:
            for key, inner in one.items():
                if key == _MERGES:
                    left += [(around, part) for part in (inner if isinstance(inner, list) else [inner])]
                    continue
                yield (*around, key)
                left.append(((*around, key), inner))
        elif isinstance(one, list) and len(around) < _DEEPEST:
            left += [((*around, ITEM), inner) for inner in one]


def _of_loose_json(content: str) -> object:
    """With comments, and commas behind the last member."""
    try:
        return json.loads(content)
    except ValueError:
        code = _JSON_COMMENT.sub(lambda match: match["text"] or " ", content)
        return json.loads(_JSON_COMMA.sub(lambda match: match["text"] or " ", code))


def _of_toml(content: str) -> object:
    if any(part.count(".") > _MOST_PARTS for line in content.split("\n") for part in line.split("=")):
        raise UnreadableSettingsError("a key of too many parts")
    import tomllib

    return tomllib.loads(content)


def _of_yaml(content: str) -> object:
    """The documents of a stream, each a section by what it calls itself, or by its number."""
    import yaml  # takes longer to load than most reviews by code

    sections: dict[str, object] = {}
    try:
        for number, document in enumerate(_yaml_documents(content), 1):
            name = f"{DOCUMENT}{_document_name(document) or number}"
            sections[f"{name} {number}" if name in sections else name] = document
    except yaml.YAMLError as error:
        raise UnreadableSettingsError(type(error).__name__) from error
    return sections


def _document_name(document: object) -> str:
    """Return kind and name of a Kubernetes manifest, or "" if the document is not one."""
    if not isinstance(document, dict):
        return ""
    metadata = document.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    kind = document.get("kind")
    return f"{kind} {name}" if isinstance(kind, str) and isinstance(name, str) else ""


def _yaml_documents(content: str) -> Iterator[object]:
    """Objects, lists and texts from the parser's events: nothing is constructed, an alias is the object that it names, the last of equal keys wins."""
    import yaml

    anchors: dict[str, object] = {}
    stack: list[tuple[Any, list[object]]] = []  # an open collection, and the key that waits for its value
    for event in yaml.parse(content, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        value: Any
        if isinstance(event, yaml.CollectionStartEvent):
            value = {} if isinstance(event, yaml.MappingStartEvent) else []
            stack.append((value, []))
            if len(stack) > _DEEPEST:
                raise UnreadableSettingsError("nested too deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            value = stack.pop()[0]
            if stack:
                _put(stack[-1], value)
            else:
                yield value
            continue
        elif isinstance(event, yaml.ScalarEvent):
            is_merge = event.value == "<<" and (event.implicit[0] or str(event.tag).endswith(":merge"))
            value = _MERGES if is_merge else event.value
        elif isinstance(event, yaml.AliasEvent):
            value = anchors.get(str(event.anchor))
        else:
            continue
        if isinstance(event, yaml.NodeEvent) and event.anchor and not isinstance(event, yaml.AliasEvent):
            anchors[event.anchor] = value
        if stack and not isinstance(event, yaml.CollectionStartEvent):
            _put(stack[-1], value)


def _put(collection: tuple[Any, list[object]], value: object) -> None:
    """Put a value into an open list, or into an open mapping as a key or as the value of the key that waits."""
    around, pending_key = collection
    if isinstance(around, list):
        around.append(value)
    elif not pending_key:
        pending_key.append(value)
    else:
        key = pending_key.pop()
        around[key if isinstance(key, str) else ""] = value


def _of_ini(content: str) -> object:
    """Sections of options. A line that is indented deeper than its option goes on with the option's value."""
    sections: dict[str, Any] = {}
    section, depth = sections, -1
    for line in content.split("\n"):
        code = line.strip()
        if not code or code[0] in "#;":
            continue
        indent = len(line) - len(line.lstrip())
        if 0 <= depth < indent:
            continue
        if match := _INI_SECTION.match(code):
            section, depth = sections.setdefault(match[1].strip(), {}), -1
        elif match := _INI_OPTION.match(code):
            section[match[1]] = ""
            depth = indent
        else:
            raise UnreadableSettingsError("neither a section nor an option")
    return sections


def _of_env(content: str) -> object:
    """Assignments, whose value in quotes may have several lines. One with a gap before its mark is another one: a shell refuses it."""
    keys: dict[str, object] = {}
    gaps: dict[str, object] = {}
    lines = iter(content.split("\n"))
    for line in lines:
        if match := _ENV_UNSET.match(line):
            keys.pop(match[1], None)
            continue
        if not (match := _ENV_ENTRY.match(line)):
            continue  # a comment, a command of a shell, or nothing
        (gaps if match["gap"] else keys)[match[1]] = ""
        mark = match["value"][:1]
        if mark in {'"', "'", "`"}:
            text = match["value"][1:]
            while not _closes(text, mark):
                next_line = next(lines, None)
                if next_line is None:
                    raise UnreadableSettingsError("a quote that nothing closes")
                text = next_line
    return keys | {" ": gaps} if gaps else keys


def _closes(text: str, mark: str) -> bool:
    """Whether a text in quotes ends on this line."""
    if mark == "'":
        return mark in text
    return mark in re.sub(r"\\.", "", text)


def _of_properties(content: str) -> object:
    """Keys of logical lines: one that ends with an odd number of backslashes goes on. `#---` begins another document."""
    documents: list[dict[str, object]] = [{}]
    continues = False
    for line in content.split("\n"):
        code = line.rstrip("\r").lstrip(" \t\f")
        goes_on, is_comment = continues, code[:1] in {"#", "!"}
        continues = (goes_on or not is_comment) and (len(code) - len(code.rstrip("\\"))) % 2 == 1
        if goes_on:
            continue
        if is_comment:
            if code.rstrip() in {"#---", "!---"}:
                documents.append({})
        elif match := _PROPERTY.match(code):
            documents[-1][match[1].replace("\\", "")] = ""
    return documents[0] | {f"{DOCUMENT}{number}": one for number, one in enumerate(documents[1:], 1)}


_READERS: Mapping[str, Callable[[str], object]] = {
    ".json": _of_loose_json,
    ".jsonc": _of_loose_json,
    ".yml": _of_yaml,
    ".yaml": _of_yaml,
    ".toml": _of_toml,
    ".ini": _of_ini,
    ".cfg": _of_ini,
    ".env": _of_env,
    ".properties": _of_properties,
}
