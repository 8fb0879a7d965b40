"""Read YAML that people write, describe mistakes in it by line, and write YAML for people."""

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from deeprepo.impact.text import yaml_reader
from deeprepo.impact.text.yaml_reader import UnreadableYamlError

MOST_CHARS = 64_000
ENTRIES = {  # lists whose items have keys
    ("instructions",): '{path: "src/**", text: "..."}',
    ("ignore",): '"generated/", {path: "tests/**", kind: performance}',
    ("effort_for",): '{paths: ["migrations/**"], effort: high}',
}


class _Plain(yaml_reader.Reader):
    """Builds plain data, and rejects aliases."""

    takes_aliases = False


def load(text: str) -> tuple[yaml.Node | None, Any]:
    """Return the nodes, which have line numbers, and the plain data. Raises UnreadableYamlError."""
    if len(text) > MOST_CHARS:
        raise UnreadableYamlError(f"the file is longer than {MOST_CHARS:,} characters")
    return yaml_reader.read(text, _Plain)


class _Exact(yaml.SafeDumper):
    """Writes strings with unprintable characters in double quotes, so that they read back unchanged."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=None if value.isprintable() else '"')


_Exact.add_representer(str, _text)


def dump(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a list of mappings as YAML that people can read."""
    return yaml.dump(list(rows), Dumper=_Exact, sort_keys=False, allow_unicode=True, width=120)


class _Blocks(_Exact):
    """Writes YAML like `_Exact`, but multi-line strings as blocks."""


def _block(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    lines = value.splitlines()
    is_block = len(lines) > 1 and all(line.isprintable() for line in lines)
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|") if is_block else _text(dumper, value)


_Blocks.add_representer(str, _block)


def file(settings: Mapping[str, Any]) -> str:
    """Return the YAML text of a settings file, with multi-line strings as blocks."""
    return yaml.dump(dict(settings), Dumper=_Blocks, sort_keys=False, allow_unicode=True, width=120)


def data(text: str) -> Any:  # noqa: ANN401 - whatever the text contains
    """Return only the plain data. Raises UnreadableYamlError, a ValueError."""
    return load(text)[1]


def duplicates(node: yaml.Node | None) -> list[tuple[int, str, str]]:
    """Return the line, the key and a sentence for each key that a mapping repeats. The last value counts."""
    repeats: list[tuple[int, str, str]] = []
    stack = [node] if node is not None else []
    while stack:
        at = stack.pop()
        if isinstance(at, yaml.SequenceNode):
            stack += reversed(at.value)
        elif isinstance(at, yaml.MappingNode):
            first_lines: dict[str, int] = {}
            for key, _ in at.value:
                line = key.start_mark.line + 1
                name = key.value if isinstance(key, yaml.ScalarNode) else None
                if name is not None and name in first_lines:
                    sentence = f"{name} is already set on line {first_lines[name]}. The last value is used"
                    repeats.append((line, name, sentence))
                if name is not None:
                    first_lines[name] = line
            stack += [value for _, value in reversed(at.value)]
    return repeats


def fault(error: ValueError) -> tuple[int | None, str]:
    """Return the line and a description of an error that `load` or a decoder raised. The line may be None."""
    if isinstance(error, UnicodeDecodeError):
        return error.object.count(b"\n", 0, error.start) + 1, "this is not UTF-8: save the file in this encoding"
    problem = f"this is not valid YAML: {error}"
    if isinstance(error, UnreadableYamlError):
        return error.line, error.problem if error.is_refused else problem
    return None, problem


def place(path: str, line: int | None) -> str:
    """Return a file and line for the start of a sentence, such as ".deeprepo.yml line 3"."""
    return path if line is None else f"{path} line {line}"


def sentence(item: Mapping[str, Any]) -> str:
    """Return what to write instead, without the wrong value, for an item of `ValidationError.errors()`."""
    context = item.get("ctx", {})
    if item["type"] in ("tuple_type", "list_type") and item.get("loc", ())[-1:] in ENTRIES:
        return f"write a list of entries, such as [{ENTRIES[item['loc'][-1:]]}]"
    words = {
        "tuple_type": "write a list such as [one, two], even for a single entry",
        "list_type": "write a list such as [one, two], even for a single entry",
        "dataclass_type": "write `key: value` lines below it",
        "string_type": "write a text, in quotes if it looks like a number, a date or true",
        "string_too_short": "write a text",
        "bool_type": "write true or false",
        "bool_parsing": "write true or false",
        "int_type": "write a whole number",
        "int_parsing": "write a whole number",
        "int_from_float": "write a whole number",
        "float_type": "write a number",
        "float_parsing": "write a number",
        "missing": "this value is missing",
        "too_long": f"write at most {context.get('max_length')} entries",
        "string_too_long": f"write at most {context.get('max_length')} characters",
        "extra_forbidden": "unknown key",
        "literal_error": f"write one of {context.get('expected', '')}".replace("'", ""),
        "greater_than_equal": f"write a number of at least {context.get('ge')}",
        "greater_than": f"write a number above {context.get('gt')}",
        "finite_number": "write a finite number",
        "less_than_equal": f"write a number of at most {context.get('le')}",
    }
    return words.get(str(item["type"]), str(item["msg"]).removeprefix("Value error, "))


def line_of(node: yaml.Node | None, place: Sequence[str | int]) -> int | None:
    """Return the line, from 1, of the key or entry at a place such as ("budget", "usd").

    If it doesn't exist, return the line of the nearest key or entry above it, or None.
    """
    line = None
    for step in place:
        if isinstance(node, yaml.MappingNode):
            key, value = next(((key, value) for key, value in node.value if key.value == step), (None, None))
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            key = value = node.value[step]
        else:
            break
        if key is None:
            break
        line, node = key.start_mark.line + 1, value
    return line
