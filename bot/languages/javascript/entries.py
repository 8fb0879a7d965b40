"""What manifests grant to an import of a package: an entry of `exports` under a condition, and a workspace that lists the package."""

import re
from collections.abc import Mapping, Sequence

from bot.text import globs
from bot.text.lines import utf8

IMPORT, REQUIRE = "import", "require"  # the conditions by which a statement asks
EVERY_STATEMENT = frozenset({IMPORT, REQUIRE})
WORKSPACE = "workspace"
PNPM = "pnpm-workspace.yaml"
MOST_NESTED = 20  # conditions inside conditions
# The list of pnpm, in one line or below its key.
LISTED = re.compile(r"^packages:[ \t]*+(?:\[([^\]]*+)\]|(?:#[^\n]*+)?\r?\n((?:[ \t]*+(?:-[^\n]*+|#[^\n]*+)?\r?(?:\n|\Z))*+))", re.MULTILINE)  # fmt: skip
ITEM = re.compile(r"(?:^[ \t]*+-|,|^)[ \t]*+['\"]?([^'\"\s#,\[\]-][^'\"\s#,\[\]]*+)", re.MULTILINE)


def entry(exports: object, below: str) -> tuple[list[str], frozenset[str]]:
    """The files to which `exports` leads for what follows the name of a package, and the statements that may ask for them."""
    table = exports if isinstance(exports, dict) else {}
    if not any(str(key).startswith(".") for key in table):
        return ([], frozenset()) if below else (files(exports), _statements(exports))
    spec = f"./{below}" if below else "."
    if spec in table:
        return files(table[spec]), _statements(table[spec])
    fits = [(key.index("*"), key) for key in table if "*" in key and star_part(key, spec)]
    if not fits:
        return [], frozenset()
    key = max(fits)[1]
    part = star_part(key, spec) or ""
    return [one.replace("*", part) for one in files(table[key])], _statements(table[key])


def files(value: object) -> list[str]:
    """The relative paths anywhere in a value of `exports` or `imports`, in order."""
    return [path for path in _texts(value, 0) if path.startswith("./")]


def _texts(value: object, depth: int) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for part in parts for text in _texts(part, depth + 1)] if depth < MOST_NESTED else []


def _statements(value: object, depth: int = 0) -> frozenset[str]:
    """The statements that reach a file of an entry: both, unless it lies under the condition of one. Types are nobody's to load."""
    if isinstance(value, str):
        return EVERY_STATEMENT
    if isinstance(value, list):
        return (
            frozenset().union(*(_statements(one, depth + 1) for one in value)) if depth < MOST_NESTED else frozenset()
        )
    if not isinstance(value, dict) or depth >= MOST_NESTED:
        return frozenset()
    statements: frozenset[str] = frozenset()
    for key, part in value.items():
        inner = _statements(part, depth + 1) if key != "types" or len(value) == 1 else frozenset()
        statements |= inner & {key} if key in (IMPORT, REQUIRE) else inner
    return statements


def star_part(pattern: str, spec: str) -> str | None:
    """What the star of a pattern stands for in a specifier; None where they do not match."""
    before, star, after = pattern.partition("*")
    if not star:
        return "" if spec == pattern else None
    fits = spec.startswith(before) and spec.endswith(after) and len(spec) >= len(before) + len(after)
    return spec[len(before) : len(spec) - len(after)] if fits else None


def members(table: Mapping[str, object]) -> tuple[str, ...]:
    """The folders that a package.json lists as those of its workspace, as patterns."""
    listed = table.get("workspaces")
    listed = listed.get("packages") if isinstance(listed, dict) else listed
    return tuple(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else ()


def members_of_pnpm(source: bytes) -> tuple[str, ...]:
    """The same of the list of pnpm."""
    match = LISTED.search(utf8(source).decode("utf-8", "replace"))
    return tuple(ITEM.findall(match[1] or match[2] or "")) if match else ()


def is_member(folder: str, workspaces: Mapping[str, Sequence[str]]) -> bool:
    """Whether a workspace around a folder lists it. `workspaces`: the folder of each -> its patterns."""
    for root, patterns in workspaces.items():
        if folder == root or (root and not folder.startswith(f"{root}/")):
            continue
        below = folder[len(root) :].strip("/")
        rules = [_rule(pattern) for pattern in patterns]
        try:
            if globs.matches(rules, f"{below}/package.json"):
                return True
        except ValueError:  # no pattern
            continue
    return False


def _rule(pattern: str) -> str:
    """A pattern of folders, as one of the manifests in them."""
    sign = "!" if pattern.startswith("!") else ""
    return f"{sign}/{pattern.lstrip('!').removeprefix('./').strip('/')}/package.json"
